/**
 * The day goes on while the page is open (case C11): a daily opens, closes, becomes final. By the server's clock alone.
 * @import {Attempt} from "../../games/js/state.js"
 * @import {PlayData} from "./play_start.js"
 */

import { serverNow } from "../../games/js/clock.js";
import { element } from "../../games/js/ends.js";
import { LANGUAGE, filled, gettext } from "../../games/js/words.js";

const ASK_AGAIN = 5_000;

/** `00:30` in the official zone. @param {string} instant @param {string} zone */
export const timeOfDay = (instant, zone) =>
  new Intl.DateTimeFormat(LANGUAGE, { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: zone }).format(new Date(instant));

/**
 * @param {PlayData} data
 * @param {{attempt: () => Attempt | null, onOpen: () => void, onDeadline: () => void, onClosed: () => void}} page
 *   `onDeadline`: time has ended the attempt, ask the server; again every few seconds until it says so
 */
export function watchDay(data, page) {
  const { status } = data;
  let told = status !== "open" && status !== "grace";
  let asked = -Infinity;
  const closesAt = Date.parse(data.closesAt ?? "");
  const opensAt = Date.parse(data.opensAt ?? "");
  const finalAt = Date.parse(data.finalAt ?? "");
  const late = Math.random() * 2000; // not everybody at once
  let opened = false;

  const closed = () => {
    if (told) return;
    told = true;
    notice(data, page.attempt());
    page.onClosed();
  };
  const tick = () => {
    const now = serverNow();
    const attempt = page.attempt();
    if (status === "upcoming" && now >= opensAt + late && !opened) {
      opened = true;
      page.onOpen();
    }
    if (now >= closesAt) closed();
    if (status === "grace" && attempt === null && now >= finalAt + late && !opened) {
      opened = true;
      page.onOpen();
    }
    const deadline = Date.parse(attempt?.deadline ?? "");
    if (attempt !== null && !attempt.closed && now > deadline && now - asked > ASK_AGAIN) {
      asked = now;
      page.onDeadline();
    }
  };
  if (data.kind === "daily") {
    setInterval(tick, 500);
    tick();
  }
}

/** @param {PlayData} data @param {Attempt | null} attempt */
function notice(data, attempt) {
  const place = document.getElementById("notice");
  if (place === null) return;
  const words = [filled(gettext("Daily %(number)s has closed."), { number: String(data.number) })];
  if (attempt !== null && !attempt.closed && attempt.outcome === null) {
    const time = timeOfDay(attempt.deadline ?? data.graceEndsAt ?? "", data.zone);
    words.push(filled(gettext("You may finish until %(time)s (%(zone)s)."), { time, zone: data.zone }));
  }
  const link = element("a", gettext("To today's daily"));
  link.href = "/play/daily";
  place.replaceChildren(`${words.join(" ")} `, link);
  place.hidden = false;
}
