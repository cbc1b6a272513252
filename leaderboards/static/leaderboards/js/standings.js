/**
 * Standings as values: a snapshot, then events. No DOM, no socket.
 * @import {Heartbeat, Snapshot, Standings, StandingsEvent, Topic} from "./types.js"
 */

/**
 * Whether two topics are the same list.
 * @param {Topic} one
 * @param {Topic} other
 */
export function sameTopic(one, other) {
  return one.board === other.board && one.kind === other.kind && one.view === other.view;
}

/**
 * The standings after a frame. `null`: something was missed, ask for a resync; the old value stays good to show.
 * @param {Standings | null} before
 * @param {Snapshot | StandingsEvent} frame
 * @returns {Standings | null}
 */
export function applied(before, frame) {
  const { version, entries, counts } = frame;
  if (frame.type === "snapshot") return { version, entries, counts, rows: frame.rows };
  if (before === null) return null;
  if (version <= before.version) return before; // the snapshot was newer than this event
  if (frame.previous !== before.version) return null;
  const known = new Map(before.rows.map((row) => [row.id, row]));
  for (const row of frame.rows) known.set(row.id, row);
  const rows = [];
  for (const id of frame.order) {
    const row = known.get(id);
    if (row === undefined) return null;
    rows.push(row);
  }
  return { version, entries, counts, rows };
}

/**
 * What a heartbeat shows to be due. `resync`: it tells of a version we have not seen, the last event before it was lost.
 * `subscribe`: it does not name our list, the subscription was refused (the database was away, too many at once).
 * @param {Standings | null} standings
 * @param {Topic} topic
 * @param {Heartbeat} beat
 * @returns {"resync" | "subscribe" | null}
 */
export function due(standings, topic, beat) {
  const newest = beat.versions.find((each) => sameTopic(each, topic));
  if (newest === undefined) return "subscribe";
  return standings === null || newest.version > standings.version ? "resync" : null;
}
