/**
 * An attempt as the page holds it: what the server has confirmed, and the moves that it has not answered yet. Pure: no
 * socket, no document, no rules of the game. Every function takes a `Held` and gives a new one.
 *
 * @typedef {{tableau: (string | null)[], open: number[], waste: string | null, waste_count: number, stock: number}} View
 * @typedef {{outcome: string, score: number, moves: number, peaks: number, cards_left: number, elapsed_ms: number,
 *   finished_at: string}} Result
 * @typedef {{id: string, code: string | null, competition: string | null, ruleset: string, ranked: boolean,
 *   number: number, ply: number, score: number, moves: number, run: number, peaks: number, cards_left: number,
 *   outcome: string | null, closed: boolean, undo_allowed: boolean, started_at: string, finished_at: string | null,
 *   deadline: string | null, elapsed_ms: number, result: Result | null, view: View, legal: string[]}} Attempt
 * @typedef {{move: string, move_id: string, expected_ply: number}} Sent
 * @typedef {{confirmed: Attempt, queue: Sent[], synced: boolean}} Held
 *   `synced`: taps go out at once. Otherwise they wait for the answer to `resume`, which says where the attempt stands
 * @typedef {{code: string, message: string, data: Record<string, any>}} Problem
 * @typedef {{held: Held, refused: {move: string, error: Problem} | null, wait: number | null}} Refused
 *   `refused`: the first move taken back, if any; `wait`: nothing is lost, ask again in so many seconds
 * @typedef {{held: Held, taken: string | null, elsewhere: boolean}} Resumed
 *   `taken`: the first move taken back, since somebody else moved; `elsewhere`: there were moves that are not ours
 */

/** Not a word about the move itself: the same frame may be sent again. */
const PASSING = new Set(["throttled", "unavailable", "internal_error"]);

/** An attempt that the page has not moved in yet. @param {Attempt} attempt @returns {Held} */
export const heldOf = (attempt) => ({ confirmed: attempt, queue: [], synced: false });

/** The link is gone, or what went over it is in doubt. @param {Held} held @returns {Held} */
export const unsynced = (held) => ({ ...held, synced: false });

/**
 * A tap: queued at once, whatever the link does.
 * @param {Held} held
 * @param {string} move
 * @param {string} move_id
 * @returns {Held}
 */
export function tapped(held, move, move_id) {
  const last = held.queue.at(-1);
  const expected_ply = Math.max(held.confirmed.ply, last === undefined ? 0 : last.expected_ply + 1);
  return { ...held, queue: [...held.queue, { move, move_id, expected_ply }] };
}

/** The moves that are not in the confirmed position yet, in order. @param {Held} held */
export const pending = ({ queue, confirmed }) => queue.filter((sent) => sent.expected_ply >= confirmed.ply).map((sent) => sent.move);

/**
 * A state that came by whatever way. The confirmed one never goes back.
 * @param {Held} held
 * @param {unknown} attempt what may be an attempt
 * @returns {Held}
 */
export function adopted(held, attempt) {
  const next = /** @type {Attempt | null | undefined} */ (attempt);
  const { confirmed } = held;
  if (next?.id !== confirmed.id || next.ply < confirmed.ply) return held;
  if (next.ply === confirmed.ply && confirmed.closed && !next.closed) return held; // older than the end
  return { ...held, confirmed: next, queue: next.closed ? [] : held.queue };
}

/**
 * A move was accepted. Answers come in order, so what was sent before it has been, too.
 * @param {Held} held
 * @param {{attempt: Attempt, move_id: string}} frame
 * @returns {Held}
 */
export function acked(held, { attempt, move_id }) {
  const index = held.queue.findIndex((sent) => sent.move_id === move_id);
  return adopted(index < 0 ? held : { ...held, queue: held.queue.slice(index + 1) }, attempt);
}

/**
 * A frame was refused. A move goes, and all that were built on it; answers about those find nothing to take back.
 * @param {Held} held
 * @param {{error: Problem, move_id?: string}} frame
 * @returns {Refused}
 */
export function refused(held, { error, move_id }) {
  if (PASSING.has(error.code)) return { held: unsynced(held), refused: null, wait: Number(error.data.retry_after) || 1 };
  const known = adopted(held, error.data.attempt);
  if (!held.synced) return { held: known, refused: null, wait: null }; // resume is on its way and settles all of it
  const index = held.queue.findIndex((sent) => sent.move_id === move_id);
  const sent = held.queue[index];
  if (sent === undefined) return { held: known, refused: null, wait: null };
  return { held: { ...known, queue: known.queue.slice(0, index) }, refused: { move: sent.move, error }, wait: null };
}

/**
 * The answer to resume: where the attempt stands, and the plies since the one we knew. What is left in the queue is to
 * be sent (again), with the same ids: what the server has already is answered as it was the first time.
 * @param {Held} held
 * @param {{attempt: Attempt, ply: number, since: string[]}} frame
 * @returns {Resumed}
 */
export function resumed(held, { attempt, ply, since }) {
  const before = held.confirmed.ply;
  const from = ply - since.length;
  const strange = held.queue.findIndex(
    ({ move, expected_ply }) => expected_ply >= from && expected_ply < ply && since[expected_ply - from] !== move,
  );
  const ours = strange < 0 ? held.queue : held.queue.slice(0, strange);
  const known = ours.filter(({ expected_ply }) => expected_ply >= before && expected_ply < ply).length;
  const taken = held.queue[ours.length]?.move ?? null;
  const next = adopted({ ...held, queue: ours, synced: true }, attempt);
  return { held: next, taken, elsewhere: ply - before > known };
}
