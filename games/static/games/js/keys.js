/**
 * Playing by keyboard: arrows move as the eye sees it (never mirrored), letters stand for buttons, `?` lists them all.
 */

import { gettext, pgettext } from "./words.js";

/** @typedef {{key: string, words: string}} Key */

/** @type {Record<string, [number, number]>} */
const DIRECTIONS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/**
 * The next target in a direction: to the side the next of the same row, where there is one; else the nearest.
 * @param {HTMLElement[]} targets
 * @param {HTMLElement} from
 * @param {[number, number]} direction
 */
function nextTowards(targets, from, [dx, dy]) {
  const middle = (/** @type {HTMLElement} */ element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    return { x: left + width / 2, y: top + height / 2 };
  };
  const here = middle(from);
  const sameRow = from.getBoundingClientRect().height / 4;
  /** @type {HTMLElement | null} */
  let best = null;
  let least = Infinity;
  for (const target of targets) {
    const { x, y } = middle(target);
    const ahead = (x - here.x) * dx + (y - here.y) * dy;
    if (target === from || ahead < 2) continue;
    const aside = Math.abs(dx === 0 ? x - here.x : y - here.y);
    const cost = Math.round(ahead + aside) + (dx !== 0 && aside > sameRow ? 100_000 : 0);
    if (cost < least) [best, least] = [target, cost];
  }
  return best;
}

/**
 * Arrow keys between the targets; held keys play one card, not a row of them.
 * @param {HTMLElement} root
 * @param {() => HTMLElement[]} targets what can be reached now
 */
export function arrowKeys(root, targets) {
  root.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (event.repeat && (event.key === "Enter" || event.key === " ")) event.preventDefault();
    const direction = DIRECTIONS[event.key];
    const from = event.target;
    const all = targets();
    if (direction === undefined || !(from instanceof HTMLElement) || !all.includes(from)) return;
    event.preventDefault();
    nextTowards(all, from, direction)?.focus({ preventScroll: true });
  });
}

/** A letter is a letter on every keyboard: by its place where the layout has other letters. @param {KeyboardEvent} event */
function letterOf(event) {
  const key = event.key.toLowerCase();
  if (event.key in DIRECTIONS) return event.target === document.body ? "arrow" : "";
  if (/^[a-z?]$/.test(key)) return key;
  return /^Key[A-Z]$/.test(event.code) && key.length === 1 ? event.code.slice(3).toLowerCase() : "";
}

/** Whether the visitor wants letters to play; speech input, for one, types whole words of them. */
const lettersPlay = () => document.documentElement.dataset.keys !== "off";

/** Whether somebody writes, or answers a dialog. @param {EventTarget | null} target */
function elsewhere(target) {
  if (document.querySelector("dialog[open]") !== null) return true;
  return target instanceof Element && target.closest("input, textarea, select, [contenteditable]:not([contenteditable=false])") !== null;
}

/**
 * Letters anywhere on the page.
 * @param {Record<string, () => void>} doing by letter; `arrow`: an arrow key while nothing has the focus
 * @returns {() => void} ends it
 */
export function letterKeys(doing) {
  /** @param {KeyboardEvent} event */
  const listen = (event) => {
    if (event.defaultPrevented || event.repeat || event.ctrlKey || event.metaKey || event.altKey || elsewhere(event.target)) return;
    const key = letterOf(event);
    const act = doing[key];
    if (act === undefined || (key !== "arrow" && !lettersPlay())) return;
    event.preventDefault();
    act();
  };
  document.addEventListener("keydown", listen);
  return () => document.removeEventListener("keydown", listen);
}

/** The keys there are. @param {{undo: boolean, hint: boolean}} has @returns {Key[]} */
export function keyList(has) {
  const letters = [
    { key: "D", words: gettext("Draw") },
    ...(has.undo ? [{ key: "U", words: gettext("Undo") }] : []),
    ...(has.hint ? [{ key: "H", words: gettext("Hint") }] : []),
    { key: "?", words: gettext("This list") },
  ];
  return [
    { key: "← ↑ → ↓", words: gettext("From card to card, and down to the stock and the buttons") },
    { key: pgettext("key", "Tab"), words: gettext("To the next open card") },
    { key: pgettext("key", "Enter"), words: gettext("Play the card") },
    ...(lettersPlay() ? letters : []),
  ];
}

/**
 * The list of keys; the focus goes back to where it was, unless it has gone on by then: the event of the closing comes
 * after it, and so perhaps after the next key.
 * @param {Key[]} keys
 */
export function keysDialog(keys) {
  const held = document.activeElement;
  const dialog = document.createElement("dialog");
  dialog.className = "t-keys";
  const title = document.createElement("h2");
  title.id = "t-keys-title";
  title.textContent = gettext("Keys");
  dialog.setAttribute("aria-labelledby", title.id);
  const list = document.createElement("dl");
  for (const { key, words } of keys) {
    const row = document.createElement("div");
    const term = document.createElement("dt");
    const shown = document.createElement("kbd");
    shown.textContent = key;
    shown.dir = "ltr";
    term.append(shown);
    const what = document.createElement("dd");
    what.textContent = words;
    row.append(term, what);
    list.append(row);
  }
  const form = document.createElement("form");
  form.method = "dialog";
  const done = document.createElement("button");
  done.className = "button";
  done.textContent = gettext("Close");
  form.append(done);
  dialog.append(title, list, form);
  dialog.addEventListener("close", () => {
    dialog.remove();
    const lost = document.activeElement === null || document.activeElement === document.body;
    if (lost && held instanceof HTMLElement && held.isConnected) held.focus({ preventScroll: true });
  });
  document.body.append(dialog);
  dialog.showModal();
}
