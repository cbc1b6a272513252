/**
 * Shapes of the standings socket and of the pages. Types only: nothing runs here.
 *
 * @typedef {{id: string, name: string | null}} RowPlayer
 * @typedef {{rank: number, id: string, player: RowPlayer, outcome: string, score: number, moves: number, peaks: number,
 *   cards_left: number, elapsed_ms: number, finished_at: string, number: number}} Row
 * @typedef {{players: number, playing: number, finished: number}} Counts
 * @typedef {{board: string, kind: string, view: string}} Topic
 * @typedef {Topic & {type: "snapshot", version: number, entries: number, counts: Counts, rows: Row[]}} Snapshot
 * @typedef {Topic & {type: "event", version: number, previous: number, entries: number, counts: Counts, order: string[],
 *   rows: Row[]}} StandingsEvent
 * @typedef {{type: "heartbeat", versions: (Topic & {version: number})[], delayed: boolean, now: string}} Heartbeat
 * @typedef {{type: "rollover", daily?: {number: number, date: string}}} Rollover
 * @typedef {{type: "error", error: {code: string, message: string}}} Refusal
 * @typedef {Snapshot | StandingsEvent | Heartbeat | Rollover | Refusal | {type: "pong"}} Frame
 * @typedef {{version: number, entries: number, counts: Counts, rows: Row[]}} Standings
 * @typedef {"connecting" | "live" | "delayed" | "reconnecting"} Status
 * @typedef {{rank: number | null, row: Row | null, around: Row[], provisional: boolean, version: number}} Me
 *   one's own place, as GET /api/v1/boards/<board>/me says it
 * @typedef {"none" | "playing" | "finished"} MyState what the visitor has at a list: no attempt (that counts), one that
 *   runs, or a result
 * @typedef {{player: string, state: MyState, startedAt: string, me: Me | null}} Mine
 * @typedef {{id: string, row: Row | null, own: boolean, startedAt?: string}} Line a line of the page's list; without a
 *   row the gap, or (own) the attempt that runs
 */

export {};
