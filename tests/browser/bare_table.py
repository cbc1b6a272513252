"""The table by itself in a bare page, with the test in the server's place: what it is shown, and what is read of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from playwright.sync_api import FloatRect, Page, expect

from games.engine.layout import open_slots
from tests.client.cast import DECK_Z

DECK = DECK_Z.split()
RANKS = "A23456789TJQK"
# A bare page below a bar: the real policy, sheets and language, and nothing else.
FIXTURE = """async ({ options, wide }) => {
  const sheet = document.createElement("link");
  sheet.rel = "stylesheet";
  sheet.href = "/static/games/css/table.css";
  await new Promise((done) => { sheet.onload = done; document.head.append(sheet); });
  const bar = document.querySelector(".bar");
  bar.replaceChildren();
  bar.style.setProperty("height", "3rem");
  const main = document.querySelector("main");
  document.querySelector(".foot")?.remove();
  const root = document.createElement("div");
  root.className = "table";
  if (wide) root.style.setProperty("margin-inline-end", "21rem");
  main.replaceChildren(Object.assign(document.createElement("h1"), { className: "hidden-text", textContent: "Play" }), root);
  const { Table } = await import("/static/games/js/table.js");
  window.sent = [];
  window.pressed = [];
  window.table = new Table(root, {
    interactive: true, controls: ["undo", "hint", "resign"],
    onMove: (move) => { sent.push(move); if (window.react) window.react(move); },
    onHint: () => pressed.push("hint"), onResign: () => pressed.push("resign"), ...options,
  });
}"""


def position(moves: Iterable[str] = (), pending: Iterable[str] = (), **other: Any) -> dict[str, Any]:
    """What the server would send after these moves on deck Z, in the ruleset of runs."""
    gone, waste, stock, run, score, count = 0, [DECK[28]], DECK[29:], 0, 0, 0
    for move in moves:
        count += 1
        if move == "d":
            waste.append(stock.pop(0))
            run, score = 0, score - 5
        else:
            slot = int(move[1:])
            gone |= 1 << slot
            waste.append(DECK[slot])
            run, score = run + 1, score + run + 1
    uncovered = open_slots(gone)
    tableau = [None if gone >> slot & 1 else DECK[slot] if slot in uncovered else "??" for slot in range(28)]
    fits = [
        f"t{slot}"
        for slot in uncovered
        if abs(RANKS.index(DECK[slot][0]) - RANKS.index(waste[-1][0])) in {1, len(RANKS) - 1}
    ]
    left = 28 - gone.bit_count()
    return {
        "tableau": tableau,
        "open": list(uncovered),
        "waste": waste[-1],
        "wasteCount": len(waste),
        "stock": len(stock),
        "pending": list(pending),
        "legal": [*fits, *(["d"] if stock else [])],
        "score": score,
        "moves": count,
        "run": run,
        "peaks": 3 - (~gone & 0b111).bit_count(),
        "cardsLeft": left,
        "outcome": None if left else "won",
        "closed": not left,
        "undoAllowed": True,
        "ruleset": "R",
        "clock": None,
    } | other


def show(page: Page, moves: Iterable[str] = (), pending: Iterable[str] = (), **other: Any) -> None:
    page.evaluate("(shown) => table.show(shown)", position(moves, pending, **other))


def laid(page: Page, *, options: dict[str, Any] | None = None, wide: bool = False, **other: Any) -> Page:
    """The table in a page that is open, with deck Z on it."""
    page.evaluate(FIXTURE, {"options": options or {}, "wide": wide})
    show(page, **other)
    return page


def slot(page: Page, number: int) -> Any:
    return page.locator(f'.t-board [data-slot="{number}"]')


def box(page: Page, selector: str) -> FloatRect:
    found = page.locator(selector).bounding_box()
    assert found is not None, f"{selector} is not there"
    return found


def focused(page: Page) -> str:
    """The slot that has the focus, else the class of what has it, else the name of the element."""
    return str(
        page.evaluate("(e => e.dataset.slot ?? (e.className.split(' ').at(-1) || e.tagName))(document.activeElement)")
    )


def said(page: Page, words: str) -> None:
    expect(page.locator("#announce")).to_have_text(words)
