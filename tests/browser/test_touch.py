"""Fingers: fast taps, double taps, pinches, and targets that can be hit."""

from __future__ import annotations

import time
from typing import Any

import pytest
from playwright.sync_api import CDPSession, Page, expect

from tests.processes import ServerProcess

from .board import Board
from .conftest import OpenPage
from .delay import far_line
from .players import deck_code, log_of, visitor
from .profiles import LANDSCAPE, PHONE, SMALL_PHONE, Options
from .traffic import Traffic

TARGET = 44
SCALE = "visualViewport.scale"
# What fingers may do is known to the part of the browser that hears of them once a frame with it has been drawn.
PAINTED = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))"
# For each click: whether its card was gone from its place when the next frame was painted.
DRAWN = """
  window.drawn = [];
  addEventListener("click", (event) => {
    const card = event.target.closest?.(".t-slot");
    if (card === null || card === undefined) return;
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => window.drawn.push(card.hidden);
      port2.postMessage(null);
    });
  }, true);
"""


def middle(page: Page, what: Any) -> tuple[float, float]:
    box = what.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


class Finger:
    """Taps at exact times, by the browser's own touch events: nothing is waited for.

    The events carry their times, so that a slow machine does not turn a double tap into two taps.
    """

    def __init__(self, page: Page) -> None:
        self.session: CDPSession = page.context.new_cdp_session(page)
        self.last = 0.0

    def tap(self, x: float, y: float, *, after: float | None = None) -> None:
        """A tap, `after` seconds after the one before began."""
        if after is not None:
            time.sleep(max(0.0, self.last + after - time.time()))
        self.last = time.time() if after is None else self.last + after
        self._touch("touchStart", [{"x": x, "y": y}], self.last)
        self._touch("touchEnd", [], self.last + 0.03)

    def pinch(self, x: float, y: float) -> None:
        """Two fingers apart."""
        for kind, apart in (("touchStart", 40), *(("touchMove", apart) for apart in range(48, 120, 8))):
            points = [{"x": x + side * apart, "y": y, "id": each} for each, side in enumerate((-1, 1))]
            self._touch(kind, points, time.time())
        self._touch("touchEnd", [], time.time())

    def _touch(self, kind: str, points: list[dict[str, float]], at: float) -> None:
        self.session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points, "timestamp": at})


def seated(
    site: ServerProcess, open_page: OpenPage, profile: Options = PHONE, **more: Any
) -> tuple[Board, str, Traffic]:
    """A guest at deck Z with a finger, the attempt's id, and all that is said."""
    player = visitor(site.url)
    attempt = player.start(code=deck_code("Z"))
    page = open_page("about:blank", player=player, **profile, **more)
    traffic = Traffic.listen(page)
    page.goto(f"/play/{attempt['code']}")
    traffic.wait_for(page, "state")
    return Board(page, "touch"), attempt["id"], traffic


def test_C27_fast_taps_are_plays_in_their_order_and_never_a_zoom(site: ServerProcess, open_page: OpenPage) -> None:
    board, attempt, traffic = seated(site, open_page)
    page, finger = board.page, Finger(board.page)
    first, second, undo = (middle(page, each) for each in (board.slot(18), board.slot(19), board.undo))
    finger.tap(*first)
    finger.tap(*second, after=0.08)
    expect(board.figure("score")).to_have_text("3")
    finger.tap(*undo)
    finger.tap(*undo, after=0.12)
    expect(board.figure("score")).to_have_text("0")
    expect(board.slot(18)).to_be_visible()
    expect(board.slot(19)).to_be_visible()
    page.wait_for_timeout(400)  # what a zoom or a late second click would need
    assert log_of(site, attempt) == ["t18", "t19", "u", "u"]
    assert traffic.moves() == ["t18", "t19", "u", "u"], "nothing was sent twice"
    assert page.evaluate(SCALE) == 1


