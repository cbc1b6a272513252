/**
 * Playing: the socket, the state and the table brought together. Taps go out at once, one after the other without
 * waiting; the server's answers confirm them or take them back. A lost link loses nothing (case C19).
 *
 * @import {Attempt, Held, Problem} from "./state.js"
 * @import {Shown, Table} from "./table.js"
 * @typedef {"connecting" | "live" | "delayed" | "reconnecting"} PlayStatus
 * @typedef {{type: "welcome" | "pong"} | {type: "heartbeat", now: string}
 *   | {type: "ack", attempt: Attempt, move: string, ply: number, move_id: string}
 *   | {type: "state", attempt: Attempt, ply: number, since: string[]}
 *   | {type: "changed", attempt: string, ply: number}
 *   | {type: "error", error: Problem, move_id?: string, attempt_id?: string}} Frame
 * @typedef {{onState: (attempt: Attempt, waiting: number) => void, onStatus: (status: PlayStatus) => void,
 *   onEnd: (code: number) => void}} Listeners
 *   `onState`: after every change, with how many moves wait for their answer; `onEnd`: the credential is gone
 */

import { announce, moveWords } from "./announce.js";
import { told } from "./clock.js";
import { Link } from "./link.js";
import { isMistake, refusalText } from "./refusals.js";
import { acked, adopted, heldOf, pending, refused, resumed, tapped, unsynced } from "./state.js";
import { gettext } from "./words.js";

const SLOW = 2_000; // an answer that takes longer is called delayed
const LOST = 8_000; // one that takes longer is asked for again
const LONGEST_WAIT = 15; // seconds between two tries at what the server cannot do just now
const MOST_WAITING = 60; // moves without an answer; a socket takes 100 frames at once
const SIGNED_OUT = 4001;
const NO_COOKIE = 4002; // signed out while the link was down: the handshake came without a credential
const NOT_OURS = 4003;
const TOO_MANY = 4008;

/** What the table draws. @param {Held} held @returns {Shown} */
export function shownOf(held) {
  const { confirmed } = held;
  const { view } = confirmed;
  return {
    tableau: view.tableau,
    open: view.open,
    waste: view.waste,
    wasteCount: view.waste_count,
    stock: view.stock,
    pending: pending(held),
    legal: confirmed.legal,
    score: confirmed.score,
    moves: confirmed.moves,
    run: confirmed.run,
    peaks: confirmed.peaks,
    cardsLeft: confirmed.cards_left,
    outcome: confirmed.outcome,
    closed: confirmed.closed,
    undoAllowed: confirmed.undo_allowed,
    ruleset: confirmed.ruleset,
    clock: { startedAt: confirmed.started_at, finishedAt: confirmed.finished_at },
  };
}

/** Every move has an id of its own, in every tab. */
const TAB = [...crypto.getRandomValues(new Uint32Array(3))].map((word) => word.toString(36)).join("");
let made = 0;
/** An id for a request that may be repeated. */
export const freshKey = () => `${TAB}-${(made += 1)}`;

export class Play {
  /** @type {Link<Frame> | null} */ #link = null;
  /** @type {Held | null} */ #held = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #patience;
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #pause;
  #linked = false; // a frame has come over the present connection
  #asked = false; // resume is on its way
  #again = false; // something has changed since; its answer may be older than that
  #refusals = 0; // in a row, that were not about the move
  #table;
  #listeners;

  /**
   * @param {Table} table
   * @param {Listeners} listeners
   */
  constructor(table, listeners) {
    this.#table = table;
    this.#listeners = listeners;
  }

  /** The attempt on the table, null before the first. */
  get attempt() {
    return this.#held?.confirmed ?? null;
  }

