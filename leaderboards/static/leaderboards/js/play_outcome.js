/**
 * What a result means on the boards: one's place, and the news of a numbered game (R8.5).
 * @import {Attempt} from "../../games/js/state.js"
 * @import {PlayData} from "./play_start.js"
 */

import { api } from "../../games/js/api.js";
import { filled, gettext, ngettext } from "../../games/js/words.js";

/**
 * Lines about an attempt that has a result, best first; none where the server does not answer.
 * @param {Attempt} attempt
 * @param {PlayData} data
 * @returns {Promise<string[]>}
 */
export async function outcomeLines(attempt, data) {
  if (attempt.result === null) return [];
  const guest = data.player?.kind === "guest";
  const counts = attempt.ranked || (guest && attempt.competition !== null);
  if (!counts) return [gettext("A practice game: it counts on no board.")];
  const [news, place] = await Promise.all([newsLines(attempt, data), placeLine(attempt, guest)]);
  return [...news, ...place];
}

/** @param {Attempt} attempt @param {boolean} guest */
async function placeLine(attempt, guest) {
  const board = attempt.competition ?? attempt.code ?? "";
  const answer = await api("GET", `/boards/${encodeURIComponent(board)}/me?kind=people`);
  const rank = answer.data?.rank;
  if (typeof rank !== "number") return [];
  if (guest || answer.data.provisional) return [filled(gettext("With a name, your place would be number %(rank)s."), { rank })];
  if (answer.data.row.id !== attempt.id) return [filled(gettext("Your best game here has place number %(rank)s."), { rank })];
  return [filled(gettext("Your place is number %(rank)s."), { rank })];
}

/** @param {Attempt} attempt @param {PlayData} data */
async function newsLines(attempt, data) {
  if (data.number === null || data.kind !== "code") return [];
  const answer = await api("GET", `/attempts/${attempt.id}/news`);
  const news = answer.data?.news;
  if (!news) return [];
  const lines = [newsText(news)];
  if (answer.data.provisional && news.kind !== "no_record") lines.push(gettext("With a name it would be in the book."));
  return lines;
}

/** @param {{kind: string, fewer_cards: number | null, fewer_moves: number | null}} news */
function newsText({ kind, fewer_cards: cards, fewer_moves: moves }) {
  switch (kind) {
    case "first_win":
      return gettext("You are the first ever to win this game!");
    case "record_broken":
      if (!moves) return gettext("A new record!");
      return filled(ngettext("A new record, by %(count)s move!", "A new record, by %(count)s moves!", moves), { count: moves });
    case "best_so_far":
      if (cards) {
        return filled(
          ngettext("The best result so far, by %(count)s card. Nobody has won this game.", "The best result so far, by %(count)s cards. Nobody has won this game.", cards),
          { count: cards },
        );
      }
      return gettext("The best result so far. Nobody has won this game.");
    default:
      return gettext("The record stands.");
  }
}
