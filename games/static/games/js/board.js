/**
 * The 28 slots. Buttons in reading order where one can play, pictures with a name where one can only look.
 *
 * @import {Shown} from "./table.js"
 * @typedef {{left: number[], back: number[]}} Changes slots whose card went, came back
 */

import { FACE_DOWN, backElement, cardName, sideElement } from "./cards.js";
import { SLOTS, columnOf, coveredBy, placeOf, rowOf } from "./layout.js";
import { fly, flip, shake } from "./motion.js";
import { filled, gettext, ngettext } from "./words.js";

/** @typedef {{button: HTMLElement, card: string | null, open: boolean, fits: boolean, asked: boolean, over: number}} Slot */

export class Board {
  /** @type {Slot[]} */ #slots = [];
  /** @type {string | null} */ #hinted = null;
  #ring = document.createElement("div");
  #why = document.createElement("p");
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #whyTimer;
  #drawn = false;
  #interactive;

  /** @param {boolean} interactive */
  constructor(interactive) {
    this.#interactive = interactive;
    this.element = document.createElement("div");
    this.element.className = "t-board";
    this.element.dir = "ltr"; // the peaks are never mirrored
    this.element.setAttribute("role", "group");
    this.element.setAttribute("aria-label", gettext("Tableau"));
    for (let slot = 0; slot < SLOTS; slot += 1) this.#slots.push(this.#made(slot));
    this.#ring.className = "t-ring";
    this.#why.className = "t-why";
    this.#why.hidden = true;
    this.#why.dir = document.documentElement.dir || "ltr";
    this.element.append(...this.#slots.map(({ button }) => button), this.#ring, this.#why);
    this.element.addEventListener("focusin", ({ target }) => {
      const slot = this.slotAt(target);
      if (slot !== null) this.#place(this.#ring, slot);
    });
  }

  /** @param {number} slot @returns {Slot} */
  #made(slot) {
    const button = document.createElement(this.#interactive ? "button" : "span");
    if (button instanceof HTMLButtonElement) {
      button.type = "button";
      button.tabIndex = -1;
    } else button.setAttribute("role", "img");
    button.className = "t-slot";
    button.dataset.slot = String(slot);
    button.hidden = true;
    this.#place(button, slot);
    return { button, card: null, open: false, fits: false, asked: false, over: 0 };
  }

  /** @param {HTMLElement} element @param {number} slot */
  #place(element, slot) {
    element.style.setProperty("--x", String(columnOf(slot)));
    element.style.setProperty("--y", String(rowOf(slot)));
  }

  /** The slot that an event hit, null beside them. @param {EventTarget | null} target */
  slotAt(target) {
    const button = target instanceof Element ? target.closest(".t-slot") : null;
    return button instanceof HTMLElement && this.element.contains(button) ? Number(button.dataset.slot) : null;
  }

  /** @param {number} slot */
  button(slot) {
    return this.#of(slot).button;
  }

