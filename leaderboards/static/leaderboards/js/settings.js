/** The entry of /settings: a change shows at once and is kept at once; without this the form is sent by its button. */

import { gettext } from "../../games/js/words.js";

const form = /** @type {HTMLFormElement} */ (document.getElementById("settings"));
const status = /** @type {HTMLElement} */ (document.getElementById("kept"));
const button = /** @type {HTMLElement} */ (form.querySelector("button"));
let sending = false;
let changed = false;
/** @type {ReturnType<typeof setTimeout> | undefined} */ let fading;

/** Send what is chosen; once more when something else was chosen meanwhile, so that the last choice stays. */
async function keep() {
  changed = true;
  if (sending) return;
  sending = true;
  let kept = false;
  while (changed) {
    changed = false;
    const body = new URLSearchParams(/** @type {[string, string][]} */ ([...new FormData(form)]));
    const options = { method: "POST", body, redirect: /** @type {const} */ ("manual"), signal: AbortSignal.timeout(10_000) };
    const answer = await fetch(form.action, options).catch(() => null);
    kept = answer?.type === "opaqueredirect"; // the 303 that says it is done
  }
  sending = false;
  button.hidden = kept;
  status.textContent = kept ? gettext("Kept.") : gettext("Not kept: no answer from the server.");
  clearTimeout(fading);
  if (kept) fading = setTimeout(() => (status.textContent = ""), 2500);
}

/** @param {string} theme */
function scheme(theme) {
  const meta = document.querySelector('meta[name="color-scheme"]');
  meta?.setAttribute("content", theme === "system" ? "light dark" : theme);
}

form.addEventListener("change", (event) => {
  const { name, value } = /** @type {HTMLInputElement} */ (event.target);
  document.documentElement.dataset[name] = value;
  if (name === "theme") scheme(value);
  status.textContent = "";
  void keep();
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  void keep();
});
button.hidden = true;