  /** Put an attempt on the table. @param {Attempt} attempt */
  open(attempt) {
    this.#held = heldOf(attempt);
    this.#refusals = 0;
    this.#fresh();
    this.#draw();
    if (this.#link === null) this.#connect();
    else this.#resume();
  }

  /** The link comes back by itself; this is the first time. */
  #connect() {
    this.#link = new Link("/ws/v1/play", {
      onOpen: () => {
        this.#fresh();
        this.#resume();
      },
      onFrame: (frame) => this.#hear(frame),
      onStatus: (status) => {
        this.#linked = false;
        if (this.#held !== null) this.#held = unsynced(this.#held);
        this.#listeners.onStatus(status);
      },
      onEnd: (code) => this.#ended(code),
    });
  }

  /** Nothing has been asked yet, and no pause is to be waited for. */
  #fresh() {
    clearTimeout(this.#pause);
    this.#pause = undefined;
    this.#asked = this.#again = false;
  }

  /** A tap, a key, a button: shown at once. @param {string} move */
  move(move) {
    if (this.#held === null || this.#held.confirmed.closed) return;
    if (this.#held.queue.length >= MOST_WAITING) {
      this.#table.message(refusalText({ code: "offline", data: {} }));
      return;
    }
    this.#held = tapped(this.#held, move, freshKey());
    this.#draw();
    if (this.#held.synced) this.#send(this.#held.queue.length - 1);
    this.#watch();
  }

  /** A state that came by another way than the socket. @param {Attempt} attempt */
  adopt(attempt) {
    if (this.#held === null) return;
    this.#held = adopted(this.#held, attempt);
    this.#draw();
  }

  /** Ask how things stand, for instance when time alone has ended the attempt. */
  refresh() {
    this.#resume();
  }

  /** Send what is queued, from an index on. @param {number} from */
  #send(from) {
    const held = this.#held;
    for (const sent of held?.queue.slice(from) ?? []) {
      this.#link?.send({ type: "move", attempt: held?.confirmed.id, ...sent });
    }
  }

  #resume() {
    if (this.#held === null || this.#asked) return;
    const { id, ply } = this.#held.confirmed;
    this.#asked = this.#link?.send({ type: "resume", attempt: id, ply }) ?? false;
    this.#watch();
  }

  /** @param {Frame} frame */
  #hear(frame) {
    if (!this.#linked && frame.type !== "error") {
      this.#linked = true;
      this.#listeners.onStatus("live");
      this.#watch();
    }
    const held = this.#held;
    switch (frame.type) {
      case "heartbeat":
        told(frame.now);
        return;
      case "changed":
        if (frame.attempt !== held?.confirmed.id) return;
        if (this.#asked) this.#again = true;
        else if (frame.ply > held.confirmed.ply || !held.confirmed.closed) this.#resume();
        return;
      case "ack":
        if (held === null || frame.attempt.id !== held.confirmed.id) return;
        this.#held = acked(held, frame);
        this.#refusals = 0;
        if (frame.ply === held.confirmed.ply + 1) announce(moveWords(shownOf(held), shownOf(this.#held), frame.move));
        break;
      case "state":
        if (held === null || frame.attempt.id !== held.confirmed.id) return;
        this.#caughtUp(held, frame);
        break;
      case "error":
        if (held === null || (frame.attempt_id !== undefined && frame.attempt_id !== held.confirmed.id)) return;
        this.#wasRefused(held, frame);
        break;
      default:
        return;
    }
    this.#draw();
    this.#watch();
  }

  /**
   * @param {Held} held
   * @param {{attempt: Attempt, ply: number, since: string[]}} frame
   */
  #caughtUp(held, frame) {
    const again = this.#again;
    this.#fresh();
    const { held: next, taken, elsewhere } = resumed(held, frame);
    this.#held = next;
    if (next.queue.length === 0) this.#refusals = 0;
    if (!held.synced) this.#send(0);
    if (again) this.#resume();
    if (!elsewhere) return;
    this.#draw();
    const words = refusalText({ code: "stale_ply", data: {} });
    if (taken === null) this.#table.message(words);
    else this.#table.refuse(taken, words);
  }

  /**
   * @param {Held} held
   * @param {{error: Problem, move_id?: string}} frame
   */
  #wasRefused(held, frame) {
    if (frame.error.code === "not_found" && frame.move_id === undefined) { // the link came back as somebody else
      this.#link?.close();
      this.#stop(SIGNED_OUT);
      return;
    }
    const { held: next, refused: move, wait } = refused(held, frame);
    this.#held = next;
    if (wait !== null) {
      if (frame.error.code === "throttled") this.#table.message(refusalText(frame.error));
      this.#pauseFor(wait);
      return;
    }
    if (move === null) return;
    this.#draw(); // the card is back in its place before it shakes
    const quiet = isMistake(move.error.code) && document.documentElement.dataset.help === "off";
    this.#table.refuse(move.move, quiet ? "" : refusalText(move.error));
  }

  /** Ask again after a while, longer each time. @param {number} seconds at least */
  #pauseFor(seconds) {
    this.#asked = true; // not before the pause is over
    if (this.#pause === undefined) this.#refusals += 1; // moves refused in a row are one refusal
    const wait = Math.max(seconds, Math.min(LONGEST_WAIT, 2 ** (this.#refusals - 1) - 1));
    clearTimeout(this.#pause);
    this.#pause = setTimeout(() => {
      this.#fresh();
      this.#resume();
    }, wait * 1000);
  }

  /** @param {number} code @returns {boolean} whether to connect again */
  #ended(code) {
    if (code === SIGNED_OUT || code === NO_COOKIE || code === NOT_OURS) {
      this.#stop(code);
      return false;
    }
    if (code === TOO_MANY) this.#table.message(gettext("Too many games are open at once. Close other tabs, or wait a moment."));
    return true;
  }

  /** Nobody will answer any more: what waits is taken back. @param {number} code */
  #stop(code) {
    this.#link = null;
    this.#linked = false;
    this.#fresh();
    clearTimeout(this.#patience);
    if (this.#held !== null) this.#held = heldOf(this.#held.confirmed);
    this.#draw();
    this.#listeners.onEnd(code);
  }

  /** Say when answers are slow; ask again when one seems lost. */
  #watch() {
    clearTimeout(this.#patience);
    const held = this.#held;
    if (held === null || !this.#linked) return;
    if (held.queue.length === 0) {
      this.#listeners.onStatus("live");
      return;
    }
    const since = performance.now();
    const late = () => {
      if (!this.#linked) return;
      this.#listeners.onStatus("delayed");
      if (performance.now() - since >= LOST && this.#held !== null) {
        this.#held = unsynced(this.#held);
        this.#asked = false;
        this.#resume();
      } else this.#patience = setTimeout(late, LOST - SLOW);
    };
    this.#patience = setTimeout(late, SLOW);
  }

  #draw() {
    const held = this.#held;
    if (held === null) return;
    this.#table.show(shownOf(held));
    this.#listeners.onState(held.confirmed, held.queue.length);
  }
}
