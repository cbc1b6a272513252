"""The replay page: public attempts as text, and one page for everything else."""

from __future__ import annotations

import datetime as dt
import re
from typing import Any

import pytest
from django.test import Client

from games import clock
from games.engine.codes import parse_code
from games.engine.moves import parse_move
from games.models import Attempt
from games.services import attempt_move, attempt_resign, attempt_start
from leaderboards.models import DailyChallenge
from leaderboards.moderation.actions import player_hide, player_show
from leaderboards.services import account_delete, dailies_prepare, daily_start
from tests.calls import call
from tests.factories import SignedIn, bot, credential, guest, person, signed_in

from .conftest import SetClock
from .reading import get

pytestmark = pytest.mark.django_db(transaction=True)
# R7.5: clears its peaks at moves 37, 42 and 50 and ends on 750.
LINE = (
    "d d d d t20 d d t24 t23 t22 t18 t21 t19 d t9 t11 t14 t27 t25 t26 t16 t13 d t10 t12 t15 t17 d t8 d d t6 d t3 t5 t4 t0 "
    "t7 d d d t2 d d d d d d d t1"
)


def play(alice: SignedIn, attempt: Attempt, line: str) -> None:
    for ply, move in enumerate(line.split()):
        attempt_move(
            attempt_id=attempt.public_id,
            token_hash=bytes(alice.credential.token_hash),
            via="bearer",
            move=parse_move(move),
            expected_ply=ply,
            move_id=f"m{ply}",
            now=clock.now(),
        )


def started(alice: SignedIn) -> Attempt:
    attempt, _ = attempt_start(
        player_id=alice.player.pk,
        code=parse_code("TP1-E-AAAAAAB"),
        start_key="k",
        practice=False,
        now=clock.now(),
    )
    return attempt


def test_a_finished_attempt_is_told_ply_by_ply() -> None:
    alice = signed_in("alice")
    attempt = started(alice)
    play(alice, attempt, LINE)
    page = get(f"/attempts/{attempt.public_id}")
    assert page.status == 200
    assert "alice : won" in page.words
    assert "score 750" in page.words
    assert "On the board of TP1-E-AAAAAAB" in page.words
    assert page.text.count("peak cleared") == 3
    assert "50 Play 10 ♣︎ ten of clubs peak cleared no card left 750 1 0" in page.words
    assert page.text.count('<li class="at at-') == 28
    assert get(page.link('<code class="code" dir="ltr">TP1-E-AAAAAAB')).lists["people"] == [(1, "alice")]


def test_who_is_on_no_board_is_said_to_be_on_none() -> None:
    someone = credential(guest())
    attempt = started(someone)
    play(someone, attempt, LINE)
    page = get(f"/attempts/{attempt.public_id}")
    assert "A guest: won" in page.words
    assert "On the board of" not in page.words
    assert "TP1-E-AAAAAAB" in page.words
    alice = signed_in("alice")
    left = started(alice)
    play(alice, left, LINE)
    account_delete(player_id=alice.player.pk, now=clock.now())
    page = get(f"/attempts/{left.public_id}")
    assert "Somebody who has left: won" in page.words
    assert ("alice" in page.text, "On the board of" in page.words) == (False, False)


def test_a_hidden_players_replay_stays_and_names_nobody_to_others() -> None:
    alice, robot, mod = signed_in("alice"), credential(bot("robot")), person("mod", is_staff=True, is_superuser=True)
    why: dict[str, Any] = {"moderator_id": mod.pk, "reason_class": "name", "reason": "rude", "words": ""}
    owner = robot.player.owner
    assert owner is not None
    for who, insiders in ((alice, [alice.player, mod]), (robot, [robot.player, owner, mod])):
        attempt = started(who)
        play(who, attempt, LINE)
        address, name = f"/attempts/{attempt.public_id}", str(who.player.name)
        player_hide(player_id=who.player.public_id, now=clock.now(), **why)
        for viewer in {None, person(), owner} - set(insiders):
            page = get(address, who=viewer)
            told = call("GET", f"{address}/replay", who=credential(viewer) if viewer else None)
            assert "Somebody who has left: won" in page.words
            assert ("On the board of" in page.words, name in page.text) == (False, False)
            assert (told.status, told.json["player"]["name"], len(told.json["plies"])) == (200, None, 51)
        for insider in insiders:
            assert name in get(address, who=insider).words
            assert call("GET", f"{address}/replay", who=credential(insider)).json["player"]["name"] == name
        player_show(player_id=who.player.public_id, now=clock.now(), **why)
        assert name in get(address).words


