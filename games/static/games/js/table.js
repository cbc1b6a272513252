/**
 * The table: figures, board, a line of words, stock and waste, buttons, and the tray. It draws what the server has said
 * and what is under way, and passes taps and keys on; it knows no rules of the game.
 *
 * What the page provides: `<div class="table"></div>` with a width and a height of its own (see css/table.css), and the
 * polite region `#announce`. `panel` is a place for words and buttons below the board (the end of a game), `cover` one
 * over the board (before the start); both are gone while empty. Letter keys work on the whole page until `close()`.
 *
 * @typedef {{
 *   tableau: (string|null)[], open: number[], waste: string|null, wasteCount: number, stock: number,
 *   pending: string[], legal: string[], score: number, moves: number, run: number, peaks: number, cardsLeft: number,
 *   outcome: string|null, closed: boolean, undoAllowed: boolean, ruleset: string,
 *   clock: {startedAt: string, finishedAt: string|null} | null,
 * }} Shown what is drawn: the confirmed position, and in `pending` the moves not yet answered, in order
 * @typedef {"undo" | "hint" | "resign" | "winnable"} Control
 * @typedef {{interactive: boolean, controls?: Control[], onMove?: (move: string) => void, onHint?: () => void,
 *   onResign?: () => void, onWinnable?: () => void}} Options
 */

import { announce } from "./announce.js";
import { Board } from "./board.js";
import { arrowKeys, keyList, keysDialog, letterKeys } from "./keys.js";
import { SLOTS, columnOf, rowOf, slotOf, underWay } from "./layout.js";
import { celebrate, shake } from "./motion.js";
import { Piles } from "./piles.js";
import { Stats } from "./stats.js";
import { Tray } from "./tray.js";
import { gettext } from "./words.js";

const ACROSS = 10.45; // cards in the width of the board; with 1.05 and 0.55 below the measures of css/table.css
const DOUBLE_TAP = 320; // the second tap of a double tap comes within this time,
const SAME_SPOT = 14; // and no farther off, in pixels

export class Table {
  /** @type {Shown | null} */ #shown = null;
  /** @type {ReturnType<typeof underWay> | null} */ #moving = null; // of what is shown
  /** @type {Map<string, HTMLButtonElement>} */ #controls = new Map();
  /** @type {{time: number, x: number, y: number, slot: number} | null} */ #tap = null;
  /** @type {HTMLElement | null} */ #aimed = null; // what we gave the focus to before the server had answered
  /** @type {number | null} */ #aimedFrom = null;
  /** @type {{board: DOMRect, waste: DOMRect, stock: DOMRect} | null} */ #places = null;
  #locked = false;
  #stats = new Stats();
  #tray = new Tray();
  #said = document.createElement("p");
  #layer = document.createElement("div");
  #panel = document.createElement("div");
  #cover = document.createElement("div");
  #flags = [0, 1, 2].map(() => document.createElement("i"));
  #felt = document.createElement("div");
  #watch = new ResizeObserver(() => (this.#places = null));
  #board;
  #piles;
  #options;
  #endKeys = () => {};

