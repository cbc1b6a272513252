/**
 * What stands on the table when a game is over: how it ended, its figures, and where to go from here.
 * @import {Attempt, Result} from "./state.js"
 * @typedef {{words: string, primary?: boolean, href?: string, act?: () => void}} Way
 *   a link (`href`) or a button (`act`)
 */

import { cardName } from "./cards.js";
import { timeText } from "./clock.js";
import { leftText, movesText, shareParts, shareText } from "./share.js";
import { figure, filled, gettext, pgettext } from "./words.js";

/** @param {Attempt} attempt */
export function endTitle({ outcome }) {
  switch (outcome) {
    case "won":
      return gettext("All three peaks cleared");
    case "stuck":
      return gettext("No moves left");
    case "resigned":
      return gettext("You gave this game up");
    default:
      return gettext("The time is over");
  }
}

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {string} [text]
 * @param {string} [kind] class
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function element(name, text = "", kind = "") {
  const made = document.createElement(name);
  made.textContent = text;
  if (kind !== "") made.className = kind;
  return made;
}

/** @param {Way} way */
function wayElement({ words, primary, href, act }) {
  const kind = primary ? "button" : "button quiet";
  if (href !== undefined) {
    const link = element("a", words, kind);
    link.href = href;
    return link;
  }
  const button = element("button", words, kind);
  button.type = "button";
  button.addEventListener("click", () => act?.());
  return button;
}

/**
 * @param {Attempt} attempt
 * @param {boolean} scored whether the ruleset has points
 * @returns {[string, string][]}
 */
function figures(attempt, scored) {
  /** @type {[string, string][]} */ const shown = [];
  if (scored) shown.push([gettext("score"), figure(attempt.score)]);
  shown.push([pgettext("counter", "moves"), figure(attempt.moves)]);
  shown.push([gettext("time"), timeText(attempt.elapsed_ms)]);
  shown.push([gettext("peaks"), filled(pgettext("peaks cleared", "%(count)s / 3"), { count: attempt.peaks })]);
  return shown;
}

/** A better result from before stands: `3 cards left · 652`. @param {Result} result @param {boolean} scored */
function standing(result, scored) {
  const end = result.outcome === "won" ? gettext("won") : leftText(result.cards_left);
  return `${end} · ${scored ? figure(result.score) : movesText(result.moves)}`;
}

/**
 * @param {Attempt} attempt that is over, or stuck
 * @param {{title: string, url: string, scored: boolean, ways: Way[]}} about `title` and `url`: for sharing
 * @returns {{root: HTMLElement, say: (words: string, kind?: string) => HTMLElement}} the panel, its heading focusable;
 *   `say` adds a line to it
 */
export function endPanel(attempt, { title, url, scored, ways }) {
  const root = element("section", "", `end ${attempt.outcome ?? ""}`);
  const heading = element("h2", endTitle(attempt));
  heading.id = "end-title";
  heading.tabIndex = -1;
  root.setAttribute("aria-labelledby", heading.id);
  const head = element("div", "", "end-head");
  const list = element("dl", "", "end-figures num");
  for (const [name, value] of figures(attempt, scored)) {
    const pair = element("div");
    pair.append(element("dt", name), element("dd", value));
    list.append(pair);
  }
  const lines = element("div", "", "end-lines");
  /** @param {string} words @param {string} [kind] */
  const say = (words, kind) => lines.appendChild(element("p", words, kind));
  if (attempt.outcome === "stuck") say(leftText(attempt.cards_left), "fact");
  if (attempt.view.waste !== null && (attempt.outcome === "stuck" || attempt.outcome === "won")) {
    say(filled(gettext("Last card: %(card)s."), { card: cardName(attempt.view.waste) }), "fact");
  }
  const { result } = attempt;
  if (result !== null && (result.outcome !== attempt.outcome || result.moves !== attempt.moves)) {
    say(filled(gettext("Your best in this game stands: %(result)s."), { result: standing(result, scored) }));
  }
  const actions = element("div", "", "actions");
  for (const way of ways) actions.append(wayElement(way));
  if (result !== null) actions.append(...shareParts(shareText(title, result, scored), url));
  head.append(heading, list);
  root.append(head, lines, actions);
  return { root, say };
}
