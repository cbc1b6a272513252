/** The tableau: where the 28 slots stand and which lies on which (R1.1, R1.2). Nothing about what may be played. */

export const SLOTS = 28;
const ROW_STARTS = [0, 3, 9, 18];

/** 0 for the tips to 3 for the bottom row. @param {number} slot */
export const rowOf = (slot) => ROW_STARTS.findLastIndex((start) => start <= slot);

/** Its place in its row, from 0. @param {number} slot */
export const placeOf = (slot) => slot - (ROW_STARTS[rowOf(slot)] ?? 0);

/** Its column, 0 to 9 in steps of a half. @param {number} slot */
export function columnOf(slot) {
  const place = placeOf(slot);
  switch (rowOf(slot)) {
    case 0:
      return 3 * place + 1.5;
    case 1:
      return 3 * Math.floor(place / 2) + 1 + (place % 2);
    case 2:
      return place + 0.5;
    default:
      return place;
  }
}

/** @param {number} slot @returns {number[]} */
function covering(slot) {
  const row = rowOf(slot);
  if (row === 3) return [];
  const column = columnOf(slot);
  const next = Array.from({ length: 10 }, (_, index) => (ROW_STARTS[row + 1] ?? 0) + index);
  return next.filter((over) => rowOf(over) === row + 1 && Math.abs(columnOf(over) - column) === 0.5);
}

const COVERING = Array.from({ length: SLOTS }, (_, slot) => covering(slot));

/** The two slots that lie on it; none on the bottom row. @param {number} slot */
export const coveredBy = (slot) => COVERING[slot] ?? [];

/** A slot named by a move, `t18`; null for another. @param {string} move */
export const slotOf = (move) => (/^t\d+$/.test(move) ? Number(move.slice(1)) : null);

/**
 * What the moves under way amount to on the table, by the server's word about the position before them.
 * @param {{pending: string[], tableau: (string | null)[], open: number[], legal: string[]}} shown
 */
export function underWay({ pending, tableau, open, legal }) {
  /** @type {(number | null)[]} slots on their way to the waste, null for a card drawn */
  const pile = [];
  /** @type {number[]} slots asked for that stay in their places until the server has answered */
  const asked = [];
  let undoing = false;
  pending.forEach((move, index) => {
    const slot = slotOf(move);
    if (move === "u") {
      undoing = true;
      pile.pop();
    } else if (slot === null) pile.push(null);
    else {
      // The server has said already that the first one does not go, or nobody can know yet what it is.
      const free = open.includes(slot) || coveredBy(slot).every((over) => tableau[over] === null || pile.includes(over));
      const refused = index === 0 && !legal.includes(move);
      if (refused || !free || (tableau[slot] ?? "??") === "??") asked.push(slot);
      else pile.push(slot);
    }
  });
  return { pile, asked, undoing, gone: new Set(pile.filter((each) => each !== null)), draws: pile.filter((each) => each === null).length };
}
