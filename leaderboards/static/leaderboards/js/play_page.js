/**
 * The page of the table: starts or goes on, plays, and says how it ended.
 * @import {Attempt} from "../../games/js/state.js"
 * @import {Way} from "../../games/js/ends.js"
 * @import {PlayStatus} from "../../games/js/play.js"
 * @import {PlayData} from "./play_start.js"
 * @import {Status} from "./types.js"
 */

import { announce } from "../../games/js/announce.js";
import { api } from "../../games/js/api.js";
import { restart } from "../../games/js/clock.js";
import { element, endPanel, endTitle } from "../../games/js/ends.js";
import { Play, freshKey } from "../../games/js/play.js";
import { refusalText } from "../../games/js/refusals.js";
import { Table } from "../../games/js/table.js";
import { filled, gettext } from "../../games/js/words.js";
import { followBoards, showStatus } from "./live.js";
import { watchDay } from "./play_day.js";
import { helpSwitch } from "./play_help.js";
import { outcomeLines } from "./play_outcome.js";
import { Starter, startPanel } from "./play_start.js";

const RESIGN_TRIES = 3;

const page = /** @type {HTMLElement} */ (document.querySelector('[data-page="play"]'));
const root = /** @type {HTMLElement} */ (document.getElementById("table"));
const data = /** @type {PlayData} */ (JSON.parse(document.getElementById("play-data")?.textContent ?? "{}"));
restart(page.dataset.now);

const starter = new Starter(data);
const table = new Table(root, {
  interactive: true,
  controls: ["undo", "hint", "resign", "winnable"],
  onMove: (move) => {
    table.hint(null);
    play.move(move);
  },
  onHint: () => void askSolver("hint"),
  onWinnable: () => void askSolver("winnable"),
  onResign: () => ask("resign", () => void resign()),
});
const play = new Play(table, { onState, onStatus: (status) => stand({ play: status }), onEnd: signedOut });
let practice = false;
/** Which end the panel tells of. @type {{place: string, outcome: string | null, closed: boolean} | null} */
let shownEnd = null;
let askingSolver = false;

// --- how the links stand -------------------------------------------------------------------------------------------

/** @type {{play: PlayStatus | null, standings: Status | null}} */
const links = { play: null, standings: null };

/** The worse of the two links is shown. @param {Partial<typeof links>} change */
function stand(change) {
  Object.assign(links, change);
  const all = [links.play, links.standings];
  const worst = /** @type {const} */ (["reconnecting", "delayed", "connecting", "live"]).find((status) => all.includes(status));
  if (worst !== undefined) showStatus(worst, links.play === "delayed" ? gettext("The server is slow to answer.") : undefined);
}

const lists = followBoards(page, {
  onStatus: (status) => stand({ standings: status }),
});
watchDay(data, {
  attempt: () => play.attempt,
  onOpen: () => location.reload(),
  onDeadline: () => play.refresh(),
  onClosed: () => {
    if (play.attempt === null) showStart("closed");
  },
});

// --- before ----------------------------------------------------------------------------------------------------------

/** All face down: nothing is known of the cards before the start. */
function showBacks() {
  table.show({
    tableau: Array(28).fill("??"),
    open: [],
    waste: data.opening.waste > 0 ? "??" : null,
    wasteCount: data.opening.waste,
    stock: data.opening.stock,
    pending: [],
    legal: [],
    score: data.opening.score,
    moves: 0,
    run: 0,
    peaks: 0,
    cardsLeft: 28,
    outcome: null,
    closed: false,
    undoAllowed: false,
    ruleset: data.ruleset,
    clock: null,
  });
  table.lock(true);
  showControls(null);
}

/** @param {"start" | "closed"} which @returns {() => void} press Play */
function showStart(which) {
  if (which === "closed") {
    const words = element("div", "", "start");
    const link = element("a", gettext("Today's daily"), "button");
    link.href = "/play/daily";
    words.append(element("h2", gettext("This daily is closed")), link);
    const held = table.cover.contains(document.activeElement);
    table.cover.replaceChildren(words);
    if (held) link.focus();
    return () => {};
  }
  return startPanel(table.cover, starter, { onStart: begin, practiceOnly: data.practiceOnly === true });
}

/**
 * @param {Attempt} attempt
 * @param {boolean} asked whether practice was wanted
 */
function begin(attempt, asked) {
  practice = asked;
  clearEnd();
  table.lock(false);
  table.hint(null);
  table.message("", false);
  play.open(attempt);
  if (attempt.outcome === null) { // else it has ended in another tab, and the panel says so
    lists.mine("playing", attempt.started_at, data.player?.id);
    table.focusNext();
  }
  if (!asked && isPractice(attempt)) {
    table.message(gettext("This counts as practice, since you have had help with these cards."));
  }
}

