/** Why something was refused, in the player's language, by the stable code (R2.4); the server's English is for programs. */

import { filled, gettext, ngettext } from "./words.js";

/** Refusals by the rules: what "mistake help" explains. */
const RULES = new Set(["empty_slot", "covered", "not_adjacent", "stock_empty", "draw_not_allowed", "nothing_to_undo", "undo_not_allowed"]);

/** @param {string} code whether it is one that a player may not want explained */
export const isMistake = (code) => RULES.has(code);

/**
 * @param {{code: string, data: Record<string, any>}} refusal
 * @returns {string}
 */
export function refusalText({ code, data }) {
  switch (code) {
    case "game_over":
      return data.outcome === "stuck" ? gettext("No moves left.") : gettext("This game is over.");
    case "undo_not_allowed":
      return gettext("There is no undo here.");
    case "nothing_to_undo":
      return gettext("There is nothing to undo.");
    case "empty_slot":
      return gettext("This card has gone already.");
    case "covered":
      return gettext("This card is blocked.");
    case "not_adjacent":
      return gettext("Must be one higher or lower.");
    case "stock_empty":
      return gettext("The stock is empty.");
    case "draw_not_allowed":
      return data.fitting === undefined ? gettext("Play a card first.") : gettext("You can draw only when no card fits.");
    case "log_full":
      return gettext("This game has as many moves as a game can hold.");
    case "stale_ply":
      return gettext("You played on in another tab. This one has caught up.");
    case "move_id_reused":
    case "key_reused":
      return gettext("That did not come through. Please try again.");
    case "throttled":
      return waitText(Number(data.retry_after) || 1);
    case "unavailable":
    case "busy":
      return gettext("The server is catching its breath. Try again in a moment.");
    case "offline":
    case "timeout":
      return gettext("No answer from the server. Are you online?");
    case "not_signed_in":
      return gettext("You are not signed in any more.");
    case "banned":
      return gettext("This account may not play.");
    case "scope_missing":
    case "forbidden":
    case "origin_refused":
      return gettext("This browser may not play here.");
    case "not_found":
      return gettext("There is no such game of yours.");
    case "sealed_deal":
      return gettext("These cards belong to a daily that is not over yet.");
    case "daily_not_open":
      return gettext("This daily is not open yet.");
    case "daily_closed":
      return gettext("This daily is closed.");
    case "hint_not_allowed":
      return gettext("Hints are for practice games only.");
    case "finish_first":
      return gettext("You have a ranked game with these cards open. Finish it first.");
    default:
      return gettext("That did not work. Please try again.");
  }
}

/** @param {number} seconds */
export const waitText = (seconds) =>
  filled(ngettext("That was very fast. Go on in %(count)s second.", "That was very fast. Go on in %(count)s seconds.", seconds), {
    count: seconds,
  });
