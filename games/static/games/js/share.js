/** A result to send to friends: no cards in it, so that it spoils nothing. */

import { timeText } from "./clock.js";
import { figure, filled, gettext, ngettext } from "./words.js";

/** `3 cards left`. @param {number} count */
export const leftText = (count) => filled(ngettext("%(count)s card left", "%(count)s cards left", count), { count });

/** `29 moves`. @param {number} count */
export const movesText = (count) => filled(ngettext("%(count)s move", "%(count)s moves", count), { count });

/**
 * `TriPeaks daily 417 · won · 771 · 29 moves · 1:12 ▲▲▲`
 * @param {string} title what was played
 * @param {{outcome: string, score: number, moves: number, peaks: number, cards_left: number, elapsed_ms: number}} result
 * @param {boolean} scored whether the ruleset has points
 */
export function shareText(title, result, scored) {
  const parts = [title, result.outcome === "won" ? gettext("won") : leftText(result.cards_left)];
  if (scored) parts.push(figure(result.score));
  parts.push(movesText(result.moves), timeText(result.elapsed_ms));
  return `${parts.join(" · ")} ${"▲".repeat(result.peaks)}${"△".repeat(3 - result.peaks)}`;
}

/**
 * A button that shares: by the device's own sheet, else by the clipboard, else a field to copy from.
 * @param {string} text
 * @param {string} url
 * @returns {HTMLElement[]} the button and the place where it says what it did
 */
export function shareParts(text, url) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button quiet";
  button.textContent = gettext("Share");
  const said = document.createElement("span");
  said.className = "shared";
  said.setAttribute("role", "status");
  const whole = `${text} ${url}`;
  button.addEventListener("click", async () => {
    try {
      if (navigator.share !== undefined) {
        await navigator.share({ text: whole });
        return;
      }
      await navigator.clipboard.writeText(whole);
      said.textContent = gettext("Copied.");
    } catch (problem) {
      if (problem instanceof DOMException && problem.name === "AbortError") return; // put away by the player
      const field = document.createElement("input");
      field.readOnly = true;
      field.value = whole;
      field.setAttribute("aria-label", gettext("Your result, to copy"));
      said.replaceChildren(field);
      field.focus();
      field.select();
    }
  });
  return [button, said];
}