/** The same deal once more; the game before, if it could still be undone, ends with what it reached. */
async function again() {
  const before = play.attempt;
  const found = await starter.start(practice);
  if (found === null) return;
  if (typeof found === "string") {
    sayAtEnd(found);
    return;
  }
  if (before !== null && !before.closed) void api("POST", `/attempts/${before.id}/resign`, { move_id: freshKey() });
  begin(found, practice);
}

// --- while -----------------------------------------------------------------------------------------------------------

/** @param {Attempt} attempt */
const isPractice = (attempt) => !attempt.ranked && attempt.competition === null;

/** Buttons that are there at some times only. @param {Attempt | null} attempt */
function showControls(attempt) {
  const running = attempt !== null && !attempt.closed;
  const helped = running && attempt.outcome === null && isPractice(attempt);
  table.offer({ resign: running, hint: helped, winnable: helped });
  const tag = document.getElementById("practice-tag");
  if (tag === null) return;
  tag.hidden = attempt === null || attempt.ranked;
  if (attempt !== null) tag.textContent = isPractice(attempt) ? gettext("Practice") : gettext("Unranked");
}

/** @param {Attempt} attempt @param {number} waiting */
function onState(attempt, waiting) {
  showControls(attempt);
  const over = attempt.outcome !== null && waiting === 0;
  const place = `${attempt.id} ${attempt.ply}`; // a game is at one end only in each place
  if (over && shownEnd?.place === place && shownEnd.outcome === attempt.outcome && shownEnd.closed === attempt.closed) return;
  if (over) {
    showEnd(attempt, shownEnd?.place !== place);
    shownEnd = { place, outcome: attempt.outcome, closed: attempt.closed };
  } else if (shownEnd !== null) {
    shownEnd = null;
    const held = endPlaces().some((each) => each.contains(document.activeElement));
    clearEnd();
    table.lock(false);
    if (held) table.focusNext();
  }
}

/**
 * The solver's word, in practice.
 * @param {"hint" | "winnable"} what
 */
async function askSolver(what) {
  const { attempt } = play;
  if (attempt === null || askingSolver) return;
  askingSolver = true;
  const answer = await api("POST", `/attempts/${attempt.id}/${what}`, {});
  askingSolver = false;
  if (!answer.ok) {
    table.message(refusalText(answer.error));
    return;
  }
  if (play.attempt?.id !== attempt.id || answer.data.ply !== play.attempt.ply) return; // played on meanwhile
  const { move, winnable } = answer.data;
  if (what === "winnable") {
    table.message(winnable ? gettext("Yes, this can still be won.") : gettext("No, it cannot be won from here. You can undo."));
    return;
  }
  table.hint(move);
  if (move === null) table.message(gettext("Only an undo helps here."));
  else if (move === "d") table.message(gettext("Draw a card."));
  else table.message(gettext("Play the marked card."));
}

/** A question in a dialog of the page; `yes` is done when that is the answer. @param {string} id @param {() => void} yes */
function ask(id, yes) {
  const dialog = /** @type {HTMLDialogElement} */ (document.getElementById(id));
  dialog.returnValue = "";
  dialog.addEventListener(
    "close",
    () => {
      if (dialog.returnValue === "yes") yes();
    },
    { once: true },
  );
  dialog.showModal();
}

async function resign() {
  const { attempt } = play;
  if (attempt === null) return;
  const move_id = freshKey();
  for (let tries = 1; tries <= RESIGN_TRIES; tries += 1) {
    const answer = await api("POST", `/attempts/${attempt.id}/resign`, { move_id });
    const state = answer.ok ? answer.data.attempt : answer.error.data.attempt;
    if (state !== undefined) {
      play.adopt(state);
      return;
    }
    if (answer.error !== null && answer.status > 0 && answer.status < 500) {
      table.message(refusalText(answer.error));
      return;
    }
    if (tries === RESIGN_TRIES && answer.error !== null) table.message(refusalText(answer.error));
  }
}

/** The credential has ended: its games cannot go on here. */
function signedOut() {
  table.lock(true);
  data.player = null;
  const words = element("section", "", "end");
  const heading = element("h2", gettext("You were signed out"));
  heading.tabIndex = -1;
  const ways = element("p", "", "actions");
  const sign = element("a", gettext("Sign in"), "button");
  sign.href = "/account";
  const load = element("a", gettext("Play on as somebody new"), "button quiet");
  load.href = location.pathname;
  ways.append(sign, load);
  words.append(heading, element("p", gettext("Sign in again to go on with this game.")), ways);
  table.panel.replaceChildren(words);
  heading.focus();
  links.play = null;
  const pill = document.getElementById("status");
  if (pill !== null) pill.hidden = true;
}

// --- after -----------------------------------------------------------------------------------------------------------

const endPlaces = () => [table.panel, table.cover];

