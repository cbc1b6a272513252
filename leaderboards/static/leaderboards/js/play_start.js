/**
 * What stands over the table before a game: one button, and for a daily the choice to take a name first (R8.6).
 * @import {Attempt} from "../../games/js/state.js"
 * @import {Answer} from "../../games/js/api.js"
 * @typedef {{id: string, kind: string, name: string | null} | null} Player
 * @typedef {{attempt: Attempt | null, player: Player, ruleset: string, zone: string,
 *   opening: {waste: number, stock: number, score: number}, kind: "code" | "daily",
 *   target: string, number: number | null, next?: string | null, practiceOnly?: boolean, status?: string,
 *   opensAt?: string, closesAt?: string, graceEndsAt?: string, finalAt?: string, code?: string | null}} PlayData
 */

import { api } from "../../games/js/api.js";
import { element } from "../../games/js/ends.js";
import { freshKey } from "../../games/js/play.js";
import { refusalText } from "../../games/js/refusals.js";
import { filled, gettext } from "../../games/js/words.js";

/** Starts attempts; however often it is asked, one intent starts one attempt (case C17). */
export class Starter {
  /** @type {string | null} */ #key = null;
  #busy = false;
  /** @type {PlayData} */ #data;

  /** @param {PlayData} data `player` is kept up to date here */
  constructor(data) {
    this.#data = data;
  }

  /** The next start is another one, whatever became of the last. */
  another() {
    this.#key = null;
  }

