/**
 * Stock and waste. What is on its way lies on the waste, tilted, until the server has answered.
 *
 * @import {Shown} from "./table.js"
 */

import { FACE_DOWN, backElement, cardName, sideElement } from "./cards.js";
import { fly, flip, shake } from "./motion.js";
import { figure, filled, gettext, ngettext } from "./words.js";

/** @typedef {{key: string, card: string, pending: boolean, slot: number | null}} Lying one card on the waste */

const MOST = 5; // cards drawn on the waste at once, the undermost left out

export class Piles {
  /** @type {(Lying & {element: HTMLElement})[]} */ #lying = [];
  /** @type {string | null} */ #waste = null;
  /** @type {string | null} */ #under = null;
  #count = document.createElement("span");
  #caption = document.createElement("span");
  #top = document.createElement("span");
  #lies = 0;
  #drawn = false;

  /** @param {boolean} interactive */
  constructor(interactive) {
    this.element = document.createElement("div");
    this.element.className = "t-piles";
    this.element.dir = "ltr";
    this.stock = document.createElement(interactive ? "button" : "span");
    if (this.stock instanceof HTMLButtonElement) this.stock.type = "button";
    else this.stock.setAttribute("role", "img");
    this.stock.className = "t-stock";
    this.#top.className = "t-stock-top";
    this.#top.append(backElement());
    this.#count.className = "t-count";
    this.#caption.className = "t-caption";
    this.#caption.textContent = interactive ? gettext("Draw") : gettext("Stock");
    for (const part of [this.#top, this.#count, this.#caption]) part.setAttribute("aria-hidden", "true");
    this.stock.setAttribute("aria-label", this.#caption.textContent); // until it is known how many lie there
    this.stock.append(this.#top, this.#count, this.#caption);
    this.waste = document.createElement("div");
    this.waste.className = "t-waste";
    this.waste.setAttribute("role", "img");
    this.#label(null, 0);
    this.element.append(this.stock, this.waste);
  }

  /**
   * @param {Shown} shown
   * @param {{pile: (number | null)[], draws: number}} moving
   * @param {(slot: number | null) => {x: number, y: number, scale: number} | null} from where a card flies from: a slot or the stock
   * @param {number[]} left slots whose cards have just gone
   */
  show(shown, { pile, draws }, from, left) {
    this.#countDown(Math.max(0, shown.stock - draws));
    this.#label(shown.waste, shown.wasteCount);
    const step = shown.wasteCount - this.#lies;
    if (step !== 0) this.#under = step > 0 ? this.#waste : null;
    /** @type {Lying[]} */
    const wanted = pile.slice(-MOST).map((slot, index) => {
      const card = slot === null ? FACE_DOWN : (shown.tableau[slot] ?? FACE_DOWN);
      return { key: card === FACE_DOWN ? `draw${index}` : card, card, pending: true, slot };
    });
    if (shown.waste !== null) wanted.unshift({ key: shown.waste, card: shown.waste, pending: false, slot: left[0] ?? null });
    if (this.#under !== null && this.#under !== shown.waste) wanted.unshift({ key: this.#under, card: this.#under, pending: false, slot: null });
    const drewBefore = this.#lying.some(({ key }) => key.startsWith("draw"));
    const before = new Map(this.#lying.map((each) => [each.key, each]));
    const next = wanted.map((each) => {
      const element = before.get(each.key)?.element ?? this.#laid(each, step === 1 || each.pending, drewBefore, from, shown.run);
      element.classList.toggle("pending", each.pending);
      return { ...each, element };
    });
    const kept = new Set(next.map(({ element }) => element));
    for (const { element } of this.#lying) if (!kept.has(element)) element.remove();
    next.forEach(({ element }, index) => {
      if (this.waste.children[index] !== element) this.waste.insertBefore(element, this.waste.children[index] ?? null);
    });
    this.#lying = next;
    this.#waste = shown.waste;
    this.#lies = shown.wasteCount;
    this.waste.classList.toggle("empty", next.length === 0);
    this.waste.style.setProperty("--heat", String(Math.min(1, Math.max(0, shown.run - 1) / 9)));
    this.#drawn = true;
  }

  /**
   * A card newly on the waste: it flies there, or turns up where it was drawn.
   * @param {Lying} lying
   * @param {boolean} moves whether one move has brought it
   * @param {boolean} drewBefore whether its back lies there already
   * @param {(slot: number | null) => {x: number, y: number, scale: number} | null} from
   * @param {number} run
   */
  #laid({ card, pending, slot }, moves, drewBefore, from, run) {
    const element = document.createElement("span");
    element.className = "t-lying";
    const side = sideElement(card);
    element.append(side);
    if (!this.#drawn || !moves || card === this.#under) return element;
    const drawn = slot === null && !pending;
    if (drawn) flip(side, backElement());
    const start = drawn && drewBefore ? null : from(slot);
    if (start !== null) fly(element, start, run);
    return element;
  }

  /** @param {number} count */
  #countDown(count) {
    const text = figure(count);
    if (this.#count.textContent === text) return;
    this.#count.textContent = text;
    this.#top.classList.toggle("empty", count === 0);
    this.#top.style.setProperty("--thick", String(Math.min(1, count / 23)));
    const label =
      this.stock instanceof HTMLButtonElement
        ? ngettext("Draw, %(count)s card left in the stock", "Draw, %(count)s cards left in the stock", count)
        : ngettext("Stock, %(count)s card left", "Stock, %(count)s cards left", count);
    this.stock.setAttribute("aria-label", filled(label, { count }));
  }

  /**
   * @param {string | null} waste
   * @param {number} count
   */
  #label(waste, count) {
    const label = waste === null || count === 0 ? gettext("Waste, empty") : filled(gettext("Waste: %(card)s"), { card: cardName(waste) });
    if (this.waste.getAttribute("aria-label") !== label) this.waste.setAttribute("aria-label", label);
  }

  /** No card is drawn. */
  refuse() {
    shake(this.stock);
  }
}