function clearEnd() {
  for (const place of endPlaces()) place.replaceChildren();
}

/** Why something offered there did not work. @type {(words: string) => void} */
let sayAtEnd = () => {};

/** @param {Attempt} attempt @returns {Way[]} */
function waysOn(attempt) {
  /** @type {Way[]} */ const ways = [];
  const stuck = attempt.outcome === "stuck" && !attempt.closed;
  if (stuck && attempt.undo_allowed) ways.push({ words: gettext("Undo the last move"), primary: true, act: () => play.move("u") });
  if (attempt.competition !== null) {
    ways.push({ words: gettext("Standings"), primary: true, href: `/boards/${attempt.competition}` });
    if (data.status === "final") ways.push({ words: gettext("Replay and analysis"), href: `/attempts/${attempt.id}` });
    if (data.status === "final" && data.code) ways.push({ words: gettext("Practise these cards"), href: `/play/${data.code}` });
    else ways.push({ words: gettext("A random deal"), href: `/play/random?ruleset=${attempt.ruleset}#go` });
    return ways;
  }
  ways.push({ words: gettext("Same deal again"), primary: !stuck, act: () => void again() });
  if (data.next) ways.push({ words: gettext("Next game"), href: `/play/${data.next}#go` });
  ways.push({ words: gettext("New deal"), href: `/play/random?ruleset=${attempt.ruleset}#go` });
  if (stuck) ways.push({ words: gettext("Replay and analysis"), act: () => ask("analyse", () => void analyse(attempt)) });
  else ways.push({ words: gettext("Replay and analysis"), href: `/attempts/${attempt.id}` });
  return ways;
}

/** What the game was, for sharing. */
function title() {
  if (data.number === null) return `TriPeaks ${data.target}`;
  const words = data.kind === "daily" ? gettext("TriPeaks daily %(number)s") : gettext("TriPeaks game %(number)s");
  return filled(words, { number: String(data.number) });
}

/**
 * @param {Attempt} attempt that has ended, or is stuck
 * @param {boolean} fresh not just the same end told again
 */
function showEnd(attempt, fresh) {
  table.lock(attempt.closed);
  const url = `${location.origin}/play/${data.target}`;
  const { root: panel, say } = endPanel(attempt, { title: title(), url, scored: attempt.ruleset !== "G", ways: waysOn(attempt) });
  /** @type {HTMLElement | null} */ let line = null;
  sayAtEnd = (words) => {
    line ??= say("", "problem");
    line.textContent = words;
    announce(words);
  };
  const held = endPlaces().some((each) => each.contains(document.activeElement));
  clearEnd();
  (attempt.outcome === "won" ? table.cover : table.panel).replaceChildren(panel); // a won board is bare
  if (fresh || held) panel.querySelector("h2")?.focus({ preventScroll: true });
  panel.scrollIntoView({ block: "nearest" });
  if (attempt.competition !== null && data.status !== "final" && attempt.closed) {
    say(gettext("Replays and the best possible result are shown when the daily is final."), "muted");
  }
  const guest = data.player?.kind === "guest";
  if (guest && attempt.result !== null) {
    const words = attempt.competition === null ? gettext("Keep your results: take a name") : gettext("Take a name, and tomorrow you are ranked");
    const link = element("a", words);
    link.href = "/account";
    say("").append(link);
  }
  if (attempt.result === null) return;
  lists.mine("finished", "", data.player?.id);
  void outcomeLines(attempt, data).then((lines) => {
    if (!panel.isConnected) return;
    panel.querySelector(".end-lines")?.prepend(...lines.map((words) => element("p", words, "end-news")));
    if (lines.length > 0) announce(`${endTitle(attempt)}. ${lines.join(" ")}`);
  });
}

/** Ends a stuck game, then shows what the solver says of it. @param {Attempt} attempt */
async function analyse(attempt) {
  const answer = await api("POST", `/attempts/${attempt.id}/analysis`, {});
  if (answer.ok) location.assign(`/attempts/${attempt.id}?analysis=1#analysis`);
  else sayAtEnd(refusalText(answer.error));
}

// --- the page --------------------------------------------------------------------------------------------------------

helpSwitch(() => {
  if (play.attempt !== null) play.adopt(play.attempt);
});
// Back by the browser's own memory: a game may have begun in another tab, or somebody else have signed in.
addEventListener("pageshow", (event) => {
  if (event.persisted && play.attempt === null) location.reload();
});
showBacks();
const ours = document.referrer.startsWith(`${location.origin}/`);
const go = location.hash === "#go" && ours && data.kind === "code";
if (location.hash === "#go") history.replaceState(null, "", location.pathname + location.search);
if (data.attempt !== null) {
  practice = isPractice(data.attempt);
  table.lock(false);
  play.open(data.attempt);
} else {
  const press = showStart("start");
  if (go) press();
}
