/**
 * Checks a seal in the browser: the SHA-256 of a game code against what was published before the day (R7.8).
 * Nothing is sent anywhere, and the answer is in words and a mark.
 */

import { filled, gettext, ngettext } from "../../games/js/words.js";

/** A code as it is hashed: without white space around it, ASCII letters large; nothing else is changed. @param {string} typed */
export const asHashed = (typed) => typed.trim().replace(/[a-z]/g, (letter) => letter.toUpperCase());

/** The seal somebody pasted: 64 hexadecimal digits, or null. @param {string} typed */
export function asSeal(typed) {
  const seal = typed.trim().toLowerCase();
  return /^[0-9a-f]{64}$/.test(seal) ? seal : null;
}

/** The SHA-256 of a text's UTF-8 bytes, in hexadecimal. @param {string} text */
export async function sha256(text) {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The same by hand; a text that a shell would read otherwise stands in quotes. @param {string} code */
export const command = (code) =>
  `printf %s ${/^[\w-]+$/.test(code) ? code : `'${code.replaceAll("'", "'\\''")}'`} | sha256sum`;

/**
 * What to tell: a mark and words.
 * @param {string} code
 * @param {string} typed
 * @returns {Promise<{state: "same" | "other" | "unclear", words: string, hash: string}>}
 */
export async function checked(code, typed) {
  if (code === "") return { state: "unclear", words: gettext("Type the game code first."), hash: "" };
  const seal = asSeal(typed);
  if (seal === null) {
    return { state: "unclear", words: gettext("A seal has 64 characters: digits and the letters a to f."), hash: "" };
  }
  const hash = await sha256(code);
  if (hash === seal) return { state: "same", words: gettext("They agree. This code was fixed when the seal was published."), hash };
  return { state: "other", words: gettext("They do not agree. This is not the code that was sealed."), hash };
}

/** @param {HTMLFormElement} form */
function begin(form) {
  const code = /** @type {HTMLInputElement} */ (form.elements.namedItem("code"));
  const seal = /** @type {HTMLTextAreaElement} */ (form.elements.namedItem("seal"));
  /** @param {string} name */
  const place = (name) => /** @type {HTMLElement} */ (form.querySelector(`[data-${name}]`));
  const away = globalThis.crypto?.subtle === undefined;
  const showCommand = () => {
    place("command").textContent = command(asHashed(code.value) || "CODE");
  };
  code.addEventListener("input", () => {
    showCommand();
    place("result").hidden = true;
  });
  seal.addEventListener("input", () => (place("result").hidden = true));
  showCommand();
  place("unscripted").hidden = true;
  place("away").hidden = !away;
  place("check").hidden = away;
  /** @type {HTMLButtonElement} */ (form.querySelector("[type=submit]")).disabled = away; // without this script Enter sends nothing
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (away) return;
    const hashed = asHashed(code.value);
    const { state, words, hash } = await checked(hashed, seal.value);
    const result = place("result");
    result.dataset.state = state;
    place("mark").textContent = { same: "✓", other: "✕", unclear: "?" }[state];
    place("words").textContent = words;
    place("hashed").textContent = hash === "" ? "" : filled(ngettext("Hashed text, %(count)s character:", "Hashed text, %(count)s characters:", hashed.length), { count: hashed.length });
    place("text").textContent = hash === "" ? "" : hashed;
    place("hash-title").textContent = hash === "" ? "" : gettext("Its SHA-256:");
    place("hash").textContent = hash;
    result.hidden = false;
  });
}

const form = globalThis.document?.querySelector("form[data-seal]");
if (form instanceof HTMLFormElement) begin(form);