  /**
   * Start, as a guest where nobody is signed in. Its key stays until it is answered: a repeat brings the same attempt.
   * @param {boolean} practice
   * @returns {Promise<Attempt | string | null>} the attempt, or why not, in words; null while another start is under way
   */
  async start(practice) {
    if (this.#busy) return null;
    this.#busy = true;
    try {
      const fresh = this.#data.player === null;
      const problem = fresh ? await this.#guest() : null;
      if (problem !== null) return problem;
      this.#key ??= freshKey();
      const { kind, target } = this.#data;
      const answer =
        kind === "daily"
          ? await api("POST", `/daily/${target.slice("daily-".length)}/attempts`, { key: this.#key })
          : await api("POST", "/attempts", { key: this.#key, code: target, practice });
      if (answered(answer)) this.#key = null;
      if (answer.ok) return answer.data.attempt;
      return this.#unknown(answer, fresh) ?? refusalText(answer.error);
    } finally {
      this.#busy = false;
    }
  }

  /** Become a guest. @returns {Promise<string | null>} why not, in words */
  async #guest() {
    if (!navigator.cookieEnabled) return cookiesText();
    const made = await api("POST", "/guests", { credential: "cookie" });
    if (!made.ok) return refusalText(made.error);
    this.#data.player = made.data.player;
    return null;
  }

  /**
   * Signed out meanwhile: the next tap makes a guest. One forgotten at once: the browser keeps no cookie.
   * @param {Answer} answer
   * @param {boolean} fresh whether we have just become a guest
   */
  #unknown({ status }, fresh) {
    if (status !== 401) return null;
    this.#data.player = null;
    return fresh ? cookiesText() : null;
  }

  /**
   * Become somebody with a name. A guest keeps what it has; a repeat after a lost answer is safe.
   * @param {string} name
   * @param {string} password
   * @returns {Promise<string[] | string>} the recovery codes, or why not, in words
   */
  async claim(name, password) {
    if (this.#busy) return gettext("One moment …");
    this.#busy = true;
    try {
      const fresh = this.#data.player === null;
      const problem = fresh ? await this.#guest() : null;
      if (problem !== null) return problem;
      const answer = await api("POST", "/account/claim", { name, password });
      if (!answer.ok) return this.#unknown(answer, fresh) ?? nameRefusal(answer.error);
      this.#data.player = answer.data.player;
      return answer.data.recovery_codes;
    } finally {
      this.#busy = false;
    }
  }
}

const cookiesText = () => gettext("Playing needs a cookie, by which the server knows you again. Please allow cookies for this site.");

/** Whether the server has decided: neither silence nor "come back later". @param {Answer} answer */
const answered = ({ status }) => status > 0 && status < 500 && status !== 429;

/** @param {{code: string, message: string, data: Record<string, any>}} error */
function nameRefusal(error) {
  switch (error.code) {
    case "name_taken":
      return gettext("This name, or one that looks like it, is taken.");
    case "name_length":
      return filled(gettext("A name has %(shortest)s to %(longest)s characters."), { shortest: error.data.shortest, longest: error.data.longest });
    case "name_characters":
      return gettext("A name has letters and digits, and spaces, - or _ between them.");
    case "name_spaces":
      return gettext("No spaces at the ends of a name, and single ones within.");
    case "name_scripts":
      return gettext("The letters of a name are all of one script.");
    case "name_reserved":
      return gettext("This name is kept back.");
    case "name_look_alike":
      return gettext("This name can be mistaken for another one.");
    case "password_weak":
      return gettext("Please choose a longer or less common password.");
    case "already_claimed":
      return gettext("You have a name already. Please load the page again.");
    default:
      return refusalText(error);
  }
}

/**
 * Put the start panel on its place and wire it.
 * @param {HTMLElement} place
 * @param {Starter} starter
 * @param {{onStart: (attempt: Attempt, practice: boolean) => void, practiceOnly: boolean}} options
 * @returns {() => void} press Play
 */
export function startPanel(place, starter, { onStart, practiceOnly }) {
  const template = /** @type {HTMLTemplateElement} */ (document.getElementById("start"));
  place.replaceChildren(template.content.cloneNode(true));
  const button = /** @type {HTMLButtonElement | null} */ (place.querySelector("[data-play]"));
  const problem = /** @type {HTMLElement} */ (place.querySelector("[data-problem]"));
  const practice = /** @type {HTMLInputElement | null} */ (place.querySelector("[data-practice]"));
  const words = button?.textContent ?? "";
  practice?.addEventListener("change", () => starter.another());

  /** @param {HTMLButtonElement} pressed */
  const press = async (pressed) => {
    const wanted = practiceOnly || practice?.checked === true;
    pressed.setAttribute("aria-disabled", "true");
    problem.hidden = true;
    const found = await starter.start(wanted);
    if (found === null) return;
    pressed.removeAttribute("aria-disabled");
    if (typeof found !== "string") {
      onStart(found, wanted);
      return;
    }
    problem.textContent = found;
    problem.hidden = false;
    pressed.textContent = gettext("Try again");
  };
  button?.addEventListener("click", () => void press(button));
  nameForm(place, starter, (codes, name) => {
    place.replaceChildren(codesPanel(codes, name, words === "" ? gettext("Play") : gettext("Play now"), press, problem));
    /** @type {HTMLElement | null} */ (place.querySelector("h2"))?.focus();
  });
  return () => button?.click();
}

/**
 * @param {HTMLElement} place
 * @param {Starter} starter
 * @param {(codes: string[], name: string) => void} onNamed
 */
function nameForm(place, starter, onNamed) {
  const opener = /** @type {HTMLButtonElement | null} */ (place.querySelector("[data-name]"));
  const form = /** @type {HTMLFormElement | null} */ (place.querySelector("form"));
  if (opener === null || form === null) return;
  const [name, password] = /** @type {HTMLInputElement[]} */ ([...form.querySelectorAll("input")]);
  const problem = /** @type {HTMLElement} */ (form.querySelector(".problem"));
  opener.addEventListener("click", () => {
    form.hidden = !form.hidden;
    opener.setAttribute("aria-expanded", String(!form.hidden));
    place.querySelector("[data-play]")?.classList.toggle("quiet", !form.hidden); // one primary button
    if (!form.hidden) name?.focus();
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    problem.hidden = true;
    const found = await starter.claim(name?.value ?? "", password?.value ?? "");
    if (typeof found !== "string") {
      onNamed(found, name?.value ?? "");
      return;
    }
    problem.textContent = found;
    problem.hidden = false;
  });
}

/**
 * The recovery codes, shown this once; then Play.
 * @param {string[]} codes
 * @param {string} name
 * @param {string} words
 * @param {(button: HTMLButtonElement) => void} press
 * @param {HTMLElement} problem
 */
function codesPanel(codes, name, words, press, problem) {
  const root = element("div", "", "start");
  const heading = element("h2");
  heading.tabIndex = -1;
  const [before = "", after = ""] = gettext("%(name)s is yours").split("%(name)s");
  heading.append(before, element("bdi", name), after);
  const list = element("ul", "", "recovery-codes");
  list.dir = "ltr";
  for (const code of codes) list.append(element("li", code));
  const button = element("button", words, "button");
  button.type = "button";
  button.addEventListener("click", () => press(button));
  const actions = element("p", "", "actions");
  actions.append(button);
  root.append(
    heading,
    element("p", gettext("Write these codes down: if you forget the password, each of them lets you in once. They are not shown again.")),
    list,
    element("p", gettext("You have one attempt, without undo. The clock starts when you do.")),
    actions,
    problem,
  );
  return root;
}
