/**
 * Lists and countdowns that live: `followBoards` brings what the server wrote below an element to life. The values
 * (`applied`, `due`, `shownLines`) know no DOM.
 *
 * Frames change values at once; the page is drawn from them a few times a second at most, so that a burst of results
 * costs no more than a quiet evening.
 * @import {Frame, Heartbeat, Line, Me, Mine, MyState, Row, Snapshot, Standings, StandingsEvent, Status, Topic} from "./types.js"
 */

import { serverNow, timeText, told } from "../../games/js/clock.js";
import { Link } from "../../games/js/link.js";
import { filled, gettext, ngettext } from "../../games/js/words.js";
import { BoardView, placeText, remaining, resultText } from "./rows.js";

const DRAW_EVERY = 500;
const DRAW_HIDDEN_EVERY = 1500; // a list behind another tab
const SAY_EVERY = 4000;
const ASK_EVERY = 5000;
const HELD_AT_MOST = 4000;
const NEIGHBOURS = 2;
const PRESSES = ["pointerdown", "pointerup", "pointercancel"];

/** @param {Topic} one @param {Topic} other */
export const sameTopic = (one, other) => one.board === other.board && one.kind === other.kind && one.view === other.view;

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

/**
 * The lines of a list: its top, and below it one's own with its neighbours. `tail` null: one's own place has to be asked
 * for; what the page shows of it stays until then.
 * @param {Standings} standings
 * @param {number} top
 * @param {Mine} mine
 * @returns {{head: Line[], tail: Line[] | null}}
 */
export function shownLines({ rows, entries }, top, mine) {
  /** @param {Row} row @returns {Line} */
  const line = (row) => ({ id: row.id, row, own: row.player.id === mine.player });
  /** @type {Line} */ const gap = { id: "gap", row: null, own: false };
  const head = rows.slice(0, top).map(line);
  const at = ownIndex({ rows, entries }, mine.player);
  if (at >= 0) {
    const from = Math.max(top, at - NEIGHBOURS);
    const near = rows.slice(from, at + NEIGHBOURS + 1).map(line);
    return { head, tail: from > top && near.length > 0 ? [gap, ...near] : near };
  }
  if (mine.state === "playing") {
    /** @type {Line} */ const playing = { id: "playing", row: null, own: true, startedAt: mine.startedAt };
    return { head, tail: head.length > 0 ? [gap, playing] : [playing] };
  }
  if (mine.state !== "finished") return { head, tail: [] };
  if (mine.me === null) return { head, tail: null };
  const list = withOwn(mine.me);
  const own = list.findIndex((row) => row.id === mine.me?.row?.id);
  if (own < 0) return { head, tail: [] };
  const heads = new Set(head.map(({ id }) => id));
  const from = Math.max(0, own - NEIGHBOURS);
  const near = list.slice(from, own + NEIGHBOURS + 1).filter(({ id }) => !heads.has(id));
  const start = list.indexOf(/** @type {Row} */ (near[0]));
  const joined = head.length === 0 || (start > 0 && heads.has(list[start - 1]?.id ?? ""));
  return { head, tail: joined ? near.map(line) : [gap, ...near.map(line)] };
}

/** Where one's own row is among those followed; -1 also where its neighbours are not. @param {Pick<Standings, "rows" | "entries">} standings @param {string} player */
function ownIndex({ rows, entries }, player) {
  const at = player === "" ? -1 : rows.findIndex((row) => row.player.id === player);
  return at + NEIGHBOURS < rows.length || entries <= rows.length ? at : -1;
}

/** The rows around one's own with it among them, also where it is not on the list. @param {Me} me */
function withOwn({ row, around }) {
  if (row === null || around.some(({ id }) => id === row.id)) return around;
  const at = around.findIndex(({ rank, finished_at: when }) => rank > row.rank || (rank === row.rank && when > row.finished_at));
  return at < 0 ? [...around, row] : [...around.slice(0, at), row, ...around.slice(at)];
}