def test_C27_a_double_tap_is_one_play_and_complains_of_nothing(site: ServerProcess, open_page: OpenPage) -> None:
    board, attempt, traffic = seated(site, open_page)
    page, finger = board.page, Finger(board.page)
    board.play("t18")
    expect(board.figure("score")).to_have_text("1")
    # Left of the middle of the next card: once that has gone, the card above it lies there.
    x, y = middle(page, board.slot(19))
    box = board.slot(9).bounding_box()
    assert box is not None
    x = box["x"] + box["width"] - 3
    y = max(y - 10, board.slot(19).bounding_box()["y"] + 3)  # type: ignore[index]
    finger.tap(x, y)
    finger.tap(x, y, after=0.09)
    expect(board.figure("score")).to_have_text("3")
    page.wait_for_timeout(400)
    assert log_of(site, attempt) == ["t18", "t19"]
    assert not board.why.is_visible()
    assert traffic.moves() == ["t18", "t19"]
    assert page.evaluate(SCALE) == 1


def test_C27_a_pinch_still_enlarges_the_page(site: ServerProcess, open_page: OpenPage) -> None:
    board, attempt, _traffic = seated(site, open_page)
    page = board.page
    content = page.locator('meta[name="viewport"]').get_attribute("content") or ""
    assert "user-scalable" not in content
    assert "maximum-scale" not in content
    x, y = middle(page, board.slot(22))
    finger = Finger(page)
    page.evaluate("document.querySelector('.t-felt').style.setProperty('touch-action', 'none')")
    page.evaluate(PAINTED)
    finger.pinch(x, y)
    assert page.evaluate(SCALE) == 1, "the control: a page that forbids it"
    page.evaluate("document.querySelector('.t-felt').style.removeProperty('touch-action')")
    page.evaluate(PAINTED)
    finger.pinch(x, y)
    deadline = time.monotonic() + 15
    while page.evaluate(SCALE) < 1.5 and time.monotonic() < deadline:
        page.wait_for_timeout(50)
    assert page.evaluate(SCALE) >= 1.5
    assert log_of(site, attempt) == []


@pytest.mark.parametrize("profile", [PHONE, SMALL_PHONE, LANDSCAPE], ids=["390", "320", "landscape"])
def test_C27_everything_played_can_be_hit_with_a_thumb(
    profile: Options, site: ServerProcess, open_page: OpenPage
) -> None:
    """44 by 44 pixels: the buttons themselves, and each open card on the board or in the tray."""
    board, attempt, _traffic = seated(site, open_page, profile)
    page = board.page
    targets = [board.stock, board.undo, page.get_by_role("button", name="Resign")]
    for target in targets:
        box = target.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= TARGET, (target, box)
    for slot in range(18, 28):
        sizes = [
            min(box["width"], box["height"])
            for each in page.locator(f'[data-slot="{slot}"]').all()
            if (box := each.bounding_box()) is not None
        ]
        assert max(sizes) >= TARGET, (slot, sizes)
    cell = page.locator('.t-tray [data-slot="18"]')
    if cell.is_visible():
        cell.tap()
        expect(board.figure("score")).to_have_text("1")
        assert log_of(site, attempt) == ["t18"]
    assert page.evaluate("[document.documentElement.scrollWidth, innerWidth]") == [profile["viewport"]["width"]] * 2


def test_ten_quick_plays_over_a_far_line_are_all_drawn_at_once_and_accepted_in_order(
    site: ServerProcess, open_page: OpenPage
) -> None:
    with far_line(site) as line:
        board, attempt, _traffic = seated(site, open_page, url=line.url, script=DRAWN)
        page, finger = board.page, Finger(board.page)
        places = [middle(page, board.slot(slot)) for slot in range(18, 28)]
        for place in places:
            finger.tap(*place, after=0.09)
        expect(board.figure("score")).to_have_text("55")
        assert log_of(site, attempt) == [f"t{slot}" for slot in range(18, 28)]
        assert page.evaluate("window.drawn") == [True] * 10, "each was drawn by the next frame"
        expect(board.slot(9)).to_have_accessible_name("king of clubs, row 3, card 1, can be played")
