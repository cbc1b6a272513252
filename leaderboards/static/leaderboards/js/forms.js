/**
 * Forms that speak to the API: once at a time, refusals beside the field they are about, focus moved there.
 * @import {Answer, Refusal} from "../../games/js/api.js"
 *
 * @typedef {HTMLInputElement | HTMLTextAreaElement} Field
 * @typedef {{words: string, fields?: string[]}} Said what to say of a refusal, and the fields it may belong beside
 * @typedef {{
 *   check?: (values: FormData) => Said | null,
 *   send: (values: FormData, form: HTMLFormElement) => Promise<Answer>,
 *   done: (data: any, form: HTMLFormElement) => unknown,
 * }} Act `check`: what can be said without asking; `done` returns true where the page is about to go away
 */

import { gettext } from "../../games/js/words.js";

/** Open what had to wait for the script. @param {ParentNode} root */
export function wake(root) {
  for (const button of root.querySelectorAll("[data-waits]")) button.removeAttribute("disabled");
}

/**
 * Listen to all forms with `data-act`, also to those that come later.
 * @param {Record<string, Act>} acts
 * @param {(error: Refusal) => Said} say
 */
export function listen(acts, say) {
  document.addEventListener("submit", (event) => {
    const form = /** @type {HTMLFormElement} */ (event.target);
    const act = acts[form.dataset.act ?? ""];
    if (act === undefined) return;
    event.preventDefault();
    if (form.getAttribute("aria-busy") !== "true") void run(form, act, say);
  });
  document.addEventListener("input", (event) => {
    if (isField(event.target)) problem(event.target, "");
  });
}

/** @param {HTMLFormElement} form @param {Act} act @param {(error: Refusal) => Said} say */
async function run(form, act, say) {
  clear(form);
  const empty = fields(form).filter((field) => field.required && field.value === "");
  for (const field of empty) problem(field, gettext("Please fill this in."));
  if (empty[0] !== undefined) {
    empty[0].focus();
    return;
  }
  const values = new FormData(form);
  const noticed = act.check?.(values);
  if (noticed) {
    show(form, noticed);
    return;
  }
  busy(form, true);
  const answer = await act.send(values, form);
  if (answer.ok) {
    if ((await act.done(answer.data, form)) !== true) busy(form, false);
    return;
  }
  busy(form, false);
  show(form, say(answer.error));
}

/** Beside the field where there is one, at the end of the form else. @param {HTMLFormElement} form @param {Said} said */
export function show(form, said) {
  const field = said.fields?.map((name) => form.elements.namedItem(name)).find(isField);
  if (isField(field)) {
    problem(field, said.words);
    field.focus();
    return;
  }
  const place = /** @type {HTMLElement | null} */ (form.querySelector("[data-problem]"));
  if (place === null) return;
  place.textContent = said.words;
  place.hidden = false;
  place.focus();
}

/** What is wrong with a field; empty: nothing. @param {Field} field @param {string} words */
export function problem(field, words) {
  const place = document.getElementById(`${field.id}-problem`);
  if (place === null) return;
  place.textContent = words;
  place.hidden = words === "";
  if (words === "") field.removeAttribute("aria-invalid");
  else field.setAttribute("aria-invalid", "true");
}

/** @param {HTMLFormElement} form */
function clear(form) {
  for (const field of fields(form)) problem(field, "");
  const place = /** @type {HTMLElement | null} */ (form.querySelector("[data-problem]"));
  if (place !== null) place.hidden = true;
}

/** Busy: what is pressed again does nothing; the focus stays where it is. @param {HTMLElement} root @param {boolean} on */
export function busy(root, on) {
  root.setAttribute("aria-busy", String(on));
  const buttons = root instanceof HTMLButtonElement ? [root] : root.querySelectorAll('button[type="submit"]');
  for (const button of buttons) button.setAttribute("aria-disabled", String(on));
}

/** @param {HTMLFormElement} form */
const fields = (form) => [...form.elements].filter(isField).filter((field) => !field.hidden);

/** @param {unknown} thing @returns {thing is Field} */
const isField = (thing) => thing instanceof HTMLInputElement || thing instanceof HTMLTextAreaElement;

/** Passwords may be looked at while they are typed. */
export function revealers() {
  document.addEventListener("click", (event) => {
    const button = event.target instanceof Element ? event.target.closest("[data-reveal]") : null;
    const field = document.getElementById(button?.getAttribute("data-reveal") ?? "");
    if (button === null || !(field instanceof HTMLInputElement)) return;
    const shown = field.type === "password";
    field.type = shown ? "text" : "password";
    button.setAttribute("aria-pressed", String(shown));
  });
}
