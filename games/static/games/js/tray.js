/**
 * The open cards once more as large targets, for fingers on a small screen. A card keeps its cell until it is played
 * and one newly turned up takes a free cell, so nothing moves under the finger.
 *
 * For the eye only: the board has the same cards as buttons in reading order, so the tray is hidden from screen readers
 * and the Tab key, and never takes the focus.
 */

import { columnOf } from "./layout.js";
import { rankText, suitElement } from "./cards.js";
import { shake } from "./motion.js";

const CELLS = 10; // never more cards are open at once

export class Tray {
  /** @type {{cell: HTMLButtonElement, slot: number | null, card: string | null}[]} free ones in the order they became so */
  #cells = [];
  /** @type {number[]} */ #free = [];

  constructor() {
    this.element = document.createElement("div");
    this.element.className = "t-tray";
    this.element.dir = "ltr";
    this.element.setAttribute("aria-hidden", "true");
    for (let index = 0; index < CELLS; index += 1) {
      const cell = document.createElement("button");
      cell.type = "button";
      cell.tabIndex = -1;
      cell.className = "t-cell";
      this.element.append(cell);
      this.#cells.push({ cell, slot: null, card: null });
      this.#free.push(index);
    }
    this.element.addEventListener("mousedown", (event) => event.preventDefault()); // the focus stays where it is
  }

  /**
   * @param {number[]} open the slots to offer
   * @param {(string | null)[]} tableau
   * @param {(slot: number) => boolean} fits
   */
  show(open, tableau, fits) {
    const offered = new Set(open);
    this.#cells.forEach((each, index) => {
      if (each.slot !== null && !offered.has(each.slot)) {
        each.slot = null;
        this.#free.push(index);
      }
    });
    const placed = new Set(this.#cells.map(({ slot }) => slot));
    if (this.#free.length === CELLS) this.#free.sort((a, b) => a - b); // a new deal
    for (const slot of [...open].sort((a, b) => columnOf(a) - columnOf(b))) {
      const index = placed.has(slot) ? undefined : this.#free.shift();
      const cell = index === undefined ? undefined : this.#cells[index];
      if (cell !== undefined) cell.slot = slot;
    }
    for (const each of this.#cells) this.#draw(each, each.slot === null ? null : (tableau[each.slot] ?? null), fits);
  }

  /**
   * @param {{cell: HTMLButtonElement, slot: number | null, card: string | null}} each
   * @param {string | null} card
   * @param {(slot: number) => boolean} fits
   */
  #draw(each, card, fits) {
    const { cell, slot } = each;
    cell.classList.toggle("fits", slot !== null && fits(slot));
    if (slot === null) delete cell.dataset.slot;
    else cell.dataset.slot = String(slot);
    if (card === each.card) return;
    each.card = card;
    cell.replaceChildren();
    cell.dataset.suit = card === null ? "" : (card[1] ?? "");
    if (card === null) return;
    const rank = document.createElement("span");
    rank.textContent = rankText(card);
    cell.append(rank, suitElement(card));
  }

  /** The slot of the cell that an event hit. @param {EventTarget | null} target */
  slotAt(target) {
    const cell = target instanceof Element ? target.closest(".t-cell") : null;
    const slot = cell instanceof HTMLElement && this.element.contains(cell) ? cell.dataset.slot : undefined;
    return slot === undefined ? null : Number(slot);
  }

  /** @param {number} slot */
  refuse(slot) {
    const found = this.#cells.find((each) => each.slot === slot);
    if (found !== undefined) shake(found.cell);
  }
}
