"""The table in a page, as somebody in front of it sees and handles it: with the mouse, by touch, or with keys alone."""

from __future__ import annotations

import re
from typing import Literal

from playwright.sync_api import Locator, Page, expect

How = Literal["mouse", "touch", "keys"]
UNCOVERED = re.compile(r"^(?!face-down).*, (can be played|open)$")
DEALT = re.compile(r"^\w+ of \w+, row 4, card 1, ")

WAY = """(slot) => {
  const middle = (element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    return [left + width / 2, top + height / 2];
  };
  const [x, y] = middle(document.activeElement);
  const [a, b] = middle(document.querySelector(`.t-board [data-slot="${slot}"]`));
  return [`${Math.round(x)} ${Math.round(y)}`, a - x, b - y];
}"""
"""Where the focus is, and how far from there a slot is to the right and down."""


class Board:
    """The table of the page `page`, worked by `how`."""

    def __init__(self, page: Page, how: How = "mouse") -> None:
        self.page = page
        self.how = how
        self.tableau = page.get_by_role("group", name="Tableau")
        self.stock = page.get_by_role("button", name=re.compile(r"^Draw, "))
        self.waste = page.get_by_role("img", name=re.compile(r"^Waste"))
        self.undo = page.get_by_role("button", name="Undo", exact=True)
        self.why = page.locator(".t-why")
        self.message = page.locator(".t-said")

    def slot(self, number: int) -> Locator:
        """The card of a slot, there or not."""
        return self.tableau.locator(f'[data-slot="{number}"]')

    def figure(self, name: str) -> Locator:
        """score, moves, run, peaks or time."""
        return self.page.locator(f".t-{name} bdi")

    def press(self, what: Locator) -> None:
        """Activate a button the way this player does."""
        if self.how == "touch":
            what.tap()
        elif self.how == "keys":
            self.tab_to(what)
            self.page.keyboard.press("Enter")
        else:
            what.click()

    def begin(self) -> None:
        """Press Play, and wait for the cards."""
        self.press(self.page.get_by_role("button", name="Play", exact=True))
        expect(self.slot(18)).to_have_accessible_name(DEALT)

    def tab_to(self, what: Locator) -> None:
        """With the Tab key alone."""
        expect(what).to_be_visible()
        for _ in range(80):
            if what.evaluate("(element) => element === document.activeElement"):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError("the Tab key does not lead there")

    def play(self, move: str) -> None:
        """`t18`, `d`, `u`; a card is waited for until the server has turned it up."""
        if move == "d":
            self._letter_or_press("d", self.stock)
        elif move == "u":
            self._letter_or_press("u", self.undo)
        else:
            slot = self.slot(int(move[1:]))
            expect(slot).to_have_accessible_name(UNCOVERED)
            if self.how == "keys":
                self.walk_to(int(move[1:]))
                self.page.keyboard.press("Enter")
            else:
                self.press(slot)

    def play_all(self, moves: list[str]) -> None:
        """One after the other, without waiting for the server where nothing has to be turned up."""
        for move in moves:
            self.play(move)

    def _letter_or_press(self, letter: str, button: Locator) -> None:
        if self.how == "keys":
            self.page.keyboard.press(letter)
        else:
            self.press(button)

    def focused(self) -> int | None:
        """The slot that has the focus, if it is one."""
        found: str | None = self.page.evaluate("document.activeElement?.closest('.t-board [data-slot]')?.dataset.slot")
        return None if found is None else int(found)

    def walk_to(self, slot: int) -> None:
        """With the arrow keys alone, from wherever on the table the focus is: to its row, then along it."""
        for _ in range(3):  # an answer that comes meanwhile moves the focus on, as it should: then from there
            if self._walked_to(slot):
                return
            self.page.wait_for_timeout(300)
        raise AssertionError(f"the arrow keys do not lead to slot {slot} but to {self.focused()}")

    def _walked_to(self, slot: int) -> bool:
        tried: dict[str, list[str]] = {}
        for _ in range(60):
            if self.focused() == slot:
                return True
            here, dx, dy = self.page.evaluate(WAY, slot)
            along = ["ArrowRight", "ArrowLeft"] if dx > 0 else ["ArrowLeft", "ArrowRight"]
            across = ["ArrowDown", "ArrowUp"] if dy > 0 else ["ArrowUp", "ArrowDown"]
            wanted = [along[0], *across, along[1]] if abs(dy) < 4 else [across[0], *along, across[1]]
            been = tried.setdefault(here, [])
            key = next((key for key in wanted if key not in been), None)
            if key is None:
                break
            been.append(key)
            self.page.keyboard.press(key)
        return False
