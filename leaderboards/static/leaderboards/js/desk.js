/**
 * The moderators' desk: stepping through a replay without a new page for each ply, and one answer to two clicks.
 * Without it everything works by links and forms.
 *
 * @typedef {{tableau: (string|null)[], open: number[], waste: string|null, stock: number, before: number[],
 *   fits: number[], slot: number|null, draws: boolean, said: string, marks: string[]}} Step
 * @typedef {{deal: string[], stock: string[], steps: Step[]}} Replay
 */

/** @template {Element} T @param {ParentNode} root @param {string} selector @returns {T} */
const part = (root, selector) => /** @type {T} */ (root.querySelector(selector));

/** @param {Step} step @param {number} slot @returns {string} */
function stateOf(step, slot) {
  const card = step.tableau[slot] ?? null;
  if (card === null) return "gone";
  if (card === "??") return "under";
  if (slot === step.slot) return "open chosen";
  if (step.fits.includes(slot)) return "open fits";
  return step.open.includes(slot) ? "open" : "under";
}

/** @param {Element | null} use @param {string} card @param {string} state */
function lay(use, card, state) {
  use?.setAttribute("href", `#card-${card}`);
  use?.setAttribute("class", `slot ${state}`);
}

class Desk {
  #root;
  /** @type {Replay} */ #replay;
  #ply = 1;

  /** @param {HTMLElement} root @param {Replay} replay @param {number} ply */
  constructor(root, replay, ply) {
    this.#root = root;
    this.#replay = replay;
    for (const each of root.querySelectorAll("[data-scrubber], .desk-keys")) each.removeAttribute("hidden");
    if (replay.steps.some((step) => step.marks.length > 0)) part(root, '[data-step="marked"]').removeAttribute("hidden");
    this.#go(ply);
    document.addEventListener("click", (event) => this.#click(event));
    document.addEventListener("keydown", (event) => this.#key(event));
    const scrubber = this.#scrubber;
    scrubber.addEventListener("input", () => this.#go(Number(scrubber.value)));
    document.querySelector("[data-plot]")?.addEventListener("click", (event) => this.#plot(/** @type {MouseEvent} */ (event)));
  }

  /** @returns {HTMLInputElement} */
  get #scrubber() {
    return part(this.#root, "[data-scrubber]");
  }

  get #last() {
    return this.#replay.steps.length;
  }

  /** @param {string} act */
  #press(act) {
    const marked = this.#replay.steps.findIndex((step, at) => at >= this.#ply && step.marks.length > 0) + 1;
    const first = this.#replay.steps.findIndex((step) => step.marks.length > 0) + 1;
    const to = { first: 1, back: this.#ply - 1, forward: this.#ply + 1, last: this.#last, marked: marked || first || this.#ply }[act];
    if (to !== undefined) this.#go(to);
  }

  /** @param {MouseEvent} event */
  #click(event) {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (link === null || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const act = link.dataset.step;
    const ply = new URL(link.href).searchParams.get("ply");
    if (act === undefined && (ply === null || link.pathname !== location.pathname || link.hash !== "#replay")) return;
    event.preventDefault();
    if (act !== undefined) this.#press(act);
    else {
      this.#go(Number(ply));
      this.#root.scrollIntoView({ block: "nearest" });
    }
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.target instanceof Element && event.target.closest("input, textarea, select, [tabindex='0']")) return;
    const act = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last", m: "marked" }[event.key];
    if (act === undefined) return;
    event.preventDefault();
    this.#press(act);
  }

  /** @param {MouseEvent} event */
  #plot(event) {
    const plot = /** @type {SVGSVGElement} */ (event.currentTarget);
    const box = plot.getBoundingClientRect();
    this.#go(Math.ceil(((event.clientX - box.left) / box.width) * Number(plot.dataset.last)));
  }

