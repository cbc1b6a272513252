/**
 * Standings in the page: rows keyed by attempt, text only (names are never markup), moves slide.
 * The words are those of templatetags/tripeaks.py.
 * @import {Counts, Line, Row, Standings} from "./types.js"
 */

import { timeText } from "../../games/js/clock.js";
import { LANGUAGE, figure, filled, gettext, ngettext } from "../../games/js/words.js";

const SLIDE = { duration: 200, easing: "ease-out" };
const SLIDE_EVERY = 1500; // in a burst rows are put in their places without a slide: it would never end
const FRESH = 2500;
const CELLS = ["rank", "name", "outcome", "score", "moves", "when"];
const hundredths = new Intl.NumberFormat(LANGUAGE, { minimumFractionDigits: 2 });

/** @param {Pick<Row, "outcome" | "cards_left">} row */
export function resultText(row) {
  if (row.outcome === "won") return gettext("Won");
  return filled(ngettext("%(count)s left", "%(count)s left", row.cards_left), { count: row.cards_left });
}

/** `timeText`, of quick bots with hundredths: `0.42 s`. @param {number} milliseconds */
export function duration(milliseconds) {
  if (milliseconds >= 10_000) return timeText(milliseconds);
  return filled(gettext("%(seconds)s s"), { seconds: hundredths.format(Math.floor(milliseconds / 10) / 100) });
}

/**
 * `29 Nov 2026` of an ISO instant in UTC.
 * @param {string} instant
 * @param {{format: string, months: string[]}} words Django's date letters j, d, n, m, M, Y, and the months' short names
 */
export function isoDay(instant, { format, months }) {
  const day = new Date(instant);
  const [date, month] = [day.getUTCDate(), day.getUTCMonth()];
  /** @type {Record<string, string | undefined>} */
  const parts = {
    j: String(date), d: String(date).padStart(2, "0"), Y: String(day.getUTCFullYear()),
    n: String(month + 1), m: String(month + 1).padStart(2, "0"), M: months[month],
  };
  return format.replace(/\\(.)|([a-zA-Z])/g, (_, plain, letter) => plain ?? parts[letter] ?? letter);
}

/** @param {Pick<Counts, "playing" | "finished">} counts */
export function countsText({ playing, finished }) {
  const parts = [
    filled(ngettext("%(count)s playing", "%(count)s playing", playing), { count: playing }),
    filled(ngettext("%(count)s finished", "%(count)s finished", finished), { count: finished }),
  ];
  return parts.join(" · ");
}

/** `1 player`, `1,204 players`: of a board without a clock. @param {Pick<Counts, "players">} counts */
export function playersText({ players }) {
  return filled(ngettext("%(count)s player", "%(count)s players", players), { count: players });
}

/**
 * One's own place in words; "" without one.
 * @param {number | null} rank
 * @param {boolean} provisional
 * @param {number} entries
 */
export function placeText(rank, provisional, entries) {
  if (rank === null) return "";
  if (provisional) return filled(gettext("You would be number %(rank)s."), { rank });
  return filled(gettext("You are number %(rank)s of %(entries)s."), { rank, entries });
}

/**
 * `5 h 12 min`; under an hour with seconds: `12 min 05 s`; then `5 s`.
 * @param {number} milliseconds
 */
export function remaining(milliseconds) {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  const minutes = Math.floor(seconds / 60);
  const two = (/** @type {number} */ value) => String(value).padStart(2, "0");
  if (minutes >= 60) return filled(gettext("%(hours)s h %(minutes)s min"), { hours: Math.floor(minutes / 60), minutes: two(minutes % 60) });
  if (minutes >= 1) return filled(gettext("%(minutes)s min %(seconds)s s"), { minutes: String(minutes), seconds: two(seconds % 60) });
  return filled(gettext("%(seconds)s s"), { seconds: String(seconds) });
}

/**
 * A line of the page: its element, where each cell's text goes, and the texts as they stand there.
 * @typedef {{element: HTMLTableRowElement, places: (Element | undefined)[], texts: string[]}} Drawn
 */

/** One `.live-board` of the page. */
export class BoardView {
  #root;
  #body;
  /** @type {Map<string, Drawn>} */ #shown = new Map();
  /** @type {Set<string>} */ #tail = new Set();
  #still = matchMedia("(prefers-reduced-motion: reduce)");
  #onScreen = true;
  #slidAt = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #fading;
  #day;
  #observer;

