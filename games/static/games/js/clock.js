/**
 * The server's time, whatever this device's clock says: an instant told by the server plus what has passed since. And
 * how long something took, as clocks write it.
 */

let base = Date.now();
let since = performance.now();
let known = false;

/**
 * The server has told the time. The latest telling wins; each is late by the way it came, so it is never ahead.
 * @param {string | undefined} instant ISO 8601
 */
export function told(instant) {
  const time = Date.parse(instant ?? "");
  if (Number.isNaN(time)) return;
  if (known && time <= serverNow()) return; // this telling travelled longer than the one we go by
  base = time;
  since = performance.now();
  known = true;
}

/** A page newly read: its time counts even where an earlier one ran ahead. @param {string | undefined} instant */
export function restart(instant) {
  known = false;
  told(instant);
}

/** Milliseconds since 1970 on the server's clock. */
export function serverNow() {
  return base + (performance.now() - since);
}

/** Whole seconds begun: `1:12`, `1:02:03`. @param {number} milliseconds */
export function timeText(milliseconds) {
  const whole = Math.max(0, Math.floor(milliseconds / 1000));
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const seconds = String(whole % 60).padStart(2, "0");
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, "0")}:${seconds}` : `${minutes}:${seconds}`;
}
