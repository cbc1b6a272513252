/** The tabs pattern: links to panels become tabs; arrows, Home and End move between them and show their panel. */

const KEPT = "tripeaks-tab";

/**
 * Turn a `[data-tabs]` list into tabs. Returns the name of the tab that is shown.
 * @param {HTMLElement} list
 * @param {{label: string, onShow?: (name: string) => void}} options
 */
export function makeTabs(list, { label, onShow }) {
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
  list.setAttribute("aria-label", label);
  list.parentElement?.classList.add("tabbed");

  /** @param {string} name */
  const show = (name) => {
    for (const each of tabs) {
      const here = each.name === name;
      each.tab.setAttribute("aria-selected", String(here));
      each.tab.tabIndex = here ? 0 : -1;
      each.panel.hidden = !here;
    }
    onShow?.(name);
  };
  /** @param {number} index */
  const go = (index) => {
    const next = tabs[(index + tabs.length) % tabs.length];
    if (next === undefined) return;
    next.tab.focus();
    choose(next.name);
  };
  /** @param {string} name */
  const choose = (name) => {
    show(name);
    try {
      sessionStorage.setItem(KEPT, name);
    } catch {
      // storage may be switched off; the choice then lasts as long as the page
    }
  };
  tabs.forEach(({ name, tab }, index) => {
    tab.addEventListener("click", () => choose(name));
    tab.addEventListener("keydown", (event) => {
      const to = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: tabs.length - 1 }[event.key];
      if (to === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      go(to);
    });
  });

  const wished = location.hash.slice(1) || kept();
  const first = tabs.find(({ name }) => name === wished) ?? tabs[0];
  if (first !== undefined) show(first.name);
}

function kept() {
  try {
    return sessionStorage.getItem(KEPT) ?? "";
  } catch {
    return "";
  }
}
