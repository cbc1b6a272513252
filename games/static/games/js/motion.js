/**
 * Motion: short, never in the way. Nothing waits for it: what moves is only drawn late in its place. None where the
 * system or the visitor has asked for none.
 */

const EASE = "cubic-bezier(0.2, 0.7, 0.3, 1)";
const QUIET = matchMedia("(prefers-reduced-motion: reduce)");

/** Whether nothing may move. */
export const still = () => QUIET.matches || document.documentElement.dataset.motion === "off";

/**
 * @param {Element} element
 * @param {Keyframe[]} frames
 * @param {KeyframeAnimationOptions} options
 */
function animate(element, frames, options) {
  return still() ? null : element.animate(frames, { easing: EASE, ...options });
}

/**
 * From where it was to where it is now.
 * @param {Element} element
 * @param {{x: number, y: number, scale: number}} from
 * @param {number} run cards removed in a row: a long run goes faster
 */
export function fly(element, { x, y, scale }, run = 0) {
  return animate(element, [{ transform: `translate(${x}px, ${y}px) scale(${scale})`, zIndex: 60 }, { transform: "none", zIndex: 60 }], {
    duration: Math.max(120, 220 - 10 * run),
  });
}

/** A card has turned: its back goes, its new side comes. @param {Element} side @param {Element} back */
export function flip(side, back) {
  const going = animate(back, [{ transform: "rotateY(0)" }, { transform: "rotateY(90deg)" }], { duration: 90, easing: "ease-in" });
  if (going === null) return;
  side.after(back);
  going.finished.catch(() => {}).finally(() => back.remove());
  animate(side, [{ transform: "rotateY(-90deg)" }, { transform: "rotateY(0)" }], { duration: 120, delay: 90, fill: "backwards" });
}

/** It does not go. @param {Element} element */
export function shake(element) {
  const at = [0, -6, 6, -4, 3, 0].map((x) => ({ transform: `translateX(${x}%)` }));
  animate(element, at, { duration: 220, easing: "linear" });
}

/** A number has changed. @param {Element} element */
export function pop(element) {
  animate(element, [{ transform: "scale(1.18)" }, { transform: "none" }], { duration: 180 });
}

/** @type {Set<() => void>} */
const moments = new Set();
const skip = () => {
  for (const end of [...moments]) end();
};

/**
 * The generous moment: a peak is cleared, or all is won. Any input ends it; it never holds anything up.
 * @param {HTMLElement} layer what shows it, over the board
 * @param {"peak" | "win"} what
 * @param {{x: number, y: number}} at its middle, in pixels of the layer
 */
export function celebrate(layer, what, { x, y }) {
  if (still()) return;
  const sparks = Array.from({ length: what === "win" ? 60 : 18 }, (_, index) => {
    const spark = document.createElement("i");
    spark.className = "t-spark";
    spark.dataset.kind = String(index % 3);
    spark.style.setProperty("left", `${x}px`);
    spark.style.setProperty("top", `${y}px`);
    return spark;
  });
  layer.append(...sparks);
  const reach = what === "win" ? Math.max(160, layer.clientWidth * 0.42) : Math.max(60, layer.clientWidth * 0.14);
  const running = sparks.map((spark, index) => {
    const angle = (index / sparks.length) * 2 * Math.PI + 0.35;
    const far = reach * (0.45 + 0.55 * (((index * 7) % 10) / 9));
    const dx = Math.cos(angle) * far;
    const dy = Math.sin(angle) * far * 0.62;
    return spark.animate(
      [
        { transform: "translate(-50%, -50%) scale(0.2)", opacity: 1 },
        { transform: `translate(calc(${dx}px - 50%), calc(${dy}px - 50%)) scale(1) rotate(${index * 40}deg)`, opacity: 1, offset: 0.65 },
        { transform: `translate(calc(${dx}px - 50%), calc(${dy + far * 0.35 + 30}px - 50%)) scale(0.8) rotate(${index * 70}deg)`, opacity: 0 },
      ],
      { duration: what === "win" ? 1150 : 700, easing: "cubic-bezier(0.1, 0.8, 0.3, 1)", fill: "both" },
    );
  });
  const end = () => {
    moments.delete(end);
    for (const each of running) each.cancel();
    for (const spark of sparks) spark.remove();
    if (moments.size === 0) for (const kind of INPUTS) removeEventListener(kind, skip, true);
  };
  if (moments.size === 0) for (const kind of INPUTS) addEventListener(kind, skip, true);
  moments.add(end);
  Promise.allSettled(running.map((each) => each.finished)).then(end);
}

const INPUTS = ["pointerdown", "keydown"];
