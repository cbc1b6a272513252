"""A deleted player is on no board, in no count and in no copy; records pass on (C15, R8.5)."""

from __future__ import annotations

import datetime as dt

import pytest
from pytest_django import DjangoCaptureOnCommitCallbacks

from games.models import Credential, Player
from games.services import person_create
from games.services.credentials import credential_find
from leaderboards import standings
from leaderboards.models import Board, Entry, ScoreBucket
from leaderboards.scopes import parse_board
from leaderboards.selectors import board_me, board_page, standings_snapshot
from leaderboards.services import account_delete
from tests.attempts.hand import Hand
from tests.calls import call
from tests.factories import PASSWORD, SignedIn, credential
from tests.factories import person as person_with_password
from tests.leaderboards.cast import (
    NOON,
    TEN,
    bot,
    copy_answers,
    exclude,
    finish,
    include,
    person,
    places,
    rank_of,
    reading_from,
)

pytestmark = pytest.mark.django_db
GAME_17 = "TP1-R-AAAAAAR"


def five_players() -> list[Player]:
    players = [person(f"player {number}") for number in range(1, 6)]
    for number, player in enumerate(players):
        finish(player, 400 - 10 * number, code=GAME_17, at=TEN + dt.timedelta(minutes=number))
    return players


def test_C15_the_others_move_up_on_every_board_and_in_the_copy() -> None:
    players = five_players()
    with reading_from("cache"):
        assert len(places(GAME_17)) == 5  # the copy holds the player before the deletion
    before = standings_snapshot(GAME_17, "people", "best")
    gone = Hand.of(players[1])
    assert account_delete(player_id=players[1].pk, now=NOON) == 2, "the best and the first attempts' entry"
    expected = [(1, "player 1"), (2, "player 3"), (3, "player 4"), (4, "player 5")]
    for rebuilt in (False, True):
        if rebuilt:
            assert standings.rebuild(Board.objects.get(scope=GAME_17, view="best").pk)
        for way in ("database", "cache"):
            with reading_from(way):
                assert places(GAME_17) == places(GAME_17, view="first") == expected
                assert [rank_of(player, GAME_17) for player in players if player != players[1]] == [1, 2, 3, 4]
                page = board_page(parse_board(GAME_17), cursor=None, limit=3, now=NOON)
                assert (page["board"]["players"], page["board"]["entries"]) == (4, 4)
                assert [row["rank"] for row in page["rows"]] == [1, 2, 3]
    assert copy_answers(GAME_17)
    after = standings_snapshot(GAME_17, "people", "best")
    assert after["version"] == before["version"] + 1, "open sockets learn of it by the version"
    assert "player 2" not in str(after)
    assert credential_find(token_hash=bytes(gone.credential.token_hash), via="bearer", now=NOON) is None
    assert (
        sum(ScoreBucket.objects.filter(board__scope=GAME_17, board__view="best").values_list("count", flat=True)) == 4
    )

    again = person_create(name="player 2", password="correct horse battery", now=NOON)
    assert board_me(parse_board(GAME_17), player_id=again.pk)["row"] is None

    account_delete(player_id=players[0].pk, now=NOON)
    [first, *_] = standings_snapshot(GAME_17, "people", "best")["rows"]
    assert (first["rank"], first["player"]["name"], first["finished_at"]) == (1, "player 3", "2026-11-29T10:02:00.000Z")


def test_C15_open_sockets_are_told_of_every_board_that_changed(
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks, monkeypatch: pytest.MonkeyPatch
) -> None:
    players = five_players()
    told: list[tuple[str, str, str, int]] = []
    from games import events

    def put(event: object) -> None:
        if type(event).__name__ == "BoardChanged":
            told.append((event.scope, event.kind, event.view, event.version))  # type: ignore[attr-defined]

    monkeypatch.setattr(events.announcer, "put", put)
    with django_capture_on_commit_callbacks(execute=True):
        account_delete(player_id=players[1].pk, now=NOON)
    assert told == [(GAME_17, "people", "best", 6), (GAME_17, "people", "first", 6)]


def test_the_bots_of_a_deleted_person_go_too_and_deleting_again_changes_nothing() -> None:
    alice = person("alice")
    machine = bot("machine", alice)
    finish(machine, 300)
    finish(person("bob"), 290)
    assert account_delete(player_id=alice.pk, now=NOON) == 2
    assert places(kind="bots") == []
    versions = list(Board.objects.order_by("id").values_list("version", flat=True))
    assert account_delete(player_id=alice.pk, now=NOON) == 0
    assert list(Board.objects.order_by("id").values_list("version", flat=True)) == versions
    assert places() == [(1, "bob")]


def test_a_result_that_comes_after_the_deletion_enters_nowhere() -> None:
    alice = person("alice")
    attempt = finish(alice, 300)
    account_delete(player_id=alice.pk, now=NOON)
    finish(alice, 310, attempt=attempt)
    finish(alice, 320)
    assert places() == []
    assert Entry.objects.filter(active=True).count() == 0


def test_an_entry_is_removed_and_put_back_with_its_own_date() -> None:
    alice, bob = person("alice"), person("bob")
    attempt = finish(alice, 300, at=TEN)
    finish(bob, 290, at=TEN)
    before = standings_snapshot("TP1-R-AAAAAAB", "people", "best")
    assert exclude(attempt) == 2, "of best and of first attempts"
    assert exclude(attempt) == 0
    assert places() == [(1, "bob")]
    assert include(attempt) == 2
    after = standings_snapshot("TP1-R-AAAAAAB", "people", "best")
    assert (after["rows"], after["version"]) == (before["rows"], before["version"] + 2)
    account_delete(player_id=alice.pk, now=NOON)
    assert (exclude(attempt), include(attempt)) == (0, 0), "a deleted player comes back to no board"


# --- over REST -----------------------------------------------------------------------------------------------------


def signed_in(name: str) -> SignedIn:
    return credential(person_with_password(name, password=PASSWORD))


def test_deleting_over_rest_needs_the_password_and_ends_every_right() -> None:
    alice = signed_in("alice")
    finish(alice.player, 300)
    refused = call("DELETE", "/account", {"password": "wrong"}, who=alice)
    assert (refused.status, refused.code) == (403, "wrong_password")
    assert places() == [(1, "alice")]
    done = call("DELETE", "/account", {"password": PASSWORD}, who=alice)
    assert (done.status, done.json) == (200, {"ok": True})
    assert places() == []
    assert call("GET", "/account", who=alice).status == 401
    assert call("DELETE", "/account", {"password": PASSWORD}, who=alice).status == 401
    assert Credential.objects.filter(player=alice.player, revoked_at=None).count() == 0


def test_the_account_can_still_be_read_at_the_same_address() -> None:
    alice = signed_in("alice")
    assert call("GET", "/account", who=alice).json["player"]["name"] == "alice"
    wrong = call("PUT", "/account", {}, who=alice)
    assert (wrong.status, wrong.code) == (405, "method_not_allowed")
    assert wrong.response.headers["Allow"].split(", ")[:1] == ["GET"]
