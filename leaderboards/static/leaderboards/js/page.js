/**
 * The entry of the live pages: what the server wrote works without any of this; here it comes alive.
 * @import {Frame, Row, Standings, Status, Topic} from "./types.js"
 */

import { restart, serverNow, told } from "../../games/js/clock.js";
import { Link } from "../../games/js/link.js";
import { countDown } from "./countdown.js";
import { BoardView, resultText } from "./rows.js";
import { applied, due, sameTopic } from "./standings.js";
import { makeTabs } from "./tabs.js";

const STATUS_WORDS = { connecting: "connecting", live: "live", delayed: "delayed", reconnecting: "reconnecting" };
const LONGEST_TIMER = 2 ** 31 - 1;

/** @type {{view: BoardView, standings: Standings | null}[]} */ let boards = [];
/** @type {Link<Frame> | null} */ let socket = null;
/** @type {Status} */ let status = "connecting";
/** @type {ReturnType<typeof setTimeout> | undefined} */ let turn;
let stopCountdown = () => {};
/** @type {Topic[]} */ let followed = [];
let refreshing = false;

/** Say something once to people who listen. @param {string} words */
function announce(words) {
  const place = document.getElementById("announce");
  if (place !== null) place.textContent = words;
}

/** @param {Status} next */
function showStatus(next) {
  const pill = document.getElementById("status");
  const words = document.getElementById("status-text");
  if (pill === null || words === null) return;
  if (next === "reconnecting" && status !== next && pill.dataset.state !== "off") announce("Connection lost. Reconnecting.");
  if (next === "live" && status === "reconnecting") announce("Live again.");
  if (next === "delayed" && status !== next) announce("Standings are delayed.");
  if (next !== "connecting") status = next;
  pill.hidden = false;
  pill.dataset.state = next;
  words.textContent = STATUS_WORDS[next];
}

/** @param {Topic} topic */
function boardOf(topic) {
  return boards.find(({ view }) => sameTopic(view.topic, topic));
}

/** @param {Frame} frame */
function onFrame(frame) {
  switch (frame.type) {
    case "snapshot":
    case "event": {
      const board = boardOf(frame);
      if (board === undefined) return;
      const next = applied(board.standings, frame);
      if (next === null) {
        socket?.send({ type: "resync", ...board.view.topic });
        return;
      }
      const first = board.standings === null;
      board.standings = next;
      const changed = board.view.show(next);
      if (!first && board.view.visible) sayRows(changed);
      if (status !== "delayed") showStatus("live");
      return;
    }
    case "heartbeat":
      told(frame.now);
      showStatus(frame.delayed ? "delayed" : "live");
      for (const { view, standings } of boards) {
        const type = due(standings, view.topic, frame);
        if (type !== null) socket?.send({ type, ...view.topic });
      }
      return;
    case "rollover":
      turn = setTimeout(() => void refresh(), Math.random() * 2000); // not everybody at once
  }
}

/** @param {Row[]} rows */
function sayRows(rows) {
  const [row] = rows;
  if (row === undefined) return;
  const others = rows.length > 1 ? ` and ${rows.length - 1} more` : "";
  announce(`Place ${row.rank}: ${row.player.name}, ${resultText(row)}, ${row.score}${others}.`);
}

/** Ask for every list of the page: on each new connection, and when the page has changed. */
function subscribe() {
  for (const topic of followed) socket?.send({ type: "subscribe", ...topic });
}

/** Bring what the page says to life: after loading, and after the day has changed under it. */
function begin() {
  const page = /** @type {HTMLElement | null} */ (document.querySelector("[data-page]"));
  if (page === null) return;
  restart(page.dataset.now);
  const tabs = /** @type {HTMLElement | null} */ (page.querySelector("[data-tabs]"));
  if (tabs !== null) makeTabs(tabs, { label: "Standings of" });
  stopCountdown();
  stopCountdown = countDown(page);
  for (const note of page.querySelectorAll(".no-live")) note.remove();
  const roots = /** @type {NodeListOf<HTMLElement>} */ (page.querySelectorAll('.live-board[data-live="yes"]'));
  boards = [...roots].map((root) => ({ view: new BoardView(root), standings: null }));
  const topics = boards.map(({ view }) => view.topic);
  if (socket !== null) {
    for (const topic of followed) socket.send({ type: "unsubscribe", ...topic });
    followed = topics;
    subscribe();
  } else if (topics.length > 0) {
    followed = topics;
    socket = new Link("/ws/v1/standings", { onOpen: subscribe, onFrame, onStatus: showStatus });
  }
  schedule(page.dataset.refreshAt);
}

/**
 * The server's clock will change this page at an instant (close, opening, final): read it again shortly after.
 * @param {string | undefined} instant
 */
function schedule(instant) {
  clearTimeout(turn);
  const at = Date.parse(instant ?? "");
  if (Number.isNaN(at)) return;
  const wait = at - serverNow() + 300 + Math.random() * 3000; // not everybody at once
  turn = setTimeout(() => void refresh(), Math.min(Math.max(wait, 1000), LONGEST_TIMER));
}

/** Read the page again in place. */
async function refresh() {
  if (refreshing) return;
  refreshing = true;
  try {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
    if (!answer.ok) throw new Error(String(answer.status));
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    const next = fresh.querySelector("main > [data-page]");
    const here = document.querySelector("main > [data-page]");
    if (next === null || here === null) return;
    const another = next.getAttribute("data-daily") !== here.getAttribute("data-daily");
    const mayFocus = here.contains(document.activeElement);
    here.replaceWith(document.adoptNode(next));
    document.title = fresh.title;
    begin();
    if (another) notice(`Daily ${next.getAttribute("data-daily")} has opened.`);
    if (mayFocus) document.getElementById("main")?.focus({ preventScroll: true });
  } catch {
    turn = setTimeout(() => void refresh(), 5000 + Math.random() * 5000); // the server is away: the pill says so
  } finally {
    refreshing = false;
  }
}

/** A line at the top of the page, also spoken. @param {string} words */
function notice(words) {
  const line = document.querySelector("main > .notice") ?? document.createElement("p");
  line.className = "note notice";
  line.textContent = words;
  document.getElementById("main")?.prepend(line);
  announce(words);
}

begin();