/** @typedef {{view: BoardView, standings: Standings | null, mine: Mine, dirty: boolean, askedAt: number,
 *   asking: ReturnType<typeof setTimeout> | undefined, rank: number | null, drawnAt: number}} Followed */

let saidAt = -Infinity;
/** @type {ReturnType<typeof setTimeout> | undefined} */ let saying;

/** Say something to people who listen: one sentence every few seconds, the newest. @param {string} words */
export function announceStandings(words) {
  clearTimeout(saying);
  saying = setTimeout(() => {
    saidAt = performance.now();
    const place = document.getElementById("announce");
    if (place !== null) place.textContent = words;
  }, Math.max(0, saidAt + SAY_EVERY - performance.now()));
}

/** The pill of the bar. @param {Status} status @param {string} [late] what is said when something is delayed */
export function showStatus(status, late = gettext("Standings are delayed.")) {
  const pill = document.getElementById("status");
  const words = document.getElementById("status-text");
  if (pill === null || words === null) return;
  const before = pill.dataset.state;
  if (before === status) return;
  if (status === "reconnecting" && before !== "off") announceStandings(gettext("Connection lost. Reconnecting."));
  if (status === "live" && before === "reconnecting") announceStandings(gettext("Live again."));
  if (status === "delayed") announceStandings(late);
  pill.hidden = false;
  pill.dataset.state = status;
  const texts = { connecting: gettext("connecting"), live: gettext("live"), delayed: gettext("delayed"), reconnecting: gettext("reconnecting") };
  words.textContent = texts[status];
}

/**
 * Follow every `.live-board[data-live=yes]` below an element, keep its `[data-countdown]` running, and show in the bar
 * how the link stands.
 * @param {HTMLElement} page
 * @param {{onRollover?: (daily: {number: number, date: string} | undefined) => void, onStatus?: (status: Status) => void}} [options]
 *   `onStatus`: told of every status, and the bar's pill is then the caller's (see `showStatus`)
 * @returns {{stop: () => void, again: (page: HTMLElement) => void, mine: (state: MyState, startedAt?: string, player?: string) => void}}
 *   `again`: another page has taken its place, the link stays. `mine`: the visitor's own attempt has begun (at an
 *   instant) or has a result: the row that says so appears. `player`: who that is, where the page did not know yet
 */
export function followBoards(page, { onRollover, onStatus } = {}) {
  const follower = new Follower(onRollover ?? (() => {}), onStatus ?? showStatus);
  follower.follow(page);
  return { stop: () => follower.stop(), again: (other) => follower.follow(other), mine: (state, at = "", player = "") => follower.mine(state, at, player) };
}

class Follower {
  /** @type {Followed[]} */ #boards = [];
  /** @type {Topic[]} */ #topics = [];
  /** @type {Link<Frame> | null} */ #link = null;
  /** @type {Status | null} */ #status = null;
  /** @type {{element: Element, end: number}[]} */ #countdowns = [];
  #page = /** @type {HTMLElement | null} */ (null);
  #ticking;
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #drawing;
  #drawnAt = -Infinity;
  #heldSince = 0;
  #onRollover;
  #onStatus;

