"""The player's side of fair play in a browser: the page about it, reports, notices, a whole appeal, and a banned account."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.attempts.hand import Z_LINE
from tests.client.cast import PASSWORD, database, play_line
from tests.processes import ServerProcess

from .axe import UNFOLD, assert_accessible
from .conftest import Complaints, OpenPage
from .players import Visitor, deck_code, visitor
from .profiles import DARK, LIGHT, NO_SCRIPT, SMALL_PHONE, Options

Z = deck_code("Z")
WIDE = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
_DECIDE = """
from django.contrib.auth.models import Group
from games import clock
from games.models import Player
from games.names import name_key
from leaderboards.moderation import actions
from leaderboards.moderation.appeals import appeal_answer
for name in ("Mod Head", "Judy Head"):
    head, made = Player.objects.get_or_create(kind="person", name=name, name_key=name_key(name), is_staff=True)
    head.groups.add(Group.objects.get(name="head"))
mod, judy = (Player.objects.get(name=name) for name in ("Mod Head", "Judy Head"))
why = dict(reason="inner words", now=clock.now())
{acts}
"""
Decide = Callable[[str], None]


@pytest.fixture(autouse=True)
def refusals_are_expected(complaints: Complaints) -> None:
    """The browser itself notes every refusal of the API in its console."""
    complaints.forgive("status of 400", "status of 403", "status of 409")


@pytest.fixture
def decide(site: ServerProcess) -> Decide:
    """Act as moderators, in the server's own database."""

    def run(acts: str) -> None:
        site.manage("shell", "-c", _DECIDE.format(acts=acts))

    return run


def disqualify(attempt_id: str) -> str:
    return (
        f"actions.attempt_disqualify(attempt_id={attempt_id!r}, moderator_id=mod.pk, reason_class='copied',"
        " words='Please play lines of your own.', **why)\n"
    )


def ban(player_id: str) -> str:
    return (
        f"actions.player_ban(player_id={player_id!r}, moderator_id=mod.pk, reason_class='accounts', until=None,"
        " words='Nine accounts are eight too many.', **why)\n"
    )


def winner(site: ServerProcess, name: str) -> tuple[Visitor, str]:
    """Somebody who has won deck Z, and the attempt."""
    who = visitor(site.url, name)
    return who, str(play_line(who, who.start(code=Z), Z_LINE)["id"])


def looks(page: Page, state: str) -> None:
    """Nothing for axe to find and nothing wider than the screen, all unfolded."""
    page.evaluate(UNFOLD)
    assert_accessible(page, state)
    assert not page.evaluate(WIDE), state


@pytest.mark.parametrize("options", [{**SMALL_PHONE, **LIGHT}, DARK], ids=["320", "1280 dark"])
def test_every_page_of_fair_play_is_for_everyone(
    open_page: OpenPage, site: ServerProcess, decide: Decide, options: Options
) -> None:
    suffix = f"{len(options)}{options.get('color_scheme')}"
    bob, won = winner(site, f"Bob {suffix}")
    alice = visitor(site.url, f"Alice {suffix}")
    page = open_page("/fair-play", **options)
    looks(page, "fair play")
    expect(page.get_by_role("row", name="games checked")).to_be_visible()
    for address in (f"/attempts/{won}", f"/players/{bob.account()['id']}"):
        page = open_page(address, player=alice, **options)
        looks(page, "report")
        expect(page.get_by_role("group", name="What is not fair?")).to_be_visible()
    decide(disqualify(won) + ban(str(bob.account()["id"])))
    page = open_page("/account", player=bob, **options)
    expect(page.get_by_role("heading", level=1)).to_have_text("This account is shut out")
    looks(page, "notices of a banned account")


def test_a_record_is_reported_where_it_is_seen(open_page: OpenPage, site: ServerProcess) -> None:
    bob, won = winner(site, "Bob Boards")
    alice = visitor(site.url, "Alice Asks")
    page = open_page(f"/attempts/{won}", player=alice)
    page.locator("summary", has_text="Report").click()
    page.get_by_label("Something else").check()
    page.get_by_label("What did you see?").fill("He looked twice.")
    page.get_by_role("button", name="Send the report").click()
    thanks = page.get_by_text("Thank you. A moderator will look at it.")
    expect(thanks).to_be_focused()
    expect(page.get_by_role("button", name="Send the report")).to_be_hidden()
    with database(site) as connection:
        rows = connection.execute(
            "SELECT r.reason_class, r.text, c.severity FROM leaderboards_report r"
            " JOIN leaderboards_case c ON c.id = r.case_id JOIN games_attempt a ON a.id = c.attempt_id"
            " WHERE a.public_id = %s",
            (won,),
        ).fetchall()
    assert rows == [("other", "He looked twice.", 5)]
    for address in (f"/attempts/{won}", f"/players/{bob.account()['id']}"):
        expect(open_page(address, player=bob).locator(".report")).to_have_count(0)


def test_a_player_is_reported_and_a_bot_of_ones_own_is_not(open_page: OpenPage, site: ServerProcess) -> None:
    alice, bob = visitor(site.url, "Alice Again"), visitor(site.url, "Bob Badname")
    page = open_page(f"/players/{bob.account()['id']}", player=alice)
    page.locator("summary", has_text="Report").click()
    page.get_by_label("The name").check()
    page.get_by_role("button", name="Send the report").click()
    expect(page.get_by_text("Thank you. A moderator will look at it.")).to_be_focused()
    robot = alice.bot_create("alices robot")
    page = open_page(f"/players/{robot['id']}", player=alice)
    page.locator("summary", has_text="Report").click()
    page.get_by_role("button", name="Send the report").click()
    expect(page.get_by_role("alert")).to_have_text("This is yours. Reports are about others.")


