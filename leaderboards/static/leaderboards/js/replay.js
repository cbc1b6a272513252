/**
 * The replay of an attempt: a player over the plies that the server has sent, in step with the move table and the chart.
 * However long the log, nothing is built per ply: one board, one slider, and the page of the move table in view.
 *
 * @import {Shown} from "../../games/js/table.js"
 * @typedef {{ply: number, move: string|null, score: number, moves: number, run: number, peaks: number, legal: string[],
 *   outcome: string|null, view: {tableau: (string|null)[], open: number[], waste: string|null, waste_count: number,
 *   stock: number}}} Ply
 * @typedef {Record<string, [kind: string, words: string, best: string]>} Marks
 */

import { announce, moveWords } from "../../games/js/announce.js";
import { api } from "../../games/js/api.js";
import { cardName } from "../../games/js/cards.js";
import { shareParts } from "../../games/js/share.js";
import { Table } from "../../games/js/table.js";
import { filled, gettext } from "../../games/js/words.js";

const BEAT = 900; // of auto-play at 1×, in milliseconds
const SETTLE = 250; // so long after the last step the address and the move table follow

/** @param {Ply} ply @param {string} ruleset @returns {Shown} */
function shownOf(ply, ruleset) {
  const { view } = ply;
  return {
    tableau: view.tableau,
    open: view.open,
    waste: view.waste,
    wasteCount: view.waste_count,
    stock: view.stock,
    pending: [],
    legal: ply.legal,
    score: ply.score,
    moves: ply.moves,
    run: ply.run,
    peaks: ply.peaks,
    cardsLeft: view.tableau.filter((card) => card !== null).length,
    outcome: ply.outcome,
    closed: true,
    undoAllowed: false,
    ruleset,
    clock: null,
  };
}

/** The ply that an address's `#ply-12` names. @param {string} hash */
function plyOf(hash) {
  const found = /^#ply-(\d{1,4})$/.exec(hash);
  return found === null ? null : Number(found[1]);
}

/** @template {Element} T @param {ParentNode} root @param {string} selector @returns {T} */
const part = (root, selector) => /** @type {T} */ (root.querySelector(selector));

class Replayer {
  /** @type {Ply[]} */ #plies = [];
  #ply = -1;
  #speed = 1;
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #beat;
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #settling;
  /** @type {HTMLElement | null} */ #box = null;
  #root;
  #table;
  /** @type {HTMLInputElement} */ #scrubber;
  /** @type {HTMLElement} */ #said;
  /** @type {HTMLElement} */ #where;
  /** @type {Marks} */ #marks;
  #ruleset;
  #last;
  #rows;

  /** @param {HTMLElement} root */
  constructor(root) {
    this.#root = root;
    this.#table = new Table(part(root, "[data-table]"), { interactive: false });
    this.#scrubber = part(root, "[data-scrubber]");
    this.#said = part(root, "[data-said]");
    this.#where = part(root, "[data-where]");
    this.#marks = JSON.parse(root.dataset.marks || "{}");
    this.#ruleset = root.dataset.ruleset ?? "";
    this.#last = Number(root.dataset.last);
    this.#rows = new MoveTable(Number(root.dataset.number), Number(root.dataset.pagePlies));
  }

  async begin() {
    const answer = await api("GET", `/attempts/${this.#root.dataset.attempt}/replay`);
    if (!answer.ok) {
      this.#offerAgain();
      return;
    }
    this.#plies = answer.data.plies;
    this.#listen();
    this.#takeChart();
    this.#root.classList.add("ready");
    const wanted = plyOf(location.hash);
    this.#go(wanted ?? 0, "quietly");
    if (wanted !== null) this.#root.scrollIntoView({ block: "nearest" });
  }

