/** What is shown this once, recovery codes and tokens: copied, saved, printed, and emptied when the page is left. */

import { announce } from "../../games/js/announce.js";
import { gettext } from "../../games/js/words.js";

let file = "";

/** @param {string} id */
const element = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** Show recovery codes instead of the rest of the page. @param {string[]} codes @param {string} name @param {string} title */
export function showCodes(codes, name, title = "") {
  const list = element("codes-list");
  list.replaceChildren(
    ...codes.map((code) => {
      const item = document.createElement("li");
      const text = document.createElement("code");
      text.textContent = code;
      item.append(text);
      return item;
    }),
  );
  const link = /** @type {HTMLAnchorElement} */ (element("codes-file"));
  const text = `TriPeaks · ${location.host} · ${name}\n\n${codes.join("\n")}\n`;
  file = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  link.href = file;
  element("codes").hidden = false;
  element("account").classList.add("shows-codes");
  if (title !== "") element("codes-title").textContent = title;
  element("codes-title").focus();
  scrollTo(0, 0);
}

/** Show a new token beside the form that made it. @param {HTMLElement} box @param {string} token */
export function showToken(box, token) {
  const place = box.querySelector("code");
  if (place !== null) place.textContent = token;
  box.hidden = false;
  /** @type {HTMLElement | null} */ (box.querySelector("[tabindex]"))?.focus();
}

/** Leave nothing behind: not for the next person at this screen, not for the way back. */
function forget() {
  for (const place of document.querySelectorAll(".once code")) place.textContent = "";
  for (const field of document.querySelectorAll("input")) if (field.autocomplete.endsWith("password")) field.value = "";
  URL.revokeObjectURL(file);
}

/** @param {HTMLButtonElement} button */
async function copy(button) {
  const source = button.dataset.copy === "codes" ? element("codes-list") : button.parentElement?.querySelector("code");
  if (!source) return;
  const items = [...source.querySelectorAll("code")].map((code) => code.textContent);
  try {
    await navigator.clipboard.writeText(items.length > 0 ? items.join("\n") : (source.textContent ?? ""));
    button.dataset.words ??= button.textContent ?? "";
    button.textContent = gettext("Copied");
    announce(gettext("Copied"));
    setTimeout(() => (button.textContent = button.dataset.words ?? ""), 2500);
  } catch {
    getSelection()?.selectAllChildren(source); // not allowed, or no TLS: then it lies ready to be copied by hand
    announce(gettext("It is selected: copy it by hand."));
  }
}

export function watchOnce() {
  document.addEventListener("click", (event) => {
    const button = event.target instanceof Element ? event.target.closest("button") : null;
    if (button?.dataset.copy !== undefined) void copy(button);
    if (button?.dataset.print !== undefined) print();
  });
  addEventListener("pagehide", forget);
}
