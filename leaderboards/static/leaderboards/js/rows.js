/**
 * Standings in the page: rows keyed by attempt, text only (names are never markup), moves slide.
 * The words are those of templatetags/tripeaks.py.
 * @import {Counts, Row, Standings} from "./types.js"
 */

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const SLIDE = { duration: 200, easing: "ease-out" };

/** @param {Row} row */
export function resultText(row) {
  return row.outcome === "won" ? "Won" : `${row.cards_left} left`;
}

/** Whole seconds: `1:12`, `1:02:03`; of quick bots also hundredths: `0.42 s`. @param {number} milliseconds */
export function duration(milliseconds) {
  if (milliseconds < 10_000) return `${Math.floor(milliseconds / 1000)}.${String(Math.floor((milliseconds % 1000) / 10)).padStart(2, "0")} s`;
  const seconds = Math.floor(milliseconds / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const tail = String(seconds % 60).padStart(2, "0");
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, "0")}:${tail}` : `${minutes}:${tail}`;
}

/** `29 Nov 2026` of an ISO instant in UTC. @param {string} instant */
export function isoDay(instant) {
  const day = new Date(instant);
  return `${day.getUTCDate()} ${MONTHS[day.getUTCMonth()]} ${day.getUTCFullYear()}`;
}

/** @param {Counts} counts */
export function countsText(counts) {
  const figure = new Intl.NumberFormat("en");
  return `${figure.format(counts.playing)} playing · ${figure.format(counts.finished)} finished`;
}

/** `1 player`, `1,204 players`: of a board without a clock. @param {Counts} counts */
export function playersText(counts) {
  return counts.players === 1 ? "1 player" : `${new Intl.NumberFormat("en").format(counts.players)} players`;
}

/** One `.live-board` of the page. */
export class BoardView {
  #root;
  #body;
  /** @type {Map<string, HTMLTableRowElement>} */ #shown = new Map();
  #still = matchMedia("(prefers-reduced-motion: reduce)");

  /** @param {HTMLElement} root */
  constructor(root) {
    this.#root = root;
    this.#body = /** @type {HTMLTableSectionElement} */ (root.querySelector("[data-rows]"));
    for (const row of this.#body.rows) this.#shown.set(row.dataset.id ?? "", row);
    this.topic = { board: root.dataset.board ?? "", kind: root.dataset.kind ?? "", view: root.dataset.view ?? "" };
  }

  /**
   * Show these standings; returns the rows that are new here or have another result, in order.
   * @param {Standings} standings
   * @returns {Row[]}
   */
  show({ rows, counts, entries }) {
    const before = new Map([...this.#shown].map(([id, row]) => [id, row.getBoundingClientRect().top]));
    const first = this.#shown.size === 0;
    /** @type {Row[]} */ const changed = [];
    /** @type {Map<string, HTMLTableRowElement>} */ const shown = new Map();
    for (const row of rows) {
      const kept = this.#shown.get(row.id);
      const element = kept ?? document.createElement("tr");
      if (this.#fill(element, row) || kept === undefined) changed.push(row);
      shown.set(row.id, element);
    }
    for (const [id, element] of this.#shown) if (!shown.has(id)) element.remove();
    let place = this.#body.firstElementChild;
    for (const element of shown.values()) {
      if (element === place) place = place.nextElementSibling;
      else this.#body.insertBefore(element, place);
    }
    this.#shown = shown;
    this.#text("[data-counts]", this.#root.dataset.date === "yes" ? playersText(counts) : countsText(counts));
    const empty = /** @type {HTMLElement | null} */ (this.#root.querySelector("[data-empty]"));
    if (empty !== null) empty.hidden = rows.length > 0;
    for (const count of document.querySelectorAll(`[data-tab="${this.topic.kind}"] [data-entries]`)) {
      count.textContent = new Intl.NumberFormat("en").format(entries);
    }
    this.#slide(before);
    const fresh = new Set(changed.map((row) => row.id));
    for (const [id, element] of shown) element.classList.toggle("new", fresh.has(id) && !(first && rows.length > 1));
    return changed;
  }

  /** Whether its tab is the one in view. */
  get visible() {
    return this.#root.offsetParent !== null;
  }

  /** @param {Map<string, number>} before where each row was */
  #slide(before) {
    if (this.#still.matches || !this.visible) return;
    for (const [id, element] of this.#shown) {
      const from = before.get(id);
      const by = from === undefined ? 0 : from - element.getBoundingClientRect().top;
      if (by !== 0) element.animate([{ transform: `translateY(${by}px)` }, { transform: "none" }], SLIDE);
    }
  }

  /**
   * Write a row's cells; true when its result (not just its rank) is another than before.
   * @param {HTMLTableRowElement} element
   * @param {Row} row
   */
  #fill(element, row) {
    if (element.cells.length === 0) {
      element.dataset.id = row.id;
      for (const name of ["rank", "name", "outcome", "score", "moves", "when"]) {
        const cell = document.createElement(name === "name" ? "th" : "td");
        if (name === "name") cell.setAttribute("scope", "row");
        cell.className = name;
        element.append(cell);
      }
      element.cells[1]?.append(document.createElement("bdi"));
      if (this.#root.dataset.replays === "yes") {
        const link = document.createElement("a");
        link.href = `/attempts/${encodeURIComponent(row.id)}`;
        element.cells[2]?.append(link);
      }
    }
    const when = this.#root.dataset.date === "yes" ? isoDay(row.finished_at) : duration(row.elapsed_ms);
    const texts = [String(row.rank), row.player.name, resultText(row), String(row.score), String(row.moves), when];
    element.cells[0]?.classList.toggle("top", row.rank === 1);
    let changed = false;
    texts.forEach((text, index) => {
      const cell = element.cells[index];
      const place = cell?.firstElementChild ?? cell;
      if (place && (place.textContent ?? "").trim() !== text) {
        place.textContent = text;
        changed ||= index >= 2;
      }
    });
    return changed;
  }

  /**
   * @param {string} selector
   * @param {string} text
   */
  #text(selector, text) {
    const place = this.#root.querySelector(selector);
    if (place !== null && place.textContent !== text) place.textContent = text;
  }
}
