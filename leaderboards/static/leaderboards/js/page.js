/**
 * The entry of home and boards: what the server wrote works without any of this; here it comes alive, and is read again
 * when the day changes under it.
 */

import { restart, serverNow } from "../../games/js/clock.js";
import { filled, gettext } from "../../games/js/words.js";
import { announceStandings, followBoards } from "./live.js";

const KEPT_TAB = "tripeaks-tab";
const LONGEST_TIMER = 2 ** 31 - 1;
const PATIENCE = 15_000;

/** @type {ReturnType<typeof followBoards> | null} */ let following = null;
/** @type {ReturnType<typeof setTimeout> | undefined} */ let turn;
let refreshing = false;

/** Bring what the page says to life: after loading, and after the day has changed under it. */
function begin() {
  const page = /** @type {HTMLElement | null} */ (document.querySelector("[data-page]"));
  if (page === null) return;
  restart(page.dataset.now);
  const tabs = /** @type {HTMLElement | null} */ (page.querySelector("[data-tabs]"));
  if (tabs !== null) makeTabs(tabs);
  for (const note of page.querySelectorAll(".no-live")) note.remove();
  if (following === null) following = followBoards(page, { onRollover: () => later(Math.random() * 2000) });
  else following.again(page);
  schedule(page.dataset.refreshAt);
}

/** @param {number} wait */
function later(wait) {
  clearTimeout(turn);
  turn = setTimeout(() => void refresh(), Math.min(wait, LONGEST_TIMER));
}

/**
 * The server's clock will change this page at an instant (close, opening, final): read it again shortly after.
 * @param {string | undefined} instant
 */
function schedule(instant) {
  clearTimeout(turn);
  const at = Date.parse(instant ?? "");
  if (!Number.isNaN(at)) later(Math.max(1000, at - serverNow() + 300 + Math.random() * 3000)); // not everybody at once
}

/** Read the page again in place. */
async function refresh() {
  if (refreshing) return;
  refreshing = true;
  try {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" }, signal: AbortSignal.timeout(PATIENCE) });
    if (!answer.ok) throw new Error(String(answer.status));
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    const next = fresh.querySelector("main > [data-page]");
    const here = document.querySelector("main > [data-page]");
    if (next === null || here === null) return;
    const another = next.getAttribute("data-daily") !== here.getAttribute("data-daily");
    const mayFocus = here.contains(document.activeElement);
    here.replaceWith(document.adoptNode(next));
    document.title = fresh.title;
    begin();
    if (another) notice(filled(gettext("Daily %(number)s has opened."), { number: next.getAttribute("data-daily") ?? "" }));
    if (mayFocus) document.getElementById("main")?.focus({ preventScroll: true });
  } catch {
    later(5000 + Math.random() * 5000); // the server is away: the pill says so
  } finally {
    refreshing = false;
  }
}

/** A line at the top of the page, also spoken. @param {string} words */
function notice(words) {
  const line = document.querySelector("main > .notice") ?? document.createElement("p");
  line.className = "note notice";
  line.textContent = words;
  document.getElementById("main")?.prepend(line);
  announceStandings(words);
}

/** The tabs pattern: links to panels become tabs; arrows, Home and End move between them. @param {HTMLElement} list */
function makeTabs(list) {
  const tabs = [...list.querySelectorAll("a[data-tab]")].map((link) => {
    const name = link.getAttribute("data-tab") ?? "";
    const panel = /** @type {HTMLElement} */ (document.getElementById(name));
    const tab = document.createElement("button");
    tab.type = "button";
    tab.id = link.id;
    tab.append(...link.childNodes);
    tab.setAttribute("role", "tab");
    tab.setAttribute("data-tab", name);
    tab.setAttribute("aria-controls", name);
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-labelledby", tab.id);
    link.replaceWith(tab);
    return { name, tab, panel };
  });
  list.setAttribute("role", "tablist");
  list.setAttribute("aria-labelledby", "standings-title");
  list.parentElement?.classList.add("tabbed");

  /** @param {string} name */
  const show = (name) => {
    for (const each of tabs) {
      const here = each.name === name;
      each.tab.setAttribute("aria-selected", String(here));
      each.tab.tabIndex = here ? 0 : -1;
      each.panel.hidden = !here;
    }
  };
  /** @param {string} name */
  const choose = (name) => {
    show(name);
    try {
      sessionStorage.setItem(KEPT_TAB, name);
    } catch {
      // storage may be switched off; the choice then lasts as long as the page
    }
  };
  const forward = document.dir === "rtl" ? -1 : 1;
  tabs.forEach(({ name, tab }, index) => {
    tab.addEventListener("click", () => choose(name));
    tab.addEventListener("keydown", (event) => {
      const to = { ArrowRight: index + forward, ArrowLeft: index - forward, Home: 0, End: tabs.length - 1 }[event.key];
      if (to === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      const next = tabs[(to + tabs.length) % tabs.length];
      next?.tab.focus();
      if (next !== undefined) choose(next.name);
    });
  });
  const wished = location.hash.slice(1) || keptTab();
  const first = tabs.find(({ name }) => name === wished) ?? tabs[0];
  if (first !== undefined) show(first.name);
}

function keptTab() {
  try {
    return sessionStorage.getItem(KEPT_TAB) ?? "";
  } catch {
    return "";
  }
}

// Back from another page by the browser's own memory: what was played there is not in this one yet.
addEventListener("pageshow", (event) => {
  if (event.persisted) later(0);
});

begin();
