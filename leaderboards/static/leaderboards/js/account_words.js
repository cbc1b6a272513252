/**
 * What to say of a refusal about accounts, by its stable code.
 * @import {Refusal} from "../../games/js/api.js"
 * @import {Said} from "./forms.js"
 */

import { refusalText } from "../../games/js/refusals.js";
import { filled, gettext, ngettext } from "../../games/js/words.js";

const NEW = ["new", "new_password", "password"];

/** @param {Refusal} error @returns {Said} */
export function said(error) {
  const { code, data } = error;
  switch (code) {
    case "wrong_login":
      return { words: gettext("Name and password do not belong together."), fields: ["password"] };
    case "wrong_password":
      return { words: gettext("That is not your password."), fields: ["old", "password"] };
    case "wrong_recovery":
      return { words: gettext("Name and code do not belong together, or the code was used."), fields: ["recovery_code"] };
    case "password_weak":
      return { words: gettext("Too easy to guess: at least 8 characters, not digits alone, not one that everybody uses."), fields: NEW };
    case "name_taken":
      return name(gettext("Somebody has this name, or one that looks like it."));
    case "name_length":
      return name(filled(gettext("A name has %(shortest)s to %(longest)s characters."), { shortest: 2, longest: 24, ...data }));
    case "name_characters":
      return name(gettext("Letters, digits, single spaces and - _ . ' only, beginning with a letter or digit."));
    case "name_spaces":
      return name(gettext("No spaces at the ends, and single ones within."));
    case "name_scripts":
      return name(gettext("All letters of one script, please."));
    case "name_look_alike":
      return name(gettext("This name could be mistaken for another one."));
    case "name_reserved":
      return name(gettext("This name is kept back."));
    case "name_differs":
      return name(gettext("Type your name exactly as it is written above."));
    case "already_claimed":
      return { words: gettext("This account has a name already. Reload the page to see it.") };
    case "persons_only":
      return { words: gettext("That needs an account with a name.") };
    case "too_many_bots":
      return { words: filled(gettext("You have %(most)s bots; that is as many as there may be."), data) };
    case "too_many_tokens":
      return { words: filled(gettext("You have %(most)s tokens; that is as many as there may be. End one first."), data) };
    case "no_scope":
      return { words: gettext("It must be allowed to do something: read, play, or both.") };
    case "throttled":
      return { words: wait(Number(data.retry_after) || 1) };
    case "not_signed_in":
      return { words: gettext("You are not signed in here any more. Reload the page.") };
    case "not_found":
      return { words: gettext("It is gone already. Reload the page.") };
    case "own_report":
      return { words: gettext("This is yours. Reports are about others.") };
    case "last_head":
      return { words: gettext("You are the last head moderator who can act. Make somebody else one first.") };
    case "already_appealed":
    case "not_appealable":
    case "taken_back":
      return { words: gettext("Something has changed here. Reload the page to see it.") };
    case "origin_refused":
      return { words: gettext("This address of the page is not known to the server, so nothing can be changed from here.") };
    case "bad_field":
      return { words: gettext("That cannot be read. Please type it again."), fields: [String(data.field)] };
    default:
      return { words: refusalText(error) };
  }
}

/** @param {string} words @returns {Said} */
const name = (words) => ({ words, fields: ["name"] });

/** @param {number} seconds */
function wait(seconds) {
  if (seconds < 90) return filled(ngettext("Too many tries. Go on in %(count)s second.", "Too many tries. Go on in %(count)s seconds.", seconds), { count: seconds });
  const minutes = Math.ceil(seconds / 60);
  return filled(ngettext("Too many tries. Go on in %(count)s minute.", "Too many tries. Go on in %(count)s minutes.", minutes), { count: minutes });
}
