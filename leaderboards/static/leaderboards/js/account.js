/**
 * The entry of /account: what the forms and buttons there do, all through the API.
 * @import {Act} from "./forms.js"
 */

import { announce } from "../../games/js/announce.js";
import { api } from "../../games/js/api.js";
import { filled, gettext } from "../../games/js/words.js";
import { showCodes, showToken, watchOnce } from "./account_once.js";
import { said } from "./account_words.js";
import { busy, listen, problem, revealers, wake } from "./forms.js";

const root = /** @type {HTMLElement} */ (document.getElementById("account"));
const onward = root.dataset.next || "/account";
/** The session or token that the dialog asks about. */
let revoked = "";
/** What had the focus when the dialog opened. @type {Element | null} */
let opener = null;

/** @param {FormData} values @param {string} name */
const text = (values, name) => String(values.get(name) ?? "");

/** @param {string} id */
const element = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** Show a hidden line, and read it out by moving there. @param {string} id */
function tell(id) {
  element(id).hidden = false;
  element(id).focus();
}

/** Read the lists again, from the page itself. */
async function refresh() {
  const asked = { headers: { Accept: "text/html" }, signal: AbortSignal.timeout(15_000) };
  const html = await fetch(location.href, asked)
    .then((answer) => (answer.ok ? answer.text() : null))
    .catch(() => null);
  if (html === null) return;
  const fresh = new DOMParser().parseFromString(html, "text/html");
  for (const old of root.querySelectorAll("[data-fresh]")) {
    const next = fresh.getElementById(old.id);
    if (next !== null) old.replaceWith(document.adoptNode(next));
  }
  wake(root);
}

/** @param {HTMLFormElement} form */
function fold(form) {
  form.reset();
  const details = form.closest("details");
  if (details !== null) details.open = false;
}

/** @type {Record<string, Act>} */
const acts = {
  login: {
    send: (values) => api("POST", "/login", { name: text(values, "name").trim(), password: text(values, "password"), banned_too: true }),
    done: (data) => go(data.banned ? "/account" : onward), // which says why, and what can still be done
  },
  recover: {
    send: (values) =>
      api("POST", "/account/recover", {
        name: text(values, "name").trim(),
        recovery_code: text(values, "recovery_code"),
        new_password: text(values, "new_password"),
      }),
    done: (data, form) => {
      fold(form);
      /** @type {HTMLInputElement} */ (element("login-name")).value = data.player.name;
      tell("recovered");
    },
  },
  claim: {
    send: (values) => api("POST", "/account/claim", { name: text(values, "name").trim(), password: text(values, "password") }),
    done: (data) => {
      const name = `\u2068${data.player.name}\u2069`;
      const title = filled(gettext("%(name)s it is. Keep these recovery codes"), { name });
      showCodes(data.recovery_codes, data.player.name, title);
    },
  },
  logout: { send: () => api("POST", "/logout"), done: () => go("/account") },
  password: {
    send: (values) => api("POST", "/account/password", { old: text(values, "old"), new: text(values, "new") }),
    done: async (_data, form) => {
      fold(form);
      await refresh();
      tell("password-done");
    },
  },
  codes: {
    send: (values) => api("POST", "/account/recovery-codes", { password: text(values, "password") }),
    done: (data, form) => {
      fold(form);
      showCodes(data.recovery_codes, root.dataset.name ?? "");
    },
  },
  delete: {
    check: (values) => (text(values, "name") === root.dataset.name ? null : said({ code: "name_differs", message: "", data: {} })),
    send: (values) => api("DELETE", "/account", { password: text(values, "password") }),
    done: () => {
      for (const child of root.children) /** @type {HTMLElement} */ (child).hidden = true;
      element("gone").hidden = false;
      element("gone-title").focus();
      return true;
    },
  },
  revoke: {
    send: () => api("DELETE", `/account/tokens/${encodeURIComponent(revoked)}`),
    done: async () => {
      const list = opener?.closest("[data-fresh]")?.id ?? "sessions";
      /** @type {HTMLDialogElement} */ (element("revoke")).close();
      await refresh();
      element(`${list}-title`).focus();
      announce(gettext("It is ended."));
    },
  },
  appeal: {
    send: (values, form) => api("POST", `/account/notices/${form.dataset.notice}/appeal`, { text: text(values, "text") }),
    done: async () => {
      await refresh();
      element("notices-title").focus();
      announce(gettext("Your appeal is on its way."));
    },
  },
  token: {
    check: (values) => (values.getAll("scopes").length > 0 ? null : said({ code: "no_scope", message: "", data: {} })),
    send: (values, form) => {
      const path = form.dataset.owner ? `/account/bots/${form.dataset.owner}/tokens` : "/account/tokens";
      return api("POST", path, { name: text(values, "name"), scopes: values.getAll("scopes") });
    },
    done: async (data, form) => {
      await refresh();
      const made = root.querySelector(`form[data-act="token"][data-owner="${form.dataset.owner}"]`);
      const details = made?.closest("details");
      const box = /** @type {HTMLElement | null | undefined} */ (details?.querySelector(".once"));
      if (!details || !box) return;
      details.open = true;
      showToken(box, data.token);
    },
  },
  bot: {
    send: (values) => api("POST", "/account/bots", { name: text(values, "name").trim() }),
    done: async (data) => {
      await refresh();
      const made = root.querySelector(`form[data-owner="${data.player.id}"]`);
      const details = made?.closest("details");
      if (!details) return;
      details.open = true;
      made?.querySelector("input")?.focus();
      announce(gettext("Your bot is there. Make a token for its program."));
    },
  },
};