  /** @param {number} wanted */
  #go(wanted) {
    const ply = Math.min(Math.max(wanted || 1, 1), this.#last);
    const step = this.#replay.steps[ply - 1];
    if (step === undefined) return;
    const moved = ply !== this.#ply;
    this.#ply = ply;
    this.#draw(step);
    part(this.#root, "[data-where]").textContent = String(ply);
    this.#scrubber.value = String(ply);
    this.#scrubber.setAttribute("aria-valuetext", `${ply}. ${step.said}`);
    const said = part(this.#root, "[data-said]");
    const marks = step.marks.map((mark) => {
      const told = document.createElement("span");
      told.className = "desk-mark";
      told.textContent = mark;
      return told;
    });
    said.replaceChildren(step.said, ...marks.flatMap((mark) => [" ", mark]));
    for (const [act, to] of /** @type {[string, number][]} */ ([["back", ply - 1], ["forward", ply + 1]])) {
      part(this.#root, `[data-step="${act}"]`).setAttribute("href", `?ply=${Math.min(Math.max(to, 1), this.#last)}#replay`);
    }
    this.#beside(ply);
    if (moved) history.replaceState(null, "", `?ply=${ply}${location.hash}`);
  }

  /** @param {Step} step */
  #draw(step) {
    for (const board of this.#root.querySelectorAll("[data-board]")) {
      const hidden = board.getAttribute("data-board") === "hidden";
      const piles = board.querySelector("[data-stock]") ?? part(board, "[data-waste]");
      const slots = [...board.querySelectorAll("[data-slot]")];
      slots.sort((a, b) => Number(a.getAttribute("data-slot")) - Number(b.getAttribute("data-slot")));
      for (const use of slots) {
        const slot = Number(use.getAttribute("data-slot"));
        const card = step.tableau[slot] ?? null;
        const down = hidden && card === "??";
        const state = down ? (step.before.includes(slot) ? "known" : "unseen") : stateOf(step, slot);
        lay(use, down ? (this.#replay.deal[slot] ?? "back") : card === null ? "gone" : card === "??" ? "back" : card, state);
        if (card === null) board.prepend(use); // gaps lie below what is left, and what is left in the order of the slots
        else piles.before(use);
      }
      lay(board.querySelector("[data-waste]"), step.waste ?? "gone", "open");
      lay(board.querySelector("[data-stock]"), step.stock > 0 ? "back" : "gone", step.draws ? "open chosen" : "open");
      const count = board.querySelector("[data-stock-count]");
      if (count !== null) count.textContent = String(step.stock);
      const drawn = this.#replay.stock.length - step.stock;
      for (const use of board.querySelectorAll("[data-place]")) {
        const place = Number(use.getAttribute("data-place"));
        use.setAttribute("class", place < drawn ? "drawn" : place === drawn ? "next" : "unseen");
      }
    }
  }

  /** The list of plies and the plot. @param {number} ply */
  #beside(ply) {
    const rows = document.querySelector("[data-plies]");
    rows?.querySelector(".here")?.classList.remove("here");
    const row = rows?.querySelector(`[data-ply="${ply}"]`);
    row?.classList.add("here");
    const box = rows?.parentElement;
    if (row instanceof HTMLElement && box) {
      const [top, bottom] = [row.offsetTop - 40, row.offsetTop + row.offsetHeight];
      if (top < box.scrollTop) box.scrollTop = top;
      else if (bottom > box.scrollTop + box.clientHeight) box.scrollTop = bottom - box.clientHeight;
    }
    const plot = document.querySelector("[data-plot]");
    const at = plot?.querySelector("[data-at]");
    if (plot instanceof SVGElement && at) {
      const last = Number(plot.dataset.last);
      const x = `${(100 * (ply - 0.5)) / last}%`;
      at.setAttribute("x1", x);
      at.setAttribute("x2", x);
      at.classList.toggle("set", ply <= last);
    }
  }
}

const [root, data] = [document.getElementById("replay"), document.getElementById("desk-steps")];
if (root !== null && data !== null) {
  const shown = Number(part(root, "[data-where]").textContent);
  new Desk(root, JSON.parse(data.textContent ?? ""), shown);
}

for (const form of document.querySelectorAll("form[data-once]")) {
  let sent = false;
  form.addEventListener("submit", (event) => {
    if (sent) event.preventDefault();
    sent = true;
  });
}
addEventListener("pageshow", (event) => {
  if (event.persisted && document.querySelector("form[data-once]") !== null) location.reload(); // back: ask anew
});
