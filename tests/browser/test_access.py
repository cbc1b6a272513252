"""Everything for everyone: axe finds nothing on any page in any state, and the board is played without sight or mouse."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from playwright.sync_api import Page, expect

from games.client import Client
from tests.attempts.hand import Z_LINE
from tests.client.cast import bot, play_badly, play_line, play_out
from tests.processes import ServerProcess

from .axe import UNFOLD, assert_accessible, faults
from .board import Board
from .conftest import Complaints, OpenPage
from .delay import near_line
from .players import Visitor, best_line, deck_code, losing_line, visitor
from .profiles import DESKTOP, FORCED_COLOURS, PHONE, Options
from .traffic import CARD, Traffic

CODE = "TP1-E-AAAAAAB"
Z = deck_code("Z")
KNOWN_FAULTS = """
  document.querySelector("main").innerHTML =
    '<h1>Faults</h1><button></button><img src="/static/leaderboards/img/peaks.svg"><p id="pale">pale words</p>';
  document.getElementById("pale").style.setProperty("color", "#777");
  document.getElementById("pale").style.setProperty("background-color", "#888");
"""


def in_both_colours(page: Page, state: str = "") -> None:
    """axe in light and dark."""
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert_accessible(page, f"{state} ({scheme})")


def test_axe_itself_finds_known_faults_under_our_content_security_policy(open_page: OpenPage) -> None:
    page = open_page("/boards")
    page.evaluate(KNOWN_FAULTS)
    assert {each["rule"] for each in faults(page)} >= {"button-name", "image-alt", "color-contrast"}


def test_axe_finds_nothing_on_the_home_page_before_anybody_has_played(open_page: OpenPage) -> None:
    page = open_page("/")
    expect(page.locator("#status")).to_have_text("live")
    in_both_colours(page, "empty")


@dataclass
class World:
    """Somebody has played here."""

    alice: Client
    lost: str
    won: str
    daily: str


@pytest.fixture(scope="module")
def world(site: ServerProcess) -> World:
    alice, robert = visitor(site.url, "Alice"), visitor(site.url, "Robert")
    daily = alice.daily()
    play_out(alice, alice.start_daily())
    play_badly(robert, robert.start_daily())
    robot = bot(alice, "alices bot")
    play_out(robot, robot.start_daily())
    alice.token_create("my program")
    lost, won = (play_line(alice, alice.start(code=CODE), line)["id"] for line in (losing_line(CODE), best_line(CODE)))
    alice.resign(lost)  # or it could still be undone
    play_badly(robert, robert.start(number=1))
    return World(alice, lost, won, f"daily-{daily['date']}")


def player_address(world: World) -> str:
    return f"/players/{world.alice.account()['id']}"


PAGES: dict[str, Callable[[World], str]] = {
    "home": lambda world: "/",
    "new game": lambda world: "/new",
    "a code not understood": lambda world: "/new?code=TP1-E-1",
    "find a board": lambda world: "/boards",
    "board of a code": lambda world: f"/boards/{CODE}",
    "board of the daily": lambda world: f"/boards/{world.daily}",
    "board of bots": lambda world: f"/boards/{world.daily}?kind=bots",
    "empty board": lambda world: "/boards/TP1-E-AAAAABC",
    "numbered games": lambda world: "/numbered",
    "a numbered game": lambda world: "/numbered/1",
    "rules": lambda world: "/rules",
    "fairness": lambda world: "/fairness",
    "fair play": lambda world: "/fair-play",
    "replay": lambda world: f"/attempts/{world.won}",
    "replay with analysis": lambda world: f"/attempts/{world.lost}?analysis=1",
    "profile": player_address,
    "settings": lambda world: "/settings",
    "account of nobody": lambda world: "/account",
    "play a code": lambda world: f"/play/{CODE}",
    "play the daily": lambda world: "/play/daily",
    "no such game": lambda world: "/play/nonsense",
    "404": lambda world: "/nowhere",
}
ON_PHONES_TOO = {
    "home",
    "new game",
    "board of the daily",
    "replay with analysis",
    "profile",
    "account of nobody",
    "play the daily",
}


@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing_on_a_page(name: str, world: World, open_page: OpenPage, complaints: Complaints) -> None:
    complaints.forgive("404 (Not Found)")
    page = open_page(PAGES[name](world))
    status = page.locator("#status")
    if status.is_visible():
        expect(status).to_have_text("live")
    in_both_colours(page, name)
    if name in ON_PHONES_TOO:
        page.set_viewport_size(PHONE["viewport"])
        in_both_colours(page, f"{name} on a phone")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_axe_finds_nothing_for_somebody_signed_in(world: World, site: ServerProcess, open_page: OpenPage) -> None:
    alice = Visitor(site.url).sign_in("Alice")
    page = open_page("/", player=alice, **PHONE)
    expect(page.locator("#status")).to_have_text("live")
    in_both_colours(page, "home")
    page.goto("/account")
    page.evaluate(UNFOLD)
    in_both_colours(page, "account of a person")
    page = open_page("/account", player=visitor(site.url), **PHONE)
    page.evaluate(UNFOLD)
    in_both_colours(page, "account of a guest")


@pytest.mark.parametrize("profile", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_axe_finds_nothing_in_any_state_of_a_game(profile: Options, site: ServerProcess, open_page: OpenPage) -> None:
    player = visitor(site.url)
    player.start(code=Z, practice=True)
    with near_line(site) as line:
        page = open_page(f"/play/{Z}", player=player, url=line.url, **profile)
        board = Board(page, "touch" if profile.get("has_touch") else "mouse")
        expect(page.locator("#status")).to_have_text("live")
        in_both_colours(page, "playing")
        board.press(board.slot(19))
        expect(board.why).to_be_visible()
        assert_accessible(page, "refused")
        page.keyboard.press("?")
        expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
        in_both_colours(page, "keys")
        page.keyboard.press("Escape")
        board.press(page.get_by_role("button", name="Hint"))
        expect(board.message).to_have_text("Play the marked card.")
        in_both_colours(page, "hint")
        board.press(page.get_by_role("button", name="Resign"))
        expect(page.get_by_role("dialog", name="Give up this game?")).to_be_visible()
        in_both_colours(page, "resign?")
        page.keyboard.press("Escape")
        line.swallow_replies = True
        board.play_all(["t18", "d"])
        expect(page.locator(".t-waste .pending")).to_have_count(2)
        in_both_colours(page, "pending")


@pytest.mark.parametrize("profile", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_axe_finds_nothing_when_a_game_has_ended(profile: Options, site: ServerProcess, open_page: OpenPage) -> None:
    player = visitor(site.url)
    attempt = player.start(code=Z)
    for ply, move in enumerate(Z_LINE[:-1]):
        player.move(attempt["id"], move, ply)
    page = open_page(f"/play/{Z}", player=player, **profile)
    board = Board(page)
    board.play(Z_LINE[-1])
    expect(page.get_by_role("heading", name="All three peaks cleared")).to_be_focused()
    in_both_colours(page, "won")
    code = deck_code("V", "RC")
    attempt = player.start(code=code)
    for ply in range(22):
        player.move(attempt["id"], "d", ply)
    page.goto(f"/play/{code}")
    board.play("d")
    expect(page.get_by_role("heading", name="No moves left")).to_be_focused()
    in_both_colours(page, "stuck")
    page.get_by_role("button", name="Replay and analysis").click()
    expect(page.get_by_role("dialog", name="Look at the analysis?")).to_be_visible()
    in_both_colours(page, "analysis?")
    page.keyboard.press("Escape")
    player.logout()
    expect(page.get_by_role("heading", name="You were signed out")).to_be_visible()
    in_both_colours(page, "signed out")


def test_in_forced_colours_the_focus_is_seen(site: ServerProcess, open_page: OpenPage) -> None:
    player = visitor(site.url)
    player.start(code=Z)
    page = open_page(f"/play/{Z}", player=player, **FORCED_COLOURS)
    board = Board(page)
    expect(board.slot(18)).to_have_accessible_name(re.compile("can be played$"))
    page.keyboard.press("Tab")  # so that the focus is shown
    board.slot(19).focus()
    focused = board.slot(19).screenshot()
    board.slot(20).focus()
    assert board.slot(19).screenshot() != focused


def test_C26_the_board_is_read_and_played_without_sight_or_mouse(site: ServerProcess, open_page: OpenPage) -> None:
    player = visitor(site.url)
    player.start(code=Z)
    page = open_page("about:blank", player=player)
    traffic = Traffic.listen(page)
    page.goto(f"/play/{Z}")
    board = Board(page, "keys")
    keys = page.keyboard
    announced = page.locator("#announce")
    expect(page.locator("#status")).to_have_text("live")
    assert_accessible(page, "deck Z")

    # What a reader reads.
    button = page.get_by_role("button", name="three of hearts, row 4, card 1, can be played")
    expect(button).to_have_attribute("data-slot", "18")
    expect(board.slot(9)).to_have_accessible_name("face-down card, row 3, card 1, covered by 2 cards")
    hidden = board.slot(9).evaluate("(element) => element.outerHTML")
    assert not CARD.search(hidden)
    assert not re.search(r"king|club|data-suit", hidden, re.IGNORECASE), hidden
    assert traffic.cards() == {"3H", "4H", "5H", "6H", "7D", "8D", "9D", "TD", "JD", "QD", "2H"}
    assert page.locator(".t-board .face").count() == 10
    expect(board.waste).to_have_accessible_name("Waste: two of hearts")
    order = board.tableau.get_by_role("button").evaluate_all("(all) => all.map((each) => Number(each.dataset.slot))")
    assert order == list(range(28)), "the reading order"
    expect(announced).to_have_attribute("aria-live", "polite")
    assert page.locator("[aria-live=assertive], [role=alert]:visible").count() == 0

    # Tab reaches every open card, and so do the arrows.
    board.tab_to(board.slot(18))
    reached = [board.focused()]
    for _ in range(9):
        keys.press("Tab")
        reached.append(board.focused())
    assert reached == list(range(18, 28))
    for slot in (22, 27, 23, 18):
        board.walk_to(slot)
    for name in ("Draw, 23 cards left in the stock", "Undo", "Resign", "Keys"):
        expect(page.get_by_role("button", name=name)).to_be_visible()

    # Enter plays; what happened is said; the focus goes on.
    keys.press("Enter")
    expect(announced).to_have_text("Played: three of hearts. Score: 1.")
    expect(board.slot(19)).to_be_focused()
    keys.press("Enter")
    expect(announced).to_have_text("Played: four of hearts. Turned up: king of clubs. Score: 3.")
    expect(board.slot(20)).to_be_focused()
    expect(board.slot(9)).to_have_accessible_name("king of clubs, row 3, card 1, open")
    keys.press("Space")
    expect(announced).to_have_text("Played: five of hearts. Turned up: queen of clubs. Score: 6.")
    keys.press("d")
    expect(announced).to_have_text("Drawn: seven of hearts. Score: 1. 22 cards left in the stock.")
    assert board.focused() is not None
    keys.press("u")
    expect(board.figure("score")).to_have_text("6")
    keys.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    keys.press("Escape")
    assert board.focused() is not None, "the focus is back on the board"
    keys.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    went_on = page.evaluate("""async () => {
      const dialog = document.querySelector("dialog.t-keys[open]");
      const closed = new Promise((done) => dialog.addEventListener("close", done));
      dialog.close();
      document.querySelector('.t-board [data-slot="26"]').focus();
      await closed;
      return document.activeElement.dataset.slot;
    }""")
    assert went_on == "26", "whoever is quicker than the dialog's last event stays where they went"

    # A refusal is said too, and the focus stays on its card.
    board.walk_to(25)
    keys.press("Enter")
    expect(announced).to_contain_text("Must be one higher or lower.")
    expect(board.slot(25)).to_be_focused()

    # A click on Undo does not take the keyboard away from the board.
    board.undo.click()
    expect(board.figure("score")).to_have_text("3")
    keys.press("ArrowUp")
    assert board.focused() is not None
    board.walk_to(20)
    keys.press("Enter")
    expect(board.figure("score")).to_have_text("6")
    assert page.evaluate("document.activeElement !== document.body")


def test_C26_the_focus_is_never_on_the_body_while_a_whole_game_is_played(
    site: ServerProcess, open_page: OpenPage
) -> None:
    player = visitor(site.url)
    player.start(code=Z)
    page = open_page(
        f"/play/{Z}",
        player=player,
        script="""
          window.lost = [];
          addEventListener("focusout", () => setTimeout(() => {
            if (document.activeElement === document.body) window.lost.push(performance.now());
          }));
        """,
    )
    board = Board(page, "keys")
    expect(page.locator("#status")).to_have_text("live")
    board.tab_to(board.slot(18))
    board.play_all(Z_LINE)
    expect(page.get_by_role("heading", name="All three peaks cleared")).to_be_focused()
    assert page.evaluate("window.lost") == []
    page.evaluate("document.activeElement.hidden = true")
    page.wait_for_function("window.lost.length > 0")  # the control: a focus that falls is noticed