def test_who_is_nobody_yet_is_told_how(open_page: OpenPage, site: ServerProcess) -> None:
    _, won = winner(site, "Bob Public")
    page = open_page(f"/attempts/{won}")
    page.locator("summary", has_text="Report").click()
    expect(page.get_by_text("Sign in first, or play a game as a guest.")).to_be_visible()
    page = open_page(f"/attempts/{won}", player=visitor(site.url, "Nora Noscript"), **NO_SCRIPT)
    expect(page.locator(".report noscript p")).to_contain_text("Reporting needs JavaScript.")
    page.locator("summary", has_text="Report").click()
    expect(page.get_by_role("button", name="Send the report")).to_be_hidden()


def test_a_whole_appeal(open_page: OpenPage, site: ServerProcess, decide: Decide) -> None:
    alice, won = winner(site, "Alice Appeals")
    decide(disqualify(won))
    page = open_page("/", player=alice)
    page.get_by_role("link", name="You new notices").click()
    notices = page.get_by_role("region", name="Notices")
    expect(notices.get_by_role("heading", level=2)).to_have_text("Notices 1 new")
    expect(notices).to_contain_text("A result of yours is disqualified")
    expect(notices).to_contain_text("The reason: moves copied from another game.")
    expect(notices).to_contain_text("Please play lines of your own.")
    expect(notices).not_to_contain_text("inner words")
    notices.locator("summary", has_text="Appeal").click()
    notices.get_by_role("button", name="Send the appeal").click()
    field = notices.get_by_label("Why should this be decided otherwise?")
    expect(field).to_be_focused()
    expect(field).to_have_accessible_description(re.compile("Please fill this in"))
    field.fill("I have never seen another line.")
    notices.get_by_role("button", name="Send the appeal").click()
    expect(page.locator("#notices-title")).to_be_focused()
    expect(notices).to_contain_text("I have never seen another line.")
    expect(notices).to_contain_text("Waiting for an answer.")
    expect(notices.locator("form")).to_have_count(0)
    page.goto(f"/attempts/{won}")
    expect(page.get_by_text("Disqualified: this result is on no board.")).to_be_visible()
    expect(page.get_by_role("link", name="new notices")).to_have_count(0)
    decide(
        "from leaderboards.moderation.models import Appeal\n"
        "appeal = Appeal.objects.select_related('notice__action').order_by('-at')[0]\n"
        "appeal_answer(notice_id=appeal.notice.public_id, moderator_id=judy.pk, accept=True, answer='You are right.',"
        " now=clock.now())\n"
        "actions.action_revert(action_id=appeal.notice.action.public_id, moderator_id=judy.pk, reason='appeal', words='',"
        " now=clock.now())\n"
    )
    page.goto("/account")
    expect(notices).to_contain_text("Your result counts again")
    expect(notices).to_contain_text("This decision has been taken back.")
    expect(notices).to_contain_text("You are right.")
    page.goto(f"/attempts/{won}")
    expect(page.locator("h1")).to_contain_text("won")
    expect(page.get_by_text("Disqualified:")).to_have_count(0)


def test_what_is_under_review_says_so_on_ones_own_pages_only(
    open_page: OpenPage, site: ServerProcess, decide: Decide
) -> None:
    alice, won = winner(site, "Alice Held")
    decide(f"actions.attempt_hold(attempt_id={won!r}, moderator_id=mod.pk, reason_class='speed', words='', **why)\n")
    words = re.compile("^Under review: this result stays off the boards")
    for address in (f"/attempts/{won}", f"/play/{Z}?attempt={won}"):
        expect(open_page(address, player=alice).get_by_text(words)).to_be_visible()
    mine = open_page("/me", player=alice)
    expect(mine.get_by_role("rowheader", name="under review")).to_be_visible()
    expect(open_page(f"/attempts/{won}").get_by_text(words)).to_have_count(0)


def test_a_banned_person_signs_in_to_read_why_and_to_appeal(
    open_page: OpenPage, site: ServerProcess, decide: Decide, tmp_path: Path
) -> None:
    name = "Boris Banned"
    boris = visitor(site.url, name)
    decide(ban(str(boris.account()["id"])))
    page = open_page("/account?next=/play/daily")
    page.locator("#login-name").fill(name)
    page.locator("#login-password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("This account is shut out")
    notices = page.get_by_role("region", name="Notices")
    expect(notices).to_contain_text("Nine accounts are eight too many.")
    expect(notices).to_contain_text("The reason: more than one account.")
    notices.locator("summary", has_text="Appeal").click()
    notices.get_by_label("Why should this be decided otherwise?").fill("Those are my children.")
    notices.get_by_role("button", name="Send the appeal").click()
    expect(notices).to_contain_text("Waiting for an answer.")
    with page.expect_download() as saved:
        page.get_by_role("link", name="Download my data").click()
    saved.value.save_as(tmp_path / "data")
    found = json.loads((tmp_path / "data").read_text())
    assert (found["account"]["name"], found["notices"][0]["appeal"]["text"]) == (name, "Those are my children.")
    page.goto(f"/play/{Z}")
    expect(page.locator("#play-title")).to_be_visible()
    assert json.loads(page.locator("#play-data").text_content() or "")["player"] is None, "nobody, at the table"
    page.goto("/account")
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("You need no account to play")
