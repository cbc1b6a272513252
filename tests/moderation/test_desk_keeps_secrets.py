"""R10.1 at the desk: of a deal that is sealed still, staff see what its player turned up, and nothing beyond that."""

from __future__ import annotations

import datetime as dt
import json
import re
from typing import Any

import pytest
from django.test import Client
from django.utils.html import strip_tags

from games import clock
from games.engine.cards import cards_text
from games.engine.codes import parse_code, sealed_code
from games.engine.deals import deal_cards
from games.engine.moves import move_text, parse_log
from games.engine.position import start
from games.engine.replay import replay_steps
from games.engine.rulesets import find_ruleset
from games.engine.visibility import FACE_DOWN, view
from games.models import Attempt, DealExposure, Player
from games.services import attempt_start
from games.services.attempts import Competition
from leaderboards.moderation.desk.replay import face
from leaderboards.moderation.models import Case
from tests.factories import bot
from tests.staff import signed_in_moderator

from .desk import LOG, QUEUE, check, do, do_path, flagged, judged, page_of, player_page, read, signal
from .playing import play, somebody

pytestmark = pytest.mark.django_db
SEED = bytes(range(16))
CODE = sealed_code("E", SEED).text
DEAL = cards_text(deal_cards(parse_code(CODE))).split()
DAY = "daily-2026-11-29"


def daily() -> Competition:
    now = clock.now()
    return Competition(DAY, now + dt.timedelta(hours=1), now + dt.timedelta(hours=2), False, True)


def some_moves(number: int) -> list[str]:
    """The first legal move, so many times."""
    position = start(find_ruleset("E"), deal_cards(parse_code(CODE)), undo_allowed=False)
    line = []
    for _ in range(number):
        line.append(move_text(position.legal_moves()[0]))
        position = position.play(position.legal_moves()[0])
    return line


def turned_up(line: list[str]) -> set[str]:
    """What somebody with this line has seen."""
    steps = replay_steps(find_ruleset("E"), deal_cards(parse_code(CODE)), parse_log(" ".join(line)), undo_allowed=False)
    shown = [view(position) for position in steps]
    return {card for each in shown for card in (*each.tableau, each.waste) if card} - {FACE_DOWN}


@pytest.fixture
def mod(client: Client) -> Client:
    player = signed_in_moderator(client, role="head")
    play(somebody("earlybird"), ["d"], code=CODE, competition=daily(), resign=True)  # so that there is a deal
    DealExposure.objects.create(player=player, deal=Attempt.objects.get().deal, at=clock.now())
    return client


def desk_pages(mod: Client, case: Case) -> list[str]:
    """Every page of the desk that has to do with a case."""
    attempt = case.attempt
    assert attempt is not None
    pages = [read(mod, QUEUE), read(mod, QUEUE, state="all"), read(mod, QUEUE, q=attempt.public_id)]
    pages += [read(mod, page_of(case), ply=str(ply)) for ply in range(1, attempt.ply + 2)]
    pages += [read(mod, page_of(case), all="1"), read(mod, player_page(attempt.player)), read(mod, f"{QUEUE}players/")]
    pages += [read(mod, do_path("disqualify", attempt.public_id)), check(mod, "disqualify", attempt.public_id)]
    do(mod, "disqualify", attempt.public_id)
    pages += [read(mod, LOG), read(mod, page_of(case))]
    actions = re.findall(rf"{LOG}([0-9a-z]{{16}})/", pages[-2])
    assert actions
    return pages + [read(mod, f"{LOG}{action}/") for action in actions]


def found_in(pages: list[str], cards: set[str]) -> set[str]:
    """Which of these cards a page names, in whatever form."""
    text = re.sub(r'csrfmiddlewaretoken" value="\w+"', "", "\n".join(pages))
    seen = set(re.findall(r"\b(?:card-|small-)?([A2-9TJQK][CDHS])\b", text))
    return {card for card in cards if card in seen or face(card) in text or face(card) in strip_tags(text)}


def test_no_page_names_a_card_that_was_not_turned_up_or_the_code(mod: Client) -> None:
    line = some_moves(7)
    attempt = play(somebody("alice"), line, code=CODE, competition=daily(), resign=True)
    other = play(somebody("bob"), line[:4], code=CODE, competition=daily(), resign=True)
    pages = desk_pages(
        mod, flagged(attempt, signal("foreknowledge", plies=[2, 5]), signal("same_line", attempt=other.public_id))
    )
    seen = turned_up(line)
    assert found_in(pages, set(DEAL) - seen) == set()
    assert found_in(pages, seen) == seen  # the replay itself is there
    everything = "\n".join(pages)
    assert "are sealed until" in everything
    for secret in (CODE, CODE.split("-")[-1], SEED.hex(), " ".join(DEAL), "".join(DEAL)):
        assert secret not in everything
    assert '"deal": []' in everything
    assert '"stock": []' in everything


def test_once_the_day_is_final_the_same_pages_show_what_was_hidden(mod: Client) -> None:
    line = some_moves(7)
    attempt = play(somebody("alice"), line, code=CODE, competition=daily(), resign=True)
    Attempt.objects.update(sealed_until=clock.now() - dt.timedelta(seconds=1))
    pages = desk_pages(mod, flagged(Attempt.objects.select_related("player").get(pk=attempt.pk)))
    assert found_in(pages, set(DEAL)) == set(DEAL)


def test_an_attempt_that_still_runs_shows_none_of_its_cards(mod: Client) -> None:
    line = some_moves(7)
    attempt = play(somebody("alice"), line, code=CODE, competition=daily())
    assert found_in(desk_pages(mod, flagged(attempt, signal("foreknowledge", plies=[2]))), set(DEAL)) == set()


