/**
 * One line of figures: score, moves, run, peaks, time. The time runs on the server's clock.
 *
 * @import {Shown} from "./table.js"
 */

import { serverNow, timeText } from "./clock.js";
import { pop } from "./motion.js";
import { LANGUAGE, figure, filled, gettext, pgettext } from "./words.js";

const CHANGE_SHOWN = 1_000;
const signed = new Intl.NumberFormat(LANGUAGE, { signDisplay: "always" });
const WITH_RUNS = new Set(["R", "RC", "T"]);

export class Stats {
  /** @type {Map<string, {box: HTMLElement, value: HTMLElement}>} */ #figures = new Map();
  #change = document.createElement("span");
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #changeTimer;
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #tick;
  /** @type {number | null} */ #score = null;
  /** @type {Shown["clock"]} */ #clock = null;

  constructor() {
    this.element = document.createElement("dl");
    this.element.className = "t-stats";
    for (const [name, label] of [
      ["score", gettext("score")],
      ["moves", pgettext("counter", "moves")],
      ["run", gettext("run")],
      ["peaks", gettext("peaks")],
      ["time", gettext("time")],
    ]) {
      const box = document.createElement("div");
      box.className = `t-${name}`;
      const term = document.createElement("dt");
      term.textContent = label ?? "";
      const value = document.createElement("dd");
      const figures = document.createElement("bdi");
      figures.dir = "ltr";
      value.append(figures);
      box.append(term, value);
      this.element.append(box);
      this.#figures.set(name ?? "", { box, value: figures });
    }
    this.#change.className = "t-change";
    this.#change.dir = "ltr";
    this.#change.hidden = true;
    this.#change.setAttribute("aria-hidden", "true");
    this.#figures.get("score")?.value.after(this.#change);
  }

  /** @param {Shown} shown */
  show(shown) {
    this.#write("score", figure(shown.score));
    this.#write("moves", figure(shown.moves));
    this.#write("run", figure(shown.run));
    this.#write("peaks", filled(pgettext("peaks cleared", "%(count)s / 3"), { count: shown.peaks }));
    this.#hide("run", !WITH_RUNS.has(shown.ruleset));
    this.#hide("time", shown.clock === null);
    const { clock } = shown;
    if (clock?.startedAt !== this.#clock?.startedAt) this.#change.hidden = true; // another game's score is no change
    else if (this.#score !== null && this.#score !== shown.score) this.#changed(shown.score - this.#score);
    this.#score = shown.score;
    if (clock?.startedAt === this.#clock?.startedAt && clock?.finishedAt === this.#clock?.finishedAt) return;
    this.#clock = clock;
    this.#time();
  }

  /** @param {string} name @param {string} text */
  #write(name, text) {
    const value = this.#figures.get(name)?.value;
    if (value !== undefined && value.textContent !== text) value.textContent = text;
  }

  /** @param {string} name @param {boolean} hidden */
  #hide(name, hidden) {
    const box = this.#figures.get(name)?.box;
    if (box !== undefined && box.hidden !== hidden) box.hidden = hidden;
  }

  /** @param {number} by */
  #changed(by) {
    this.#change.textContent = signed.format(by);
    this.#change.classList.toggle("less", by < 0);
    this.#change.hidden = false;
    pop(this.#change);
    clearTimeout(this.#changeTimer);
    this.#changeTimer = setTimeout(() => {
      this.#change.hidden = true;
    }, CHANGE_SHOWN);
  }

  #time() {
    clearTimeout(this.#tick);
    if (this.#clock === null) return;
    const { startedAt, finishedAt } = this.#clock;
    const passed = (finishedAt === null ? serverNow() : Date.parse(finishedAt)) - Date.parse(startedAt);
    this.#write("time", timeText(passed));
    if (finishedAt === null) this.#tick = setTimeout(() => this.#time(), 1_000 - (Math.max(0, passed) % 1_000));
  }

  /** No clock runs on. */
  close() {
    clearTimeout(this.#tick);
    clearTimeout(this.#changeTimer);
  }
}
