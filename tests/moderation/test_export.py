"""Everything that is kept about a player, for that player: complete, without secrets, without a card not turned up."""

from __future__ import annotations

import datetime as dt
import io
import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from games import clock
from games.engine.codes import parse_code
from games.models import AttemptClient, Deal, SharedBrowser
from games.services.attempts import Competition
from leaderboards.models import DailyChallenge
from leaderboards.moderation.actions import accounts_merge, action_revert, player_ban, player_unban
from leaderboards.moderation.export import player_export
from leaderboards.moderation.models import Judgement
from leaderboards.moderation.reports import report_make
from leaderboards.services import dailies_prepare
from tests.browser.conftest import CARD
from tests.calls import call
from tests.factories import PASSWORD, SignedIn, bot, credential, guest, person, token

from .fair import WHY, disqualified, held, player, result, staff
from .playing import EASY, WON, best_line, play

pytestmark = pytest.mark.django_db(transaction=True)


def export(who: SignedIn) -> Any:
    answer = call("GET", "/account/export", who=who)
    assert answer.status == 200
    assert answer.response.headers["Cache-Control"] == "no-store"
    return answer.json


def test_it_holds_account_credentials_games_with_moves_and_times_and_entries() -> None:
    alice = credential(person("alice", password=PASSWORD))
    robot = token(bot("robot", owner=alice.player))
    mine, its = play(alice, pace_ms=1500), play(robot, pace_ms=100)
    found = export(alice)
    assert (found["account"]["name"], found["account"]["password"]) == ("alice", True)
    assert [each["name"] for each in found["bots"]] == ["robot"]
    assert {each["id"] for each in found["credentials"]} == {
        alice.credential.public_id,
        robot.credential.public_id,
    }
    first, second = found["attempts"]
    assert (first["id"], first["player"], second["id"]) == (mine.public_id, alice.player.public_id, its.public_id)
    assert (first["code"], first["log"].split()) == (EASY, list(WON))
    assert first["times_ms"] == [1500 * (ply + 1) for ply in range(len(WON))]
    assert {(each["board"], each["kind"], each["attempt"]) for each in found["entries"]} >= {
        (EASY, "people", mine.public_id),
        (EASY, "bots", its.public_id),
    }


def test_it_holds_what_was_noted_judged_told_and_reported() -> None:
    alice, mod = player("alice"), staff("mod")
    bob = person("bob")
    attempt = result(alice.player)
    now = clock.now()
    AttemptClient.objects.create(
        attempt=attempt,
        player=alice.player,
        credential=alice.credential,
        client="page_socket",
        network=b"\1" * 16,
        first_ply=0,
        at=now,
    )
    Judgement.objects.create(
        attempt=attempt,
        ply=attempt.ply,
        version=1,
        verdict="flag",
        points=40,
        signals=[{"name": "copied_pace", "explanation": "inner words", "evidence": {"player": bob.public_id}}],
        judged_at=now,
    )
    disqualified(attempt, mod)
    call("POST", "/reports", {"player": bob.public_id, "reason": "name", "text": "rude"}, who=alice)
    found = export(alice)
    [one] = found["attempts"]
    assert one["clients"] == [
        {
            "client": "page_socket",
            "credential": alice.credential.public_id,
            "network": "01010101",
            "first_ply": 0,
            "at": clock.iso(now),
        }
    ]
    assert one["judgements"] == [{"verdict": "flag", "at": clock.iso(now)}]
    assert (found["notices"][0]["kind"], found["notices"][0]["words"]) == ("disqualified", WHY["words"])
    [told] = found["reports"]
    assert (told["player"], told["reason"], told["text"]) == (bob.public_id, "name", "rude")
    text = json.dumps(found)
    assert "inner words" not in text
    assert WHY["reason"] not in text, "the moderators' inner words"


def test_it_tells_of_a_shared_browser_and_not_who_else_used_it() -> None:
    alice, bob = player("alice"), player("bob")
    first, last = clock.now() - dt.timedelta(days=3), clock.now()
    SharedBrowser.objects.create(first=alice.player, second=bob.player, first_at=first, at=last)
    for who, other in ((alice, bob), (bob, alice)):
        found = export(who)
        assert found["shared_browsers"] == [
            {"player": who.player.public_id, "first_at": clock.iso(first), "at": clock.iso(last)}
        ]
        assert other.player.public_id not in json.dumps(found)
    assert export(player("carol"))["shared_browsers"] == []


