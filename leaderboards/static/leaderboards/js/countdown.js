/** Countdowns to an instant of the server: every `[data-countdown]` below a root. */

import { serverNow } from "../../games/js/clock.js";

/**
 * `5 h 12 min`; under an hour with seconds: `12 min 05 s`; then `5 s`.
 * @param {number} milliseconds
 */
export function remaining(milliseconds) {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  const minutes = Math.floor(seconds / 60);
  if (minutes >= 60) return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} min`;
  if (minutes >= 1) return `${minutes} min ${String(seconds % 60).padStart(2, "0")} s`;
  return `${seconds} s`;
}

/**
 * Keep the countdowns running until the returned function is called.
 * @param {ParentNode} root
 */
export function countDown(root) {
  const places = [...root.querySelectorAll("[data-countdown]")].map((element) => ({
    element,
    end: Date.parse(element.getAttribute("data-countdown") ?? ""),
  }));
  const show = () => {
    for (const { element, end } of places) {
      const text = remaining(end - serverNow());
      if (element.textContent !== text) element.textContent = text;
    }
  };
  show();
  const timer = setInterval(show, 250);
  return () => clearInterval(timer);
}
