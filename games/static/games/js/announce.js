/**
 * What is said to a screen reader: one polite region for the page, and what a move has done in words.
 *
 * @import {Shown} from "./table.js"
 */

import { FACE_DOWN, cardName, cardNames } from "./cards.js";
import { figure, filled, gettext, ngettext } from "./words.js";

const TOGETHER = 150; // what is said within this time is said in one go

/** @type {string[]} */
let waiting = [];
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/** Say it politely: after what is being read, together with what else happens now. @param {string} words */
export function announce(words) {
  if (words === "" || waiting.includes(words)) return;
  waiting.push(words);
  timer ??= setTimeout(() => {
    const region = document.getElementById("announce");
    const text = waiting.join(" ");
    waiting = [];
    timer = undefined;
    if (region === null) return;
    region.textContent = ""; // so that the same words are read again
    requestAnimationFrame(() => {
      region.textContent = text;
    });
  }, TOGETHER);
}

/**
 * What an accepted move has done: the card, cards turned up, score, draws left, peaks, the end.
 * @param {Shown} before
 * @param {Shown} after
 * @param {string} move
 */
export function moveWords(before, after, move) {
  /** @type {string[]} */
  const words = [];
  const waste = after.waste === null ? null : cardName(after.waste);
  if (move === "u") words.push(waste === null ? gettext("Move undone.") : filled(gettext("Move undone. Waste: %(card)s."), { card: waste }));
  else if (move === "d") words.push(filled(gettext("Drawn: %(card)s."), { card: waste ?? "" }));
  else words.push(filled(gettext("Played: %(card)s."), { card: waste ?? "" }));
  const turned = after.tableau.filter((card, slot) => card !== null && card !== FACE_DOWN && before.tableau[slot] === FACE_DOWN);
  if (turned.length > 0) words.push(filled(gettext("Turned up: %(cards)s."), { cards: cardNames(turned.filter((card) => card !== null)) }));
  if (after.peaks > before.peaks) {
    words.push(
      filled(ngettext("%(count)s peak of three cleared.", "%(count)s peaks of three cleared.", after.peaks), { count: after.peaks }),
    );
  }
  if (after.score !== before.score) words.push(filled(gettext("Score: %(score)s."), { score: figure(after.score) }));
  if (after.stock !== before.stock) words.push(stockWords(after.stock));
  words.push(endWords(after));
  return words.filter((each) => each !== "").join(" ");
}

/** @param {number} count */
const stockWords = (count) =>
  filled(ngettext("%(count)s card left in the stock.", "%(count)s cards left in the stock.", count), { count });

/** How it ended, "" while it runs. @param {Shown} shown */
function endWords({ outcome, cardsLeft }) {
  if (outcome === "won") return gettext("You won!");
  if (outcome !== "stuck") return "";
  const left = ngettext("%(count)s card left on the tableau.", "%(count)s cards left on the tableau.", cardsLeft);
  return `${gettext("No moves left.")} ${filled(left, { count: cardsLeft })}`;
}
