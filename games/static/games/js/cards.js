/** Cards: their names in words and their faces as drawings. A card is rank and suit, `TD`; the joker is `XX`. */

import { filled, gettext, pgettext } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";

/** Our own drawings in a box of 100 by 100; games/suits.py has the same. @type {Record<string, string>} */
export const SUIT_PATHS = {
  C: "M50 6a21 21 0 0 1 17 33.5a21.5 21.5 0 1 1-12.5 33c.8 9 3.5 15.5 9.5 21.5H36c6-6 8.7-12.5 9.5-21.5a21.5 21.5 0 1 1-12.5-33A21 21 0 0 1 50 6z",
  D: "M50 3C59 21 70 36 86 50 70 64 59 79 50 97 41 79 30 64 14 50 30 36 41 21 50 3z",
  H: "M50 93C28 75 7 57 7 33 7 18 17 8 30 8c9 0 16 5 20 13C54 13 61 8 70 8c13 0 23 10 23 25 0 24-21 42-43 60z",
  S: "M50 4C64 27 92 42 92 64c0 13-9 21-20 21-7 0-13-3-17-9 1 8 4 14 10 19H35c6-5 9-11 10-19-4 6-10 9-17 9C17 85 8 77 8 64 8 42 36 27 50 4z",
};
/** A cap with three bells. */
export const JOKER_PATH =
  "M24 74C25 55 20 46 11 44a8 8 0 1 1 6-11c14 3 22 10 27 19 0-13 1-22 3-29a8 8 0 1 1 6 0c2 7 3 16 3 29 5-9 13-16 27-19a8 8 0 1 1 6 11C80 46 75 55 76 74zM22 80h56v11H22z";

/** What a card that lies face down is sent as. */
export const FACE_DOWN = "??";
export const JOKER = "XX";

/** @type {Record<string, string>} */
export const RANKS = {
  A: pgettext("card", "ace"),
  2: pgettext("card", "two"),
  3: pgettext("card", "three"),
  4: pgettext("card", "four"),
  5: pgettext("card", "five"),
  6: pgettext("card", "six"),
  7: pgettext("card", "seven"),
  8: pgettext("card", "eight"),
  9: pgettext("card", "nine"),
  T: pgettext("card", "ten"),
  J: pgettext("card", "jack"),
  Q: pgettext("card", "queen"),
  K: pgettext("card", "king"),
};
/** @type {Record<string, string>} */
export const SUITS = {
  C: pgettext("card", "clubs"),
  D: pgettext("card", "diamonds"),
  H: pgettext("card", "hearts"),
  S: pgettext("card", "spades"),
};

/** In words, without article: `"TD"` is "ten of diamonds", `"??"` is "face-down card". @param {string} card */
export function cardName(card) {
  if (card === JOKER) return pgettext("card", "joker");
  if (card === FACE_DOWN) return gettext("face-down card");
  const [rank = "", suit = ""] = card;
  return filled(pgettext("card", "%(rank)s of %(suit)s"), { rank: RANKS[rank] ?? rank, suit: SUITS[suit] ?? suit });
}

/** Several cards as the language lists them. @param {string[]} cards */
export const cardNames = (cards) => cards.map(cardName).join(pgettext("list of cards", ", "));

/** As printed in the corner: `10`, `K`; a joker has a star. @param {string} card */
export function rankText(card) {
  if (card === JOKER) return "★";
  const rank = card[0] ?? "";
  return rank === "T" ? "10" : rank;
}

/**
 * @param {string} name
 * @param {Record<string, string | number>} attributes
 */
function svg(name, attributes) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
}

/** @param {string} card */
const pathOf = (card) => (card === JOKER ? JOKER_PATH : (SUIT_PATHS[card[1] ?? ""] ?? ""));

/** A suit in a box of its own, as large as its text. @param {string} card @returns {SVGElement} */
export function suitElement(card) {
  const drawing = svg("svg", { class: "suit-mark", viewBox: "0 0 100 100", "aria-hidden": "true", focusable: "false" });
  drawing.append(svg("path", { d: pathOf(card) }));
  return drawing;
}

/**
 * Where a mark stands on the face of 50 by 70: its left upper corner and its size.
 * @param {string} card
 * @param {number} x
 * @param {number} y
 * @param {number} size
 */
const mark = (card, x, y, size) => svg("path", { d: pathOf(card), transform: `translate(${x} ${y}) scale(${size / 100})` });

/** @type {Map<string, SVGElement>} */
const drawn = new Map();

/**
 * The face of a card, 5 by 7, at whatever size its box has. Says nothing to a screen reader: label what holds it.
 * @param {string} card
 * @returns {SVGElement}
 */
export function faceElement(card) {
  let face = drawn.get(card);
  if (face === undefined) {
    face = svg("svg", { class: "face", "data-suit": card === JOKER ? "X" : (card[1] ?? ""), viewBox: "0 0 50 70" });
    face.setAttribute("aria-hidden", "true");
    face.setAttribute("focusable", "false");
    const text = rankText(card);
    const corner = svg("text", { class: "rank", x: text === "10" ? 2.5 : 4, y: 23.5 });
    corner.textContent = text;
    if (text === "10") for (const [key, value] of [["textLength", "27"], ["lengthAdjust", "spacingAndGlyphs"]]) corner.setAttribute(key ?? "", value ?? "");
    face.append(corner, mark(card, 31, 7, 15), mark(card, 7, 30, 36));
    drawn.set(card, face);
  }
  return /** @type {SVGElement} */ (face.cloneNode(true));
}

/** The back of a card. @returns {HTMLElement} */
export function backElement() {
  const back = document.createElement("span");
  back.className = "back";
  back.setAttribute("aria-hidden", "true");
  return back;
}

/** Face or back. @param {string} card @returns {Element} */
export const sideElement = (card) => (card === FACE_DOWN ? backElement() : faceElement(card));