  /** @param {HTMLElement} root */
  constructor(root) {
    this.#root = root;
    this.#body = /** @type {HTMLTableSectionElement} */ (root.querySelector("[data-rows]"));
    this.#day = { format: root.dataset.dayFormat ?? "Y-m-d", months: (root.dataset.months ?? "").split("|") };
    for (const element of this.#body.rows) {
      const places = this.#placesOf(element);
      const texts = places.map((place) => (place?.textContent ?? "").trim());
      this.#shown.set(element.dataset.id ?? "", { element, places, texts });
      if (element.dataset.tail !== undefined) this.#tail.add(element.dataset.id ?? "");
    }
    this.#observer = new IntersectionObserver((entries) => {
      this.#onScreen = entries.at(-1)?.isIntersecting ?? false;
    });
    this.#observer.observe(this.#body.closest("table") ?? root);
    this.topic = { board: root.dataset.board ?? "", kind: root.dataset.kind ?? "", view: root.dataset.view ?? "" };
    /** How many rows from the top are shown, whoever looks. */
    this.top = Number(root.dataset.top) || Infinity;
    /** The version that the server wrote into the page. */
    this.version = Number(root.dataset.version);
    /** Whose own row is marked here; "" for nobody's. */
    this.player = root.dataset.player ?? "";
    /** How often it has been drawn since the page was read: the first time is no news. */
    this.drawn = 0;
  }

  /** One's own place as it stands there. */
  get place() {
    return this.#root.querySelector("[data-place]")?.textContent ?? "";
  }

  /** Whether its tab is the one in view. */
  get visible() {
    return this.#root.closest("[hidden]") === null;
  }

  /** Whether this element is inside. @param {EventTarget | null} target */
  holds(target) {
    return target instanceof Node && this.#root.contains(target);
  }

  stop() {
    this.#observer.disconnect();
    clearTimeout(this.#fading);
  }

  /**
   * Show these lines; returns the rows that are new here or have another result, in order.
   * @param {Standings} standings
   * @param {{head: Line[], tail: Line[] | null}} lines without a tail the one that is there stays
   * @param {string} place one's own place in words
   * @returns {Row[]}
   */
  show({ counts, entries }, { head, tail }, place) {
    this.drawn += 1;
    const heads = new Set(head.map(({ id }) => id));
    const kept = tail === null ? [...this.#tail].filter((id) => !heads.has(id)) : [];
    const lines = [...head, ...(tail ?? [])];
    const ids = [...lines.map(({ id }) => id), ...kept];
    const before = [...this.#shown.keys()];
    const moved = ids.length !== before.length || ids.some((id, index) => id !== before[index]);
    const tops = moved && this.#maySlide() ? this.#tops() : null;
    const first = before.length === 0;

    /** @type {Row[]} */ const changed = [];
    /** @type {Map<string, Drawn>} */ const shown = new Map();
    for (const line of lines) {
      const known = this.#shown.get(line.id);
      const entry = known ?? this.#make(line);
      if (this.#fill(entry, line) && line.row !== null) changed.push(line.row);
      shown.set(line.id, entry);
    }
    for (const id of kept) {
      const entry = this.#shown.get(id);
      if (entry !== undefined) shown.set(id, entry);
    }
    if (moved) this.#arrange(shown);
    this.#shown = shown;
    this.#tail = new Set(tail === null ? kept : tail.map(({ id }) => id));

    this.#text("[data-counts]", this.#root.dataset.date === "yes" ? playersText(counts) : countsText(counts));
    if (this.player !== "") this.#text("[data-place]", place, document); // also beside the button to play
    const empty = /** @type {HTMLElement | null} */ (this.#root.querySelector("[data-empty]"));
    if (empty !== null && empty.hidden !== ids.length > 0) empty.hidden = ids.length > 0;
    for (const count of document.querySelectorAll(`[data-tab="${this.topic.kind}"] [data-entries]`)) {
      if (count.textContent !== figure(entries)) count.textContent = figure(entries);
    }
    if (tops !== null) this.#slide(tops);
    if (!(first && lines.length > 1)) this.#freshen(changed);
    return changed;
  }

  /** The running time of one's own attempt. @param {string} text */
  tick(text) {
    const entry = this.#shown.get("playing");
    if (entry !== undefined) this.#write(entry, 5, text);
  }

  #maySlide() {
    if (!this.#onScreen || !this.visible || this.#still.matches) return false;
    if (document.documentElement.dataset.motion === "off") return false;
    const now = performance.now();
    if (now - this.#slidAt < SLIDE_EVERY) return false;
    this.#slidAt = now;
    return true;
  }

  #tops() {
    return new Map([...this.#shown].map(([id, { element }]) => [id, element.offsetTop]));
  }

  /** @param {Map<string, number>} before where each row was */
  #slide(before) {
    /** @type {[HTMLElement, number][]} */ const moves = [];
    for (const [id, { element }] of this.#shown) {
      const from = before.get(id);
      const by = from === undefined ? 0 : from - element.offsetTop;
      if (by !== 0) moves.push([element, by]);
    }
    for (const [element, by] of moves) element.animate([{ transform: `translateY(${by}px)` }, { transform: "none" }], SLIDE);
  }

  /** New rows stay marked for a moment. @param {Row[]} changed */
  #freshen(changed) {
    if (changed.length === 0) return;
    const fresh = new Set(changed.map(({ id }) => id));
    for (const [id, { element }] of this.#shown) {
      if (element.classList.contains("new") !== fresh.has(id)) element.classList.toggle("new", fresh.has(id));
    }
    clearTimeout(this.#fading);
    this.#fading = setTimeout(() => {
      for (const { element } of this.#shown.values()) element.classList.remove("new");
    }, FRESH);
  }

  /** Rows in their order, as few of them moved as it takes. @param {Map<string, Drawn>} shown */
  #arrange(shown) {
    const focused = document.activeElement;
    for (const [id, { element }] of this.#shown) if (!shown.has(id)) element.remove();
    let place = this.#body.firstElementChild;
    for (const { element } of shown.values()) {
      if (place !== null && element === place) {
        place = place.nextElementSibling;
      } else if (place !== null && element === place.nextElementSibling) { // the one before it has gone down: one move
        const gone = place;
        place = element.nextElementSibling;
        this.#body.append(gone);
        place ??= gone;
      } else {
        this.#body.insertBefore(element, place);
      }
    }
    if (focused instanceof HTMLElement && focused !== document.activeElement && this.#body.contains(focused)) {
      focused.focus({ preventScroll: true });
    }
  }

  /** The element of each cell that holds its text. @param {HTMLTableRowElement} element */
  #placesOf(element) {
    if (element.cells.length < CELLS.length) return [];
    return [...element.cells].map((cell) => cell.querySelector("bdi") ?? cell.querySelector(":scope > a") ?? cell);
  }

  /** @param {Line} line */
  #make(line) {
    const element = document.createElement("tr");
    element.dataset.id = line.id;
    if (line.id === "gap") {
      const cell = element.insertCell();
      cell.colSpan = CELLS.length;
      cell.textContent = "···";
      element.className = "gap";
      element.setAttribute("aria-hidden", "true");
      return { element, places: [], texts: [] };
    }
    for (const name of CELLS) {
      const cell = document.createElement(name === "name" ? "th" : "td");
      if (name === "name") cell.setAttribute("scope", "row");
      cell.className = name;
      element.append(cell);
    }
    const name = document.createElement("bdi");
    if (line.row === null || line.row.player.name === null) element.cells[1]?.append(name);
    else {
      const profile = document.createElement("a");
      profile.href = `/players/${encodeURIComponent(line.row.player.id)}`;
      profile.append(name);
      element.cells[1]?.append(profile);
    }
    if (line.row !== null && this.#root.dataset.replays === "yes") {
      const link = document.createElement("a");
      link.href = `/attempts/${encodeURIComponent(line.row.id)}`;
      element.cells[2]?.append(link);
    }
    return { element, places: this.#placesOf(element), texts: CELLS.map(() => "") };
  }

  /**
   * Write a line's cells; true when its result (not just its rank) is another than before.
   * @param {Drawn} entry
   * @param {Line} line
   */
  #fill(entry, { row, own }) {
    if (entry.places.length === 0) return false;
    this.#own(entry.element, own, row?.player.name ?? null);
    if (row === null) {
      ["–", gettext("You"), gettext("playing…"), "", ""].forEach((text, index) => this.#write(entry, index, text));
      return false;
    }
    const when = this.#root.dataset.date === "yes" ? isoDay(row.finished_at, this.#day) : duration(row.elapsed_ms);
    const name = row.player.name ?? gettext("You");
    const texts = [figure(row.rank), name, resultText(row), String(row.score), String(row.moves), when];
    const first = row.rank === 1;
    const rank = entry.element.cells[0];
    if (rank !== undefined && rank.classList.contains("top") !== first) rank.classList.toggle("top", first);
    let changed = false;
    texts.forEach((text, index) => {
      if (this.#write(entry, index, text) && index >= 2) changed = true;
    });
    return changed;
  }

  /** One's own row says so, in more than colour. @param {HTMLTableRowElement} element @param {boolean} own @param {string | null} name */
  #own(element, own, name) {
    if (element.classList.contains("mine") !== own) element.classList.toggle("mine", own);
    const cell = element.cells[1];
    const tag = cell?.querySelector(".you") ?? null;
    if (own && name !== null && tag === null) {
      const you = document.createElement("span");
      you.className = "you";
      you.textContent = gettext("you");
      cell?.append(" ", you);
    } else if (tag !== null && !(own && name !== null)) {
      tag.remove();
    }
  }

  /** @param {Drawn} entry @param {number} index @param {string} text */
  #write({ places, texts }, index, text) {
    const place = places[index];
    if (place === undefined || texts[index] === text) return false;
    place.textContent = text;
    texts[index] = text;
    return true;
  }

  /** @param {string} selector @param {string} text @param {ParentNode} [root] */
  #text(selector, text, root = this.#root) {
    for (const place of root.querySelectorAll(selector)) if (place.textContent !== text) place.textContent = text;
  }
}
