/**
 * Shapes of the standings socket and of the pages. Types only: nothing runs here.
 *
 * @typedef {{id: string, name: string}} RowPlayer
 * @typedef {{rank: number, id: string, player: RowPlayer, outcome: string, score: number, moves: number, peaks: number,
 *   cards_left: number, elapsed_ms: number, finished_at: string, number: number}} Row
 * @typedef {{players: number, playing: number, finished: number}} Counts
 * @typedef {{board: string, kind: string, view: string}} Topic
 * @typedef {Topic & {type: "snapshot", version: number, entries: number, counts: Counts, rows: Row[]}} Snapshot
 * @typedef {Topic & {type: "event", version: number, previous: number, entries: number, counts: Counts, order: string[],
 *   rows: Row[]}} StandingsEvent
 * @typedef {{type: "heartbeat", versions: (Topic & {version: number})[], delayed: boolean, now: string}} Heartbeat
 * @typedef {{type: "rollover"}} Rollover
 * @typedef {{type: "error", error: {code: string, message: string}}} Refusal
 * @typedef {Snapshot | StandingsEvent | Heartbeat | Rollover | Refusal | {type: "pong"}} Frame
 * @typedef {{version: number, entries: number, counts: Counts, rows: Row[]}} Standings
 * @typedef {"connecting" | "live" | "delayed" | "reconnecting"} Status
 */

export {};