/** @param {string} address */
function go(address) {
  location.assign(address);
  return true;
}

/** Buttons that need no form. @param {HTMLButtonElement} button */
async function press(button) {
  if (button.getAttribute("aria-busy") === "true") return;
  busy(button, true);
  const out = button.dataset.do === "logout";
  const answer = await api("POST", out ? "/logout" : "/account/logout-others");
  if (answer.ok && out) {
    go("/account");
    return;
  }
  busy(button, false);
  if (answer.ok) {
    await refresh();
    element("sessions-title").focus();
    announce(gettext("You are signed in here only."));
    return;
  }
  const place = element("page-problem");
  place.textContent = said(answer.error).words;
  place.hidden = false;
  place.focus();
}

/** @param {HTMLButtonElement} button */
function ask(button) {
  revoked = button.dataset.revoke ?? "";
  const name = `\u2068${button.dataset.name ?? ""}\u2069`;
  const session = button.dataset.what === "session";
  element("revoke-ask").textContent = session ? gettext("Sign this one out?") : gettext("End this token?");
  element("revoke-about").textContent = session
      ? gettext("That browser or program is signed out within seconds, in the middle of a game too. The game goes on where you sign in.")
      : filled(gettext("Programs with the token %(name)s can do nothing any more, within seconds."), { name });
  open(button, "revoke");
}

/** @param {Element} button @param {string} id */
function open(button, id) {
  opener = button;
  const dialog = /** @type {HTMLDialogElement} */ (element(id));
  /** @type {HTMLElement} */ (dialog.querySelector("[data-problem]")).hidden = true;
  dialog.showModal();
}

document.addEventListener("click", (event) => {
  const button = event.target instanceof Element ? event.target.closest("button") : null;
  if (button === null) return;
  if (button.dataset.do !== undefined) void press(button);
  else if (button.dataset.revoke !== undefined) ask(button);
  else if (button.dataset.open !== undefined) open(button, button.dataset.open);
  else if (button.dataset.close !== undefined) button.closest("dialog")?.close();
});

/** Whether a name can be had is told while it is typed; asking for it decides. */
function tryNames() {
  const field = /** @type {HTMLInputElement | null} */ (document.getElementById("claim-name"));
  const free = document.getElementById("claim-free");
  if (field === null || free === null) return;
  /** @type {ReturnType<typeof setTimeout> | undefined} */ let timer;
  field.addEventListener("input", () => {
    free.textContent = "";
    clearTimeout(timer);
    const typed = field.value.trim();
    if (typed === "") return;
    timer = setTimeout(async () => {
      const answer = await api("GET", `/names?name=${encodeURIComponent(typed)}`);
      if (field.value.trim() !== typed) return; // typed on meanwhile
      if (answer.ok) {
        free.textContent = filled(gettext("%(name)s is free."), { name: `\u2068${answer.data.name}\u2069` });
      } else if (answer.status === 400 || answer.status === 409) {
        const { words } = said(answer.error);
        problem(field, words);
        announce(words);
      }
    }, 450);
  });
}

/** What stands on the page counts as read; the mark on it stays until the next visit. */
function readNotices() {
  const newest = document.getElementById("notices")?.dataset.newest;
  if (newest) void api("POST", "/account/notices/read", { newest });
}

listen(acts, said);
revealers();
watchOnce();
tryNames();
readNotices();
wake(document);
// A page from the way back may show an account that has signed out since.
addEventListener("pageshow", (event) => event.persisted && location.reload());