def test_it_holds_cases_and_decisions_without_who_reported_or_decided_and_without_inner_words() -> None:
    alice, bob, mod = player("alice"), person("bob"), staff("moderato")
    robot = bot("robot", owner=alice.player)
    now = clock.now()
    attempt, its = result(alice.player), result(robot)
    reported: dict[str, Any] = {"reporter_id": bob.pk, "reason_class": "cheating", "text": "I saw it.", "now": now}
    report_make(attempt_id=attempt.public_id, **reported)
    report_make(player_id=robot.public_id, **reported)
    report_make(attempt_id=result(person("carol")).public_id, **reported)
    done = disqualified(attempt, mod)
    why: dict[str, Any] = {
        "moderator_id": mod.pk,
        "reason_class": "name",
        "reason": "Looks like bob.",
        "words": "",
        "now": now,
    }
    banned = player_ban(player_id=alice.player.public_id, until=None, **why)
    player_unban(player_id=alice.player.public_id, **why)
    back = action_revert(action_id=done.public_id, moderator_id=mod.pk, reason="It was bob.", words="Sorry.", now=now)
    accounts_merge(main_id=alice.player.public_id, second_id=bob.public_id, **why)
    held(its)
    found = export(alice)
    cases = {(each["player"], each["attempt"]): each for each in found["cases"]}
    assert set(cases) == {
        (alice.player.public_id, attempt.public_id),
        (robot.public_id, its.public_id),
        (robot.public_id, None),
    }
    one = cases[alice.player.public_id, attempt.public_id]
    assert one == {
        "player": alice.player.public_id,
        "attempt": attempt.public_id,
        "reasons": ["report"],
        "opened_at": clock.iso(now),
        "closed_at": None,
    }, "and no points"
    told = [(each["player"], each["kind"], each["reason_class"], each["words"]) for each in found["actions"]]
    me = alice.player.public_id
    assert told == [
        (me, "disqualify", "copied", WHY["words"]),
        (me, "ban", "name", ""),
        (me, "unban", "name", ""),
        (me, "revert", "copied", "Sorry."),
        (robot.public_id, "hold", "copied", WHY["words"]),
    ]
    first, second, *_ = found["actions"]
    assert (first["id"], first["attempt"], first["takes_back"]) == (done.public_id, attempt.public_id, None)
    assert (second["id"], second["attempt"], second["at"]) == (banned.public_id, None, clock.iso(now))
    assert (found["actions"][3]["id"], found["actions"][3]["takes_back"]) == (back.public_id, done.public_id)
    text = json.dumps(found)
    for inner in (
        "I saw it.",
        "Looks like bob.",
        WHY["reason"],
        "It was bob.",
        "bob",
        bob.public_id,
        "moderato",
        mod.public_id,
    ):
        assert inner not in text


def test_no_secret_is_in_it() -> None:
    alice = credential(person("alice", password=PASSWORD))
    program = token(alice.player)
    text = json.dumps(export(alice))
    for secret in (
        alice.secret,
        program.secret,
        alice.player.password,
        bytes(alice.credential.token_hash).hex(),
        PASSWORD,
    ):
        assert secret not in text


def test_a_sealed_code_and_cards_that_were_not_turned_up_stay_out_until_it_is_final() -> None:
    alice = player("alice")
    now = clock.now()
    dailies_prepare(now=now)
    daily = DailyChallenge.objects.get(opens_at__lte=now, closes_at__gt=now)
    competition = Competition(
        key=daily.key,
        deadline=daily.grace_ends_at,
        sealed_until=daily.final_at,
        undo_allowed=False,
        ranked=True,
        on_start=lambda attempt: None,
    )
    line = best_line(daily.code)[:9]
    play(alice, line, code=daily.code, competition=competition, at=now + dt.timedelta(seconds=1), pace_ms=10)
    [one] = export(alice)["attempts"]
    assert (one["code"], one["competition"], one["log"].split()) == (None, daily.key, line)
    text = "".join(player_export(player_id=alice.player.pk, now=now))
    assert daily.code not in text
    assert not CARD.search(text)
    later = json.loads("".join(player_export(player_id=alice.player.pk, now=daily.final_at)))
    assert later["attempts"][0]["code"] == daily.code, "control: then it is published"
    assert Deal.objects.filter(pk=daily.deal_id).exists()
    assert parse_code(daily.code).sealed


def test_it_is_ones_own_and_needs_a_session() -> None:
    alice = player("alice")
    attempt = result(person("bob"))
    assert attempt.public_id not in json.dumps(export(alice))
    assert call("GET", "/account/export").status == 401
    assert call("GET", "/account/export", who=token(alice.player)).code == "scope_missing"


def test_a_guest_has_one_too() -> None:
    somebody = credential(guest())
    attempt = result(somebody.player)
    found = export(somebody)
    assert (found["account"]["name"], [each["id"] for each in found["attempts"]]) == (None, [attempt.public_id])


def test_it_is_written_piece_by_piece_in_a_few_queries_a_hundred_games() -> None:
    alice = player("alice")
    for score in range(120):
        result(alice.player, 500 + score)
    pieces = player_export(player_id=alice.player.pk, now=clock.now())
    with CaptureQueriesContext(connection) as early:
        first = next(pieces)
    assert first.startswith('{"exported_at"')
    assert len(early) <= 2, "nothing of the games is read before it is asked for"
    with CaptureQueriesContext(connection) as queries:
        whole = json.loads(first + "".join(pieces))
    assert len(whole["attempts"]) == 120
    assert len(queries) <= 25


def test_the_operator_writes_the_same_by_name() -> None:
    alice = player("alice")
    result(alice.player)
    out = io.StringIO()
    call_command("player_export", "ALICE", stdout=out)
    written, read = json.loads(out.getvalue()), export(alice)
    for each in (written, read):
        del each["exported_at"], each["credentials"]
    assert written == read
    with pytest.raises(CommandError):
        call_command("player_export", "nobody", stdout=out)


def test_so_many_an_hour(settings: Settings) -> None:
    settings.THROTTLES = {**settings.THROTTLES, "export": (1, 3600)}
    alice = player("alice")
    export(alice)
    again = call("GET", "/account/export", who=alice)
    assert (again.status, again.data["limit"]) == (429, "export")
