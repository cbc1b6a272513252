/** The server's time, whatever this device's clock says: an instant told by the server plus what has passed since. */

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