  #offerAgain() {
    const again = document.createElement("button");
    again.type = "button";
    again.className = "button quiet";
    again.textContent = gettext("Try again");
    again.addEventListener("click", () => void this.begin(), { once: true });
    this.#said.replaceChildren(gettext("The cards did not arrive."), " ", again);
  }

  #listen() {
    this.#root.addEventListener("click", (event) => {
      const button = event.target instanceof Element ? event.target.closest("button") : null;
      if (button?.dataset.go !== undefined) this.#press(button.dataset.go);
      if (button?.dataset.speed !== undefined) this.#setSpeed(Number(button.dataset.speed));
    });
    this.#scrubber.addEventListener("input", () => {
      this.#pause();
      this.#go(Number(this.#scrubber.value), "by slider");
    });
    this.#root.addEventListener("keydown", (event) => this.#key(event));
    document.addEventListener("click", (event) => {
      const link = event.target instanceof Element ? event.target.closest("a") : null;
      const ply = link === null ? null : plyOf(link.hash);
      if (link === null || ply === null || ply > this.#last || link.pathname !== location.pathname) return;
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      this.#pause();
      this.#go(ply, "by hand");
      this.#root.scrollIntoView({ block: "nearest" });
    });
    addEventListener("hashchange", () => {
      const ply = plyOf(location.hash);
      if (ply !== null) this.#go(ply, "by hand");
    });
  }

  /** @param {string} act */
  #press(act) {
    if (act === "play") {
      if (this.#beat === undefined) this.#play();
      else this.#pause();
      return;
    }
    this.#pause();
    const to = { first: 0, back: this.#ply - 1, forward: this.#ply + 1, last: this.#last }[act];
    if (to !== undefined) this.#go(to, "by hand");
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const onSlider = event.target === this.#scrubber; // which knows the arrows itself
    const act = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last" }[event.key];
    if (act !== undefined && !onSlider) this.#press(act);
    else if (event.key === " " && !(event.target instanceof HTMLButtonElement)) this.#press("play");
    else return;
    event.preventDefault();
  }

  #play() {
    if (this.#ply >= this.#last) this.#go(0, "quietly");
    this.#beat = setTimeout(() => this.#step(), BEAT / this.#speed);
    this.#showPlaying();
  }

  #step() {
    this.#go(this.#ply + 1, "quietly");
    if (this.#ply < this.#last) this.#beat = setTimeout(() => this.#step(), BEAT / this.#speed);
    else this.#pause();
  }

  #pause() {
    clearTimeout(this.#beat);
    this.#beat = undefined;
    this.#showPlaying();
  }

  #showPlaying() {
    /** @type {HTMLButtonElement} */
    const button = part(this.#root, '[data-go="play"]');
    const playing = this.#beat !== undefined;
    const words = (playing ? button.dataset.pause : button.dataset.play) ?? "";
    button.classList.toggle("playing", playing);
    button.title = words;
    button.setAttribute("aria-label", words);
  }

  /** @param {number} speed */
  #setSpeed(speed) {
    this.#speed = speed;
    for (const each of this.#root.querySelectorAll("[data-speed]")) {
      each.setAttribute("aria-pressed", String(each instanceof HTMLElement && Number(each.dataset.speed) === speed));
    }
  }

  /**
   * Show a ply. It is said aloud when stepped to by hand; a slider says its own value.
   * @param {number} wanted
   * @param {"by hand" | "by slider" | "quietly"} how
   */
  #go(wanted, how) {
    const at = Math.min(Math.max(wanted, 0), this.#last);
    const ply = this.#plies[at];
    if (ply === undefined || at === this.#ply) return;
    this.#ply = at;
    this.#table.show(shownOf(ply, this.#ruleset));
    const words = this.#words(at);
    this.#said.replaceChildren(words);
    const mark = this.#marks[at];
    if (mark !== undefined) {
      const told = document.createElement("span");
      told.className = `mark ${mark[0]}`;
      told.textContent = mark[1];
      this.#said.append(" ", told, mark[2] === "" ? "" : ` · ${filled(gettext("best now %(result)s"), { result: mark[2] })}`);
    }
    const all = this.#said.textContent ?? "";
    this.#scrubber.value = String(at);
    this.#scrubber.setAttribute("aria-valuetext", `${at} / ${this.#last}. ${all}`);
    this.#scrubber.style.setProperty("--done", `${this.#last === 0 ? 0 : (at * 100) / this.#last}%`);
    this.#where.textContent = String(at);
    this.#box?.style.setProperty("--at", `${this.#last === 0 ? 0 : (at * 100) / this.#last}%`);
    this.#ends(at);
    if (how === "by hand") announce(all);
    this.#rows.mark(at);
    clearTimeout(this.#settling);
    this.#settling = setTimeout(() => this.#settle(), SETTLE);
  }

  /** @param {number} at */
  #ends(at) {
    for (const [act, end] of /** @type {[string, boolean][]} */ ([["first", at === 0], ["back", at === 0], ["forward", at === this.#last], ["last", at === this.#last]])) {
      part(this.#root, `[data-go="${act}"]`).setAttribute("aria-disabled", String(end)); // disabled, it would lose the focus
    }
  }

  /** The sentences about a ply. @param {number} at */
  #words(at) {
    const [ply, before] = [this.#plies[at], this.#plies[at - 1]];
    if (ply === undefined) return "";
    if (before === undefined || ply.move === null) {
      const { waste } = ply.view;
      return waste === null ? gettext("The opening. The waste is empty.") : filled(gettext("The opening. Waste: %(card)s."), { card: cardName(waste) });
    }
    const said = moveWords(shownOf(before, this.#ruleset), shownOf(ply, this.#ruleset), ply.move);
    if (ply.outcome === "resigned") return `${said} ${gettext("Given up here.")}`;
    return ply.outcome === "expired" ? `${said} ${gettext("The time was up here.")}` : said;
  }

  #settle() {
    if (this.#beat !== undefined) return; // not at every beat
    if (this.#ply > 0 || plyOf(location.hash) !== null) {
      history.replaceState(history.state, "", `${location.pathname}${location.search}#ply-${this.#ply}`);
    }
    void this.#rows.bring(this.#ply);
  }

  /** The chart of the analysis, where it is shown, stands over the slider from now on: the same scale, and a marker. */
  #takeChart() {
    const chart = document.querySelector("[data-chart]");
    const box = /** @type {HTMLElement | null} */ (chart?.querySelector("[data-chart-box]") ?? null);
    if (this.#box !== null || chart === null || box === null) return;
    part(this.#root, "[data-timeline]").prepend(chart);
    const marker = document.createElement("span");
    marker.className = "marker";
    box.append(marker);
    this.#box = box;
    const jump = (/** @type {PointerEvent} */ event) => {
      const { left, width } = box.getBoundingClientRect();
      this.#pause();
      this.#go(Math.round(((event.clientX - left) / width) * this.#last), "quietly");
    };
    box.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      box.setPointerCapture(event.pointerId);
      jump(event);
    });
    box.addEventListener("pointermove", (event) => {
      if (box.hasPointerCapture(event.pointerId)) jump(event);
    });
  }
}

/** The page of the move table that is in view: its current row is marked, other pages are brought when needed. */
class MoveTable {
  /** @type {Element | null} */ #current = null;
  #asked = 0;
  #number;
  #size;

  /** @param {number} number the page that the server has written @param {number} size plies of a page */
  constructor(number, size) {
    this.#number = number;
    this.#size = size;
  }

  /** @param {number} ply */
  mark(ply) {
    this.#current?.classList.remove("current");
    this.#current?.removeAttribute("aria-current");
    const row = document.getElementById(`ply-${ply}`);
    this.#current = row;
    row?.classList.add("current");
    row?.setAttribute("aria-current", "step");
    const frame = row?.closest(".table-wrap");
    if (row && frame instanceof HTMLElement && frame.scrollHeight > frame.clientHeight + 1) {
      const [outer, inner] = [frame.getBoundingClientRect(), row.getBoundingClientRect()];
      const head = frame.querySelector("thead")?.clientHeight ?? 0;
      if (inner.top < outer.top + head) frame.scrollTop -= outer.top + head - inner.top;
      else if (inner.bottom > outer.bottom) frame.scrollTop += inner.bottom - outer.bottom;
    }
  }

  /** See that the page with this ply is the one in view. @param {number} ply */
  async bring(ply) {
    const number = Math.floor(ply / this.#size) + 1;
    if (number === this.#number) return;
    const asked = (this.#asked += 1);
    const query = new URLSearchParams(location.search);
    query.set("page", String(number));
    try {
      const answer = await fetch(`${location.pathname}?${query}`, { headers: { Accept: "text/html" } });
      if (!answer.ok || asked !== this.#asked) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      for (const place of ["[data-plies]", "[data-pages]"]) {
        const [fresh, here] = [page.querySelector(place), document.querySelector(place)];
        if (fresh !== null && here !== null) here.replaceWith(document.adoptNode(fresh));
      }
      this.#number = number;
      this.mark(ply);
    } catch {
      // the table stays where it is; the player needs nothing of it
    }
  }
}

const root = /** @type {HTMLElement | null} */ (document.querySelector(".replayer"));
if (root !== null) void new Replayer(root).begin();

const share = /** @type {HTMLElement | null} */ (document.querySelector("[data-share]"));
share?.append(...shareParts(share.dataset.share ?? "", location.origin + location.pathname));