  /**
   * @param {HTMLElement} root empty; the page gives it its size
   * @param {Options} options
   */
  constructor(root, options) {
    this.#options = options;
    this.#board = new Board(options.interactive);
    this.#piles = new Piles(options.interactive);
    this.#felt.className = "t-felt";
    this.#said.className = "t-said";
    this.#layer.className = "t-layer";
    this.#layer.setAttribute("aria-hidden", "true");
    this.#panel.className = "t-panel";
    this.#cover.className = "t-cover";
    const place = document.createElement("div");
    place.className = "t-place";
    this.#flags.forEach((flag, peak) => {
      flag.className = "t-flag";
      flag.hidden = true;
      flag.style.setProperty("--x", String(columnOf(peak)));
    });
    this.#layer.append(...this.#flags);
    place.append(this.#board.element, this.#layer, this.#cover);
    const hand = document.createElement("div");
    hand.className = "t-hand";
    hand.append(this.#piles.element, this.#buttons());
    this.#felt.append(this.#stats.element, place, this.#said, hand, this.#panel);
    if (options.interactive) this.#felt.append(this.#tray.element);
    root.classList.toggle("playable", options.interactive);
    root.replaceChildren(this.#felt);
    for (const each of [root, this.#said, this.#board.element, this.#piles.waste]) this.#watch.observe(each);
    if (options.interactive) this.#listen();
  }

  #buttons() {
    const row = document.createElement("div");
    row.className = "t-controls";
    const { controls = [] } = this.#options;
    /** @type {[string, string, () => void][]} */
    const all = [
      ["undo", gettext("Undo"), () => this.#move("u")],
      ["hint", gettext("Hint"), () => this.#options.onHint?.()],
      ["resign", gettext("Resign"), () => this.#options.onResign?.()],
      ["keys", gettext("Keys"), () => this.#listKeys()],
      ["winnable", gettext("Winnable?"), () => this.#options.onWinnable?.()],
    ];
    for (const [name, words, act] of all) {
      if (!this.#options.interactive || (name !== "keys" && !controls.some((each) => each === name))) continue;
      const button = document.createElement("button");
      button.type = "button";
      button.className = `t-control t-${name}`;
      button.textContent = words;
      if (name === "winnable") button.title = gettext("Can this still be won?");
      button.addEventListener("click", () => {
        if (name === "keys" || !this.#locked) act();
      });
      row.append(button);
      this.#controls.set(name, button);
    }
    return row;
  }

  #listKeys() {
    keysDialog(keyList({ undo: this.#usable("undo"), hint: this.#usable("hint") }));
  }

  /** @param {string} name */
  #usable(name) {
    return this.#controls.get(name)?.hidden === false;
  }

  #listen() {
    this.#felt.addEventListener("click", (event) => {
      const slot = this.#board.slotAt(event.target) ?? this.#tray.slotAt(event.target);
      if (slot !== null) this.#tapped(slot, event);
      else if (event.target instanceof Node && this.#piles.stock.contains(event.target)) this.#move("d");
    });
    arrowKeys(this.#felt, () => this.#targets);
    const press = (/** @type {string} */ name) => {
      const button = this.#controls.get(name);
      if (button !== undefined && !button.hidden) button.click();
    };
    const enter = () => {
      if (document.activeElement === document.body) this.focusNext();
    };
    this.#endKeys = letterKeys({
      d: () => this.#move("d"),
      u: () => press("undo"),
      h: () => press("hint"),
      "?": () => this.#listKeys(),
      arrow: enter,
    });
  }

  /** What the arrow keys reach. @returns {HTMLElement[]} */
  get #targets() {
    const buttons = [...this.#controls.values()].filter((button) => button.offsetParent !== null);
    return [...this.#board.buttons, this.#piles.stock, ...buttons];
  }

  /** @param {number} slot @param {MouseEvent} event */
  #tapped(slot, event) {
    const { clientX: x, clientY: y, timeStamp: time, detail } = event;
    const last = this.#tap;
    const byHand = detail > 0; // not by a key
    const again = last !== null && time - last.time < DOUBLE_TAP && Math.hypot(x - last.x, y - last.y) < SAME_SPOT;
    if (byHand && again && last.slot !== slot) return; // meant for the card that has just gone from here
    if (byHand) this.#tap = { time, x, y, slot };
    this.#move(`t${slot}`);
  }

  /** @param {string} move */
  #move(move) {
    if (this.#locked || this.#shown === null) return;
    const slot = slotOf(move);
    if (slot !== null) {
      if (this.#moving?.gone.has(slot) || this.#moving?.asked.includes(slot)) return; // the second tap of a double tap
    }
    this.#board.hush();
    this.message("", false);
    this.#options.onMove?.(move);
  }

  /** @param {Shown} shown */
  show(shown) {
    const before = this.#shown;
    const moving = (this.#moving = underWay(shown));
    const help = document.documentElement.dataset.help !== "off" && this.#options.interactive;
    const held = this.#board.slotAt(document.activeElement);
    this.#shown = shown;
    const changes = this.#board.show(shown, moving, help);
    this.#piles.show(shown, moving, (slot) => this.#from(slot), changes.left);
    for (const slot of changes.back) {
      const from = this.#from(slot);
      if (from !== null) this.#board.return(slot, { x: -from.x, y: -from.y, scale: 1 / from.scale });
    }
    this.#stats.show(shown);
    if (this.#options.interactive) {
      this.#tray.show(this.#board.open, shown.tableau, (slot) => this.#board.fits(slot));
      this.#allow(shown, moving.undoing);
    }
    this.#celebrate(before, shown);
    this.#keepFocus(held, shown);
  }

  /** @param {Shown} shown @param {boolean} undoing */
  #allow(shown, undoing) {
    const undo = this.#controls.get("undo");
    if (undo === undefined) return;
    undo.hidden = !shown.undoAllowed;
    undo.setAttribute("aria-disabled", String(this.#locked || (shown.moves === 0 && shown.pending.length === 0)));
    if (undoing) undo.setAttribute("aria-busy", "true");
    else undo.removeAttribute("aria-busy");
  }

  /** Where a card comes from, as seen from the waste: its slot, or the stock. @param {number | null} slot */
  #from(slot) {
    this.#places ??= {
      board: this.#board.element.getBoundingClientRect(),
      waste: this.#piles.waste.getBoundingClientRect(),
      stock: this.#piles.stock.getBoundingClientRect(),
    };
    const { board, waste, stock } = this.#places;
    if (board.width === 0) return null;
    if (slot === null) return { x: stock.left - waste.left, y: stock.top - waste.top, scale: 1 };
    const { left, top } = this.#spot(slot, board);
    return {
      x: board.left + left - (waste.left + waste.width / 2),
      y: board.top + top - (waste.top + waste.height / 2),
      scale: board.width / ACROSS / waste.width,
    };
  }

  /** The middle of a slot on a board of this size. @param {number} slot @param {{width: number, height: number}} board */
  #spot(slot, board) {
    const card = board.width / ACROSS;
    return { left: (columnOf(slot) * 1.05 + 0.5) * card, top: (rowOf(slot) * 0.55 + 0.5) * 1.4 * card };
  }

  /** @param {Shown | null} before @param {Shown} shown */
  #celebrate(before, shown) {
    this.#flags.forEach((flag, peak) => {
      const cleared = shown.tableau[peak] === null && shown.tableau.length === SLOTS;
      if (cleared === !flag.hidden) return;
      flag.hidden = !cleared;
      if (!cleared || before === null || shown.outcome === "won" || shown.wasteCount - before.wasteCount > 1) return;
      const { left, top } = this.#spot(peak, this.#board.element.getBoundingClientRect());
      celebrate(this.#layer, "peak", { x: left, y: top });
    });
    if (!this.#options.interactive || before === null || before.outcome === "won" || shown.outcome !== "won") return;
    const { width, height } = this.#board.element.getBoundingClientRect();
    celebrate(this.#layer, "win", { x: width / 2, y: height * 0.45 });
  }

  /** The focus never falls to the body: when its card goes, the next one has it. @param {number | null} held @param {Shown} shown */
  #keepFocus(held, shown) {
    if (!this.#options.interactive) return;
    if (held !== null && this.#board.button(held).hidden) {
      this.focusNext(held);
      this.#aimedFrom = held;
      this.#aimed = document.activeElement instanceof HTMLElement ? document.activeElement : null;
    }
    if (this.#aimed === null || shown.pending.length > 0) return;
    const slot = this.#board.slotAt(this.#aimed);
    const stays = document.activeElement !== this.#aimed || (slot !== null && shown.legal.includes(`t${slot}`));
    if (!stays && this.#aimedFrom !== null) this.focusNext(this.#aimedFrom); // now the server has said what fits
    this.#aimed = null;
  }

  /**
   * The next playable card, else an open one, else the stock.
   * @param {number} [near] a slot
   * @param {HTMLElement} [fallback] instead of the stock
   */
  focusNext(near, fallback) {
    const column = columnOf(near ?? 22);
    const { open } = this.#board;
    const { legal = [], pending = [] } = this.#shown ?? {};
    const fitting = pending.length > 0 || this.#locked ? [] : open.filter((slot) => legal.includes(`t${slot}`));
    const [slot] = (fitting.length > 0 ? fitting : open).sort((a, b) => Math.abs(columnOf(a) - column) - Math.abs(columnOf(b) - column));
    const target = slot === undefined ? (fallback ?? this.#piles.stock) : this.#board.button(slot);
    target.focus({ preventScroll: true });
  }

  /** A move was refused: the card shakes, the words stand beside it and are said. @param {string} move @param {string} words */
  refuse(move, words) {
    const slot = slotOf(move);
    if (slot !== null && slot < SLOTS) {
      this.#board.refuse(slot, words);
      this.#tray.refuse(slot);
      announce(words);
      return;
    }
    if (move === "d") this.#piles.refuse();
    const undo = move === "u" ? this.#controls.get("undo") : undefined;
    if (undo !== undefined) shake(undo);
    if (words !== "") this.message(words);
  }

  /** A line under the board. @param {string} words @param {boolean} say also aloud */
  message(words, say = true) {
    if (this.#said.textContent !== words) this.#said.textContent = words;
    if (say) announce(words);
  }

  /** @param {string | null} move such as "t18" or "d"; null clears */
  hint(move) {
    this.#board.hint(move);
    this.#piles.stock.classList.toggle("hinted", move === "d");
  }

  /** @param {boolean} locked no more input: the cards can still be read */
  lock(locked) {
    this.#locked = locked;
    const going = [this.#controls.get("hint"), this.#controls.get("resign")];
    if (locked && going.some((button) => button === document.activeElement)) this.focusNext();
    this.#felt.classList.toggle("locked", locked);
    for (const button of [...this.#controls.values(), this.#piles.stock]) {
      if (button instanceof HTMLButtonElement && !button.classList.contains("t-keys")) button.setAttribute("aria-disabled", String(locked));
    }
    if (this.#shown !== null) this.#allow(this.#shown, false);
  }

  /** Show those of the buttons that are of use now. @param {Partial<Record<Control, boolean>>} useful */
  offer(useful) {
    for (const [name, shown] of Object.entries(useful)) {
      const button = this.#controls.get(name);
      if (button === undefined || button.hidden === !shown) continue;
      if (!shown && button === document.activeElement) this.focusNext();
      button.hidden = !shown;
    }
  }

  /** Below the board, for instance when a game has ended; not there while empty. */
  get panel() {
    return this.#panel;
  }

  /** Over the board, for instance before the start; not there while empty. */
  get cover() {
    return this.#cover;
  }

  /** The table leaves the page. */
  close() {
    this.#endKeys();
    this.#stats.close();
    this.#watch.disconnect();
  }
}