  /** @param {(daily: {number: number, date: string} | undefined) => void} onRollover @param {(status: Status) => void} onStatus */
  constructor(onRollover, onStatus) {
    this.#onRollover = onRollover;
    this.#onStatus = onStatus;
    this.#ticking = setInterval(() => this.#tick(), 250);
    for (const type of PRESSES) addEventListener(type, this.#press, { passive: true });
  }

  /** @param {HTMLElement} page */
  follow(page) {
    this.#page = page;
    this.#leave();
    const roots = /** @type {NodeListOf<HTMLElement>} */ (page.querySelectorAll('.live-board[data-live="yes"]'));
    this.#boards = [...roots].map((root) => ({
      view: new BoardView(root),
      standings: null,
      mine: {
        player: root.dataset.player ?? "",
        state: /** @type {MyState} */ (root.dataset.mine ?? "none"),
        startedAt: root.dataset.started ?? "",
        me: null,
      },
      dirty: false,
      askedAt: -Infinity,
      asking: undefined,
      rank: Number(root.dataset.rank) || null,
      drawnAt: -Infinity,
    }));
    this.#countdowns = [...page.querySelectorAll("[data-countdown]")].map((element) => ({
      element,
      end: Date.parse(element.getAttribute("data-countdown") ?? ""),
    }));
    this.#tick();
    for (const topic of this.#topics) this.#link?.send({ type: "unsubscribe", ...topic });
    this.#topics = this.#boards.map(({ view }) => view.topic);
    if (this.#link !== null) this.#subscribe();
    else if (this.#topics.length > 0) {
      this.#link = new Link("/ws/v1/standings", {
        onOpen: () => this.#subscribe(),
        onFrame: (frame) => this.#take(frame),
        onStatus: (status) => this.#stand(status),
      });
    }
  }

  stop() {
    this.#link?.close();
    this.#link = null;
    clearInterval(this.#ticking);
    clearTimeout(this.#drawing);
    for (const type of PRESSES) removeEventListener(type, this.#press);
    this.#leave();
  }

  /** Nothing more is drawn into the lists followed until now. */
  #leave() {
    for (const { view, asking } of this.#boards) {
      clearTimeout(asking);
      view.stop();
    }
    this.#boards = [];
  }

  /** @param {MyState} state @param {string} startedAt @param {string} player */
  mine(state, startedAt, player) {
    for (const board of this.#boards) {
      const who = board.mine.player || player;
      if (who === "") continue;
      board.view.player = who;
      board.mine = { ...board.mine, player: who, state, startedAt: startedAt || board.mine.startedAt };
      board.dirty = true;
      if (state === "finished") this.#ask(board);
    }
    this.#plan();
  }

  /** Ask for every list of the page: on each new connection, and when the page has changed. */
  #subscribe() {
    for (const topic of this.#topics) this.#link?.send({ type: "subscribe", ...topic });
  }

  /** @param {Status} status */
  #stand(status) {
    if (status === this.#status) return;
    if (status === "connecting" && this.#status !== null) return;
    this.#status = status;
    this.#onStatus(status);
    this.#page?.querySelector("[data-stale]")?.toggleAttribute("hidden", status !== "reconnecting");
  }

  /** @param {Frame} frame */
  #take(frame) {
    switch (frame.type) {
      case "snapshot":
      case "event": {
        const board = this.#boards.find(({ view }) => sameTopic(view.topic, frame));
        if (board === undefined) return;
        const next = applied(board.standings, frame);
        if (next === null) {
          this.#link?.send({ type: "resync", ...board.view.topic });
          return;
        }
        if (next !== board.standings) {
          const news = next.version !== (board.standings?.version ?? board.view.version);
          board.standings = next;
          board.dirty = true;
          if (news) this.#ask(board);
          this.#plan();
        }
        if (this.#status !== "delayed") this.#stand("live");
        return;
      }
      case "heartbeat":
        told(frame.now);
        this.#stand(frame.delayed ? "delayed" : "live");
        for (const { view, standings } of this.#boards) {
          const type = due(standings, view.topic, frame);
          if (type !== null) this.#link?.send({ type, ...view.topic });
        }
        return;
      case "rollover":
        this.#onRollover(frame.daily);
    }
  }

  // --- one's own place ----------------------------------------------------------------------------------------------

  /** Ask soon where one stands now, unless the frames tell. @param {Followed} board */
  #ask(board) {
    const { mine, standings } = board;
    if (mine.player === "" || mine.state === "none" || board.asking !== undefined) return;
    if (standings !== null && ownIndex(standings, mine.player) >= 0) return;
    const wait = Math.max(0, board.askedAt + ASK_EVERY - performance.now()) + Math.random() * 1000; // not everybody at once
    board.asking = setTimeout(() => {
      board.askedAt = performance.now();
      void this.#fetch(board).finally(() => {
        board.asking = undefined;
      });
    }, wait);
  }

  /** @param {Followed} board */
  async #fetch(board) {
    const { board: name, kind, view } = board.view.topic;
    const asked = board.standings?.version ?? 0;
    try {
      const answer = await fetch(`/api/v1/boards/${encodeURIComponent(name)}/me?kind=${kind}&view=${view}`, { signal: AbortSignal.timeout(15_000) });
      if (!answer.ok) return;
      const me = /** @type {Me} */ (await answer.json());
      if (me.row !== null) board.mine = { ...board.mine, state: "finished", me };
      board.dirty = true;
      this.#plan();
    } catch {
      return; // the next event, or the new connection's snapshot, asks again
    }
    if ((board.standings?.version ?? 0) > asked) setTimeout(() => this.#ask(board)); // it has changed while we asked
  }

  // --- drawing ------------------------------------------------------------------------------------------------------

  /** A finger on a list holds it still. @param {Event} event */
  #press = (event) => {
    const held = event.type === "pointerdown" && this.#boards.some(({ view }) => view.holds(event.target));
    this.#heldSince = held ? performance.now() : 0;
    if (!held) this.#plan();
  };

  #plan() {
    if (this.#drawing !== undefined || !this.#boards.some(({ dirty }) => dirty)) return;
    const wait = this.#drawnAt + DRAW_EVERY - performance.now();
    this.#drawing = setTimeout(() => requestAnimationFrame(() => this.#draw()), Math.max(0, wait));
  }

  #draw() {
    this.#drawing = undefined;
    const now = performance.now();
    this.#drawnAt = now;
    if (this.#heldSince > 0 && now - this.#heldSince < HELD_AT_MOST) {
      this.#plan();
      return;
    }
    for (const board of this.#boards) {
      const { standings, view, mine, dirty } = board;
      if (!dirty || standings === null) continue;
      if (!view.visible && now - board.drawnAt < DRAW_HIDDEN_EVERY) continue;
      board.dirty = false;
      board.drawnAt = now;
      const first = board.rank === null;
      const lines = shownLines(standings, view.top, mine);
      const own = [...lines.head, ...(lines.tail ?? [])].find((line) => line.own)?.row ?? null;
      const provisional = own !== null && own === mine.me?.row && mine.me.provisional;
      const before = board.rank;
      if (own !== null) board.rank = own.rank;
      const place = lines.tail === null ? view.place : placeText(own?.rank ?? null, provisional, standings.entries);
      const changed = view.show(standings, lines, place);
      if (!view.visible || view.drawn === 1) continue;
      if (!first && own !== null && before !== own.rank) announceStandings(place);
      else if (this.#page?.dataset.page !== "play") this.#say(changed); // one's own game is what is listened to there
    }
    this.#plan();
  }

  /** @param {Row[]} rows */
  #say(rows) {
    const [row] = rows;
    if (row === undefined) return;
    const text = filled(gettext("Place %(rank)s: %(name)s, %(result)s, %(score)s."), {
      rank: row.rank,
      name: row.player.name ?? gettext("You"),
      result: resultText(row),
      score: String(row.score),
    });
    const count = rows.length - 1;
    const more = count > 0 ? filled(ngettext("%(count)s more result.", "%(count)s more results.", count), { count }) : "";
    announceStandings(`${text} ${more}`.trim());
  }

  #tick() {
    for (const { element, end } of this.#countdowns) {
      const text = remaining(end - serverNow());
      if (element.textContent !== text) element.textContent = text;
    }
    for (const { view, mine } of this.#boards) {
      if (mine.state === "playing") view.tick(timeText(serverNow() - Date.parse(mine.startedAt)));
    }
  }
}