def test_unknown_running_and_sealed_attempts_get_the_same_page(set_clock: SetClock) -> None:
    noon = dt.datetime.combine(dt.datetime.now(dt.UTC).date(), dt.time(12), dt.UTC)
    set_clock(noon)
    dailies_prepare(now=noon)
    daily = DailyChallenge.objects.get(date=noon.date())
    alice = signed_in("alice")
    sealed, _ = daily_start(player_id=alice.player.pk, kind="person", which="today", start_key="d", now=clock.now())
    running = started(alice)
    unknown = get("/attempts/0123456789abcdef")
    assert unknown.status == 404
    for address in (f"/attempts/{sealed.public_id}", f"/attempts/{running.public_id}", "/attempts/%00", "/nowhere"):
        page = get(address)
        assert (page.status, page.words) == (unknown.status, unknown.words)

    Attempt.objects.filter(pk=sealed.pk).update(outcome="resigned", finished_at=noon, closed_at=noon)
    assert get(f"/attempts/{sealed.public_id}").words == unknown.words
    set_clock(daily.final_at + dt.timedelta(seconds=1))
    final = get(f"/attempts/{sealed.public_id}")
    assert final.status == 200, "the same attempt once its daily is final (R10.2)"
    assert daily.code.split("-")[2] not in unknown.text


def test_the_owner_of_a_sealed_one_sees_what_was_turned_up_and_no_more(set_clock: SetClock) -> None:
    noon = dt.datetime.combine(dt.datetime.now(dt.UTC).date(), dt.time(12), dt.UTC)
    set_clock(noon)
    dailies_prepare(now=noon)
    daily = DailyChallenge.objects.get(date=noon.date())
    alice = signed_in("alice")
    attempt, _ = daily_start(player_id=alice.player.pk, kind="person", which="today", start_key="d", now=clock.now())
    play(alice, attempt, "d d d")
    attempt_resign(
        attempt_id=attempt.public_id,
        token_hash=bytes(alice.credential.token_hash),
        via="bearer",
        move_id="r",
        now=clock.now(),
    )
    answer = Client().get(f"/attempts/{attempt.public_id}?analysis=1", headers=alice.bearer)
    text = answer.content.decode()
    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "private, no-cache"
    assert "Only you can see this replay until the day is final." in text
    for hidden in (daily.code, "Play this deal", "The deal<", "What the solver says", "Show analysis"):
        assert hidden not in text
    # 10 open slots and 1 + 3 cards of the waste: the other 38 are nowhere.
    seen = set(re.findall(r'<span class="hidden-text">(\w+ of \w+)</span>', text))
    assert len(seen) == 14


def test_a_long_log_is_told_in_pages_and_links_find_their_plies() -> None:
    alice = signed_in("alice")
    attempt = started(alice)
    play(alice, attempt, "d u " * 85 + LINE)
    address = f"/attempts/{attempt.public_id}"
    first, last = get(address), get(f"{address}?page=2")
    assert (first.text.count('<tr id="ply-'), last.text.count('<tr id="ply-')) == (200, 21)
    assert '<tr id="ply-0"' in first.text
    assert '<tr id="ply-220"' in last.text
    assert last.words.count("peak cleared") == 3
    assert "200–220" in last.words
    shown = get(f"{address}?analysis=1")
    assert '<a class="num" href="#ply-1">1</a>' in shown.text
    assert '<a class="num" href="?analysis=1&amp;page=1#ply-1">1</a>' in get(f"{address}?analysis=1&page=2").text
    for wrong in ("0", "3", "02", "x", "", "-1", "999"):
        assert get(f"{address}?page={wrong}").status == 404


def test_a_replay_leads_to_the_deal_and_to_its_player() -> None:
    alice = signed_in("alice")
    attempt = started(alice)
    play(alice, attempt, LINE)
    page = get(f"/attempts/{attempt.public_id}")
    assert page.link("Play this deal") == "/play/TP1-E-AAAAAAB"
    assert page.link("<bdi>alice</bdi>") == f"/players/{alice.player.public_id}"
    assert 'data-last="50"' in page.text