  /** @param {number} slot @returns {Slot} */
  #of(slot) {
    const found = this.#slots[slot];
    if (found === undefined) throw new RangeError(`There is no slot ${slot}.`);
    return found;
  }

  /** The buttons of the cards still there. */
  get buttons() {
    return this.#slots.filter(({ card }) => card !== null).map(({ button }) => button);
  }

  /** The slots with a card that nothing lies on, by the server. */
  get open() {
    return this.#slots.flatMap(({ card, open }, slot) => (card !== null && open ? [slot] : []));
  }

  /** Whether its card is marked as one that fits. @param {number} slot */
  fits(slot) {
    return this.#of(slot).fits;
  }

  /**
   * @param {Shown} shown
   * @param {{gone: Set<number>, asked: number[]}} moving
   * @param {boolean} help cards that fit are marked
   * @returns {Changes}
   */
  show(shown, { gone, asked }, help) {
    /** @type {Changes} */
    const changes = { left: [], back: [] };
    const legal = new Set(shown.pending.length === 0 ? shown.legal : []); // of the position before the moves under way
    this.#slots.forEach((slot, index) => {
      const card = gone.has(index) ? null : (shown.tableau[index] ?? null);
      const open = card !== null && shown.open.includes(index);
      const over = card === null ? 0 : coveredBy(index).filter((each) => shown.tableau[each] !== null).length;
      const fits = open && help && legal.has(`t${index}`);
      const waits = asked.includes(index);
      if (card !== slot.card) this.#turn(slot, index, card, changes);
      else if (open === slot.open && fits === slot.fits && waits === slot.asked && over === slot.over) return;
      Object.assign(slot, { open, fits, asked: waits, over });
      if (card !== null) this.#mark(slot, index, card);
    });
    this.#drawn = true;
    return changes;
  }

  /**
   * @param {Slot} slot
   * @param {number} index
   * @param {string | null} card
   * @param {Changes} changes
   */
  #turn(slot, index, card, changes) {
    const before = slot.card;
    slot.card = card;
    slot.button.hidden = card === null;
    if (card === null) {
      changes.left.push(index);
      return;
    }
    const side = sideElement(card);
    slot.button.replaceChildren(side);
    if (!this.#drawn) return;
    if (before === null) changes.back.push(index);
    else if (before === FACE_DOWN) flip(side, backElement());
  }

  /**
   * @param {Slot} slot
   * @param {number} index
   * @param {string} card
   */
  #mark({ button, open, fits, asked, over }, index, card) {
    button.className = `t-slot${open ? " open" : ""}${fits ? " fits" : ""}${asked ? " asked" : ""}${card === FACE_DOWN ? " down" : ""}`;
    if (this.#hinted === `t${index}`) button.classList.add("hinted");
    if (this.#interactive) button.tabIndex = open && card !== FACE_DOWN ? 0 : -1;
    if (asked) button.setAttribute("aria-busy", "true");
    else button.removeAttribute("aria-busy");
    const values = { card: cardName(card), row: rowOf(index) + 1, place: placeOf(index) + 1, count: over };
    let label;
    if (card === FACE_DOWN && over === 0) label = gettext("%(card)s, row %(row)s, card %(place)s"); // nothing is dealt yet
    else if (fits) label = gettext("%(card)s, row %(row)s, card %(place)s, can be played");
    else if (open || over === 0) label = gettext("%(card)s, row %(row)s, card %(place)s, open");
    else {
      label = ngettext(
        "%(card)s, row %(row)s, card %(place)s, covered by %(count)s card",
        "%(card)s, row %(row)s, card %(place)s, covered by %(count)s cards",
        over,
      );
    }
    button.setAttribute("aria-label", filled(label, values));
  }

  /** @param {string | null} move */
  hint(move) {
    this.#hinted = move;
    this.#slots.forEach(({ button }, slot) => button.classList.toggle("hinted", move === `t${slot}`));
  }

  /**
   * The card stays: it shakes, and says why beside it.
   * @param {number} slot
   * @param {string} words
   */
  refuse(slot, words) {
    shake(this.#of(slot).button);
    this.hush();
    if (words === "") return;
    this.#why.textContent = words;
    this.#why.hidden = false;
    const column = columnOf(slot);
    this.#why.dataset.side = column < 3 ? "left" : column > 6 ? "right" : "middle";
    this.#why.dataset.below = String(rowOf(slot) === 3 || rowOf(slot) === 0);
    this.#place(this.#why, slot);
    this.#whyTimer = setTimeout(() => this.hush(), 4_000);
  }

  /** The words beside a card go. */
  hush() {
    clearTimeout(this.#whyTimer);
    this.#why.hidden = true;
  }

  /**
   * A card comes back to its slot.
   * @param {number} slot
   * @param {{x: number, y: number, scale: number}} from
   */
  return(slot, from) {
    fly(this.button(slot), from);
  }
}