def test_nor_does_one_that_a_finished_attempt_is_compared_with(mod: Client) -> None:
    line = some_moves(9)
    running = play(somebody("bob"), line, code=CODE, competition=daily())
    attempt = play(somebody("alice"), line[:3], code=CODE, competition=daily(), resign=True)
    pages = desk_pages(mod, flagged(attempt, signal("same_line", attempt=running.public_id)))
    assert "once both attempts are over" in "".join(pages)
    assert found_in(pages, set(DEAL) - turned_up(line[:3])) == set()


# --- what the solver says of the moves -----------------------------------------------------------------------------


def of_the_moves() -> dict[str, Any]:
    """Foreknowledge as the judge tells it, with figures and plies that nothing else on a page has."""
    return {
        **signal("foreknowledge", points=43, telling=9871, best=9872, expected=9873.5, plies=[3, 5]),
        "group": "moves",
        "explanation": "Of 9871 choices in which hidden cards decided, 9872 were best ones.",
    }


def of_the_times() -> dict[str, Any]:
    return {**signal("machine_speed", points=20, choices=7654, plies=[2])}


TOLD = ("9871", "9872", "9,871", "9,872", "9873", "9.87e+03", "hidden cards decided")


def marks_in(page: str) -> set[str]:
    """Plies that a page marks, in its table, its links, its plot and for its script."""
    steps = re.search(r'id="desk-steps"[^>]*>(.*?)</script>', page, re.DOTALL)
    assert steps is not None
    scripted = {str(ply) for ply, step in enumerate(json.loads(steps[1])["steps"], start=1) if step["marks"]}
    rows = set(re.findall(r'<tr data-ply="(\d+)" class="marked', page))
    linked = set(re.findall(r'class="ply" href="\?ply=(\d+)', page))
    dots = set(re.findall(r'<circle class="marked"[^>]*><title>Ply (\d+)', page))
    return scripted | rows | linked | dots


@pytest.mark.parametrize("looks", ["exposed", "could still play"])
def test_no_page_tells_which_moves_were_right_while_the_deal_is_sealed(mod: Client, looks: str) -> None:
    attempt = play(somebody("alice"), some_moves(7), code=CODE, competition=daily(), resign=True)
    if looks == "could still play":
        DealExposure.objects.all().delete()
    case = flagged(attempt, of_the_moves(), of_the_times())
    judged(attempt, of_the_times(), of_the_moves())  # and an older one below it
    pages = desk_pages(mod, case)
    everything = "\n".join(pages)
    assert [told for told in TOLD if told in everything] == []
    page = pages[3]
    assert '>Foreknowledge <span class="points num">43<' in page
    assert "is shown here once the deal is published" in page
    assert "7,654" in page  # the times say nothing of the cards
    if looks == "exposed":
        assert set.union(*(marks_in(each) for each in pages if 'id="desk-steps"' in each)) == {"2"}
        assert '"marks": ["foreknowledge"' not in everything
        assert 'desk-mark">foreknowledge' not in everything


def test_once_the_seal_ends_it_is_told(mod: Client) -> None:
    attempt = play(somebody("alice"), some_moves(7), code=CODE, competition=daily(), resign=True)
    case = flagged(attempt, of_the_moves(), of_the_times())
    Attempt.objects.update(sealed_until=clock.now() - dt.timedelta(seconds=1))
    page = read(mod, page_of(case))
    assert marks_in(page) == {"2", "3", "5"}
    assert "9,871" in page
    assert "hidden cards decided" in page
    assert "is shown here once" not in page


# --- moderators play, too ------------------------------------------------------------------------------------------


@pytest.fixture
def player_mod(client: Client) -> Player:
    return signed_in_moderator(client)


def daily_case() -> tuple[Case, list[str]]:
    line = some_moves(7)
    return flagged(play(somebody("alice"), line, code=CODE, competition=daily(), resign=True)), line


def test_a_moderator_who_could_still_play_sees_no_card_until_they_give_that_up(
    client: Client, player_mod: Player
) -> None:
    case, line = daily_case()
    assert found_in([read(client, page_of(case))], set(DEAL)) == set()
    assert client.post(f"{page_of(case)}look/").status_code == 302
    seen = turned_up(line)
    assert found_in([read(client, page_of(case))], set(DEAL)) == seen
    own, _ = attempt_start(
        player_id=player_mod.pk,
        code=parse_code(CODE),
        start_key="k",
        practice=False,
        now=clock.now(),
        competition=daily(),
    )
    assert not own.ranked


def test_a_moderator_in_the_middle_of_that_daily_finishes_first(client: Client, player_mod: Player) -> None:
    case, _ = daily_case()
    attempt_start(
        player_id=player_mod.pk,
        code=parse_code(CODE),
        start_key="k",
        practice=False,
        now=clock.now(),
        competition=daily(),
    )
    said = client.post(f"{page_of(case)}look/", follow=True).content.decode()
    assert "Finish or resign it first" in said
    assert found_in([said], set(DEAL)) == set()


def test_a_moderators_bot_counts_as_the_moderator(client: Client, player_mod: Player) -> None:
    case, _ = daily_case()
    DealExposure.objects.create(player=player_mod, deal=case.attempt.deal, at=clock.now())  # type: ignore[union-attr]
    assert found_in([read(client, page_of(case))], set(DEAL)) != set()
    bot("robotnik", owner=player_mod)
    assert found_in([read(client, page_of(case))], set(DEAL)) == set()


def test_looking_is_asked_for_by_a_form_and_not_by_an_address(client: Client, player_mod: Player) -> None:
    case, _ = daily_case()
    assert client.get(f"{page_of(case)}look/").status_code == 405
    assert not DealExposure.objects.exists()
