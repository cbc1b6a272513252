"""axe-core over a page: WCAG 2.0 to 2.2, levels A and AA, and its best practices."""

from __future__ import annotations

import functools
from importlib import resources
from typing import Any

from playwright.sync_api import Page

UNFOLD = "for (const each of document.querySelectorAll('main details')) each.open = true;"
"""What is folded away is read, too."""
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa", "best-practice"]
# Colours in the middle of a fade are nobody's colours; what loops for ever is not waited for.
SETTLED = """async () => {
  const ending = document.getAnimations().filter((each) => each.effect?.getComputedTiming().endTime !== Infinity);
  await Promise.race([Promise.allSettled(ending.map((each) => each.finished)), new Promise((r) => setTimeout(r, 3000))]);
}"""
RUN = """async (tags) => {
  const { violations } = await axe.run(document, { runOnly: { type: "tag", values: tags }, resultTypes: ["violations"] });
  return violations.flatMap((rule) => rule.nodes.map((node) => ({
    rule: rule.id, help: rule.help, target: node.target.join(" "), html: node.html.slice(0, 300),
    why: [...node.any, ...node.all, ...node.none].map((check) => check.message).join("; ").slice(0, 300),
  })));
}"""


@functools.cache
def _script() -> str:
    return resources.files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")


def faults(page: Page) -> list[dict[str, Any]]:
    """What axe finds, one entry for each element and rule.

    The script is evaluated over the debugging protocol, so that the page's own content security policy stays in force.
    """
    page.evaluate(SETTLED)
    if not page.evaluate("typeof axe === 'object'"):
        page.evaluate(_script())
    found: list[dict[str, Any]] = page.evaluate(RUN, TAGS)
    return found


def assert_accessible(page: Page, state: str = "") -> None:
    """Fails with rule, target and html of everything that axe finds; `state` names the page's state."""
    page.wait_for_load_state()  # a page that a click has led to is there before its style sheets are
    found = faults(page)
    told = "\n".join(
        f"- {each['rule']} ({each['help']})\n  {each['target']}\n  {each['html']}\n  {each['why']}" for each in found
    )
    assert not found, f"axe on {page.url} {state}:\n{told}"
