"""What the player of a numbered game is told after a finish (R8.5): first win, record broken, best so far, or no record."""

from __future__ import annotations

import datetime as dt
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection, transaction

from games.engine.codes import numbered_code
from games.models import Attempt, Player
from games.services import guest_claim
from games.signals import attempt_finished
from leaderboards.models import Board, Entry, RecordNews
from leaderboards.selectors import news_get
from leaderboards.selectors.news import record_standing
from leaderboards.services import account_delete, entries, news
from tests.calls import call
from tests.factories import credential, signed_in
from tests.leaderboards.cast import EASY, TEN, bot, exclude, finish, guest, include, person

pytestmark = pytest.mark.django_db
GAME = numbered_code(17).text
MINUTE = dt.timedelta(minutes=1)


def play(player: Player, left: int, moves: int, *, minute: int = 0, **options: Any) -> Attempt:
    """A result of numbered game 17."""
    outcome = "stuck" if left else "won"
    options = {"code": GAME, "peaks": 0 if left else 3, **options}
    return finish(player, left, at=TEN + minute * MINUTE, outcome=outcome, moves=moves, cards_left=left, **options)


def told(attempt: Attempt) -> tuple[str, int | None, int | None] | None:
    """(kind, fewer cards, fewer moves), as its player is told."""
    news = news_get(public_id=attempt.public_id, player_id=attempt.player_id)["news"]
    return news and (news["kind"], news["fewer_cards"], news["fewer_moves"])


def test_the_four_kinds_of_news_and_by_how_much() -> None:
    alice, bob = person("alice"), person("bob")
    found = [
        told(play(player, left, moves))
        for player, left, moves in [
            (alice, 9, 43),  # the very first result, not won
            (bob, 9, 43),  # equal is not better
            (bob, 10, 42),
            (bob, 7, 45),
            (alice, 7, 44),
            (alice, 0, 45),
            (bob, 3, 49),
            (bob, 0, 45),
            (bob, 0, 44),
            (bob, 0, 40),  # one's own record
            (alice, 0, 41),  # better than all of hers, not than his
        ]
    ]
    assert found == [
        ("best_so_far", None, None),
        ("no_record", None, None),
        ("no_record", None, None),
        ("best_so_far", 2, None),
        ("best_so_far", 0, 1),
        ("first_win", 7, None),
        ("no_record", None, None),
        ("no_record", None, None),
        ("record_broken", 0, 1),
        ("record_broken", 0, 4),
        ("no_record", None, None),
    ]


def test_a_first_result_that_wins_is_the_first_win() -> None:
    assert told(play(person("alice"), 0, 45)) == ("first_win", None, None)


def test_bots_and_people_have_news_of_their_own() -> None:
    alice = person("alice")
    robot = bot("robot", alice)
    assert told(play(robot, 0, 40)) == ("first_win", None, None)
    assert told(play(alice, 0, 45)) == ("first_win", None, None)
    assert told(play(robot, 0, 39)) == ("record_broken", 0, 1)
    assert {news.board.kind for news in RecordNews.objects.select_related("board")} == {"people", "bots"}


def test_other_deals_practice_and_the_view_of_first_attempts_make_no_news() -> None:
    alice = person("alice")
    assert told(play(alice, 0, 45, code=EASY)) is None
    assert told(play(alice, 0, 45, code="TP1-G-AAAAAAA")) is None, "number 0 is no numbered game"
    assert told(play(alice, 0, 45, code="TP1-G-AAACVZD")) is None, "50,001 neither"
    assert told(play(alice, 0, 45, ranked=False)) is None
    assert RecordNews.objects.count() == 0
    assert told(play(alice, 0, 45, code="TP1-G-AAACVZC")) is not None, "control: 50,000 is one"
    assert {news.board.view for news in RecordNews.objects.select_related("board")} == {"best"}


# --- one attempt, several results ----------------------------------------------------------------------------------


def test_an_attempt_bettered_by_undo_keeps_its_best_news_against_the_record_it_found() -> None:
    alice, bob = person("alice"), person("bob")
    play(bob, 9, 43)
    attempt = play(alice, 8, 44, minute=1)
    assert told(attempt) == ("best_so_far", 1, None)
    play(alice, 5, 50, minute=2, undos=3, attempt=attempt)
    assert told(attempt) == ("best_so_far", 4, None)
    play(bob, 4, 48, minute=3)
    play(alice, 0, 60, minute=4, undos=6, attempt=attempt)
    assert told(attempt) == ("first_win", 4, None)


def test_a_later_result_without_news_leaves_the_news_as_it_was() -> None:
    alice, bob = person("alice"), person("bob")
    attempt = play(alice, 8, 44)
    play(bob, 2, 50, minute=1)
    play(alice, 5, 50, minute=2, undos=3, attempt=attempt)
    assert told(attempt) == ("best_so_far", None, None)
    play(alice, 1, 70, minute=3, undos=9, attempt=attempt)
    assert told(attempt) == ("best_so_far", 1, None), "a newer one that beats the record is told"


def test_a_repeated_signal_changes_nothing_whatever_happened_meanwhile() -> None:
    alice, bob = person("alice"), person("bob")
    play(bob, 9, 43)
    attempt = play(alice, 7, 45, minute=1)
    other = play(bob, 3, 49, minute=2)
    before = list(RecordNews.objects.order_by("pk").values())
    play(bob, 0, 60, minute=3, undos=4, attempt=other)
    now = TEN + 5 * MINUTE
    for at in (TEN + MINUTE, now, now):  # the very same, and that of a resignation later
        with transaction.atomic():
            attempt_finished.send(sender=Attempt, attempt=attempt, now=at)
    assert RecordNews.objects.filter(attempt=attempt).values().get() == before[1]
    assert told(attempt) == ("best_so_far", 2, None)
    assert told(other) == ("first_win", 7, None)


# --- who holds the record ------------------------------------------------------------------------------------------


def test_a_record_passes_on_when_its_holder_is_removed() -> None:
    alice, bob, mallory = person("alice"), person("bob"), person("mallory")
    play(alice, 5, 47)
    attempt = play(mallory, 0, 40)
    assert exclude(attempt)
    assert told(play(bob, 0, 50, minute=1)) == ("first_win", 5, None)
    assert include(attempt)
    assert told(play(alice, 0, 45, minute=2)) == ("no_record", None, None)


def test_an_attempt_that_was_disqualified_makes_no_more_news() -> None:
    mallory = person("mallory")
    attempt = play(mallory, 5, 47)
    board = Board.objects.get(scope=GAME, kind="people", view="best")
    before = list(RecordNews.objects.values())
    exclude(attempt)
    play(mallory, 0, 60, minute=1, undos=5, attempt=attempt)
    assert not Entry.objects.filter(board=board, active=True).exists()
    assert list(RecordNews.objects.values()) == before
    assert told(attempt) is None, "what does not count is not told"


@pytest.mark.django_db(transaction=True)
def test_a_deleted_accounts_wins_are_no_records_any_more() -> None:
    alice, bob = person("alice"), person("bob")
    play(alice, 0, 40)
    account_delete(player_id=alice.pk, now=TEN + MINUTE)
    assert told(play(bob, 0, 50, minute=2)) == ("first_win", None, None)


# --- guests --------------------------------------------------------------------------------------------------------


def test_a_guest_is_told_what_it_would_be_and_no_row_is_written() -> None:
    play(person("alice"), 5, 47)
    visitor = guest()
    attempt = play(visitor, 0, 45, minute=1)
    answer = news_get(public_id=attempt.public_id, player_id=visitor.pk)
    assert answer == {"news": {"kind": "first_win", "fewer_cards": 5, "fewer_moves": None}, "provisional": True}
    assert not RecordNews.objects.filter(attempt=attempt).exists()
    assert told(play(person("bob"), 0, 50, minute=2)) == ("first_win", 5, None), "guests hold no records"


@pytest.mark.django_db(transaction=True)
def test_a_claimed_result_is_compared_with_what_was_there_at_its_own_date() -> None:
    alice, bob, visitor = person("alice"), person("bob"), guest()
    play(alice, 9, 43, minute=0)
    stuck = play(visitor, 8, 44, minute=1)
    won = play(visitor, 0, 45, minute=2)
    first = play(bob, 0, 44, minute=3)
    later = play(visitor, 0, 43, minute=4)
    worse = play(visitor, 3, 49, minute=5)
    assert told(first) == ("first_win", 9, None)
    guest_claim(player_id=visitor.pk, name="carol", password="correct horse", now=TEN + 9 * MINUTE)
    assert told(stuck) == ("best_so_far", 1, None)
    assert told(won) == ("first_win", 8, None), "its date counts"
    assert told(later) == ("record_broken", 0, 1)
    assert told(worse) == ("no_record", None, None)
    assert told(first) == ("first_win", 9, None), "what others were told stands"
    holders = Entry.objects.filter(board__view="best").order_by("key").values_list("player_id", flat=True)
    assert holders[0] == visitor.pk


# --- at once -------------------------------------------------------------------------------------------------------


def at_once(*jobs: Callable[[], object]) -> None:
    """Run all, each in a thread with its own database connection."""

    def run(job: Callable[[], object]) -> None:
        try:
            job()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(jobs)) as pool:
        for each in [pool.submit(run, job) for job in jobs]:
            each.result(30)


def win(player: Player) -> Callable[[], object]:
    return lambda: play(player, 0, 45)


def kinds() -> list[str]:
    return sorted(RecordNews.objects.values_list("kind", flat=True))


@pytest.mark.django_db(transaction=True)
def test_of_those_who_win_at_once_one_is_the_first() -> None:
    players = [person(f"player {number}") for number in range(4)]
    play(person("opener"), 9, 43, minute=-1)  # the board is there, so that all four meet at it
    at_once(*map(win, players))
    assert kinds() == ["best_so_far", "first_win", "no_record", "no_record", "no_record"]


@pytest.mark.django_db(transaction=True)
def test_control_without_the_boards_lock_more_than_one_would_be_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    meeting = threading.Barrier(2, timeout=10)
    real = record_standing

    def slowly(board_id: int) -> Any:
        found = real(board_id)
        meeting.wait()  # both have looked before either writes
        return found

    def unlocked(**named: Any) -> list[Board]:
        return list(Board.objects.filter(scope=named["scope"], kind=named["kind"], view="best"))

    players = [person("one"), person("two")]
    play(person("opener"), 9, 43, minute=-1)
    monkeypatch.setattr(news, "record_standing", slowly)
    monkeypatch.setattr(entries, "boards_lock", unlocked)
    at_once(*map(win, players))
    assert kinds() == ["best_so_far", "first_win", "first_win"]


# --- over REST -----------------------------------------------------------------------------------------------------


def test_news_over_rest_are_for_the_player_alone() -> None:
    alice, mallory = signed_in("alice"), signed_in("mallory")
    attempt = play(alice.player, 0, 45)
    answer = call("GET", f"/attempts/{attempt.public_id}/news", who=alice)
    assert answer.status == 200
    assert answer.json == {
        "news": {"kind": "first_win", "fewer_cards": None, "fewer_moves": None},
        "provisional": False,
    }
    foreign = call("GET", f"/attempts/{attempt.public_id}/news", who=mallory)
    unknown = call("GET", "/attempts/0123456789abcdef/news", who=mallory)
    assert (foreign.status, foreign.json) == (unknown.status, unknown.json)
    assert foreign.status == 404
    assert call("GET", f"/attempts/{attempt.public_id}/news").status == 401


def test_a_game_played_over_rest_is_news_at_once_and_stays_so_when_resigned() -> None:
    alice = signed_in("alice")
    visitor = credential(guest())
    for who in (alice, visitor):
        attempt = call("POST", "/attempts", {"key": "k", "number": 17}, who=who).json["attempt"]
        assert call("GET", f"/attempts/{attempt['id']}/news", who=who).json["news"] is None
        for ply in range(60):
            move = "d" if "d" in attempt["legal"] else attempt["legal"][0]
            body = {"move": move, "expected_ply": ply, "move_id": f"m{ply}"}
            attempt = call("POST", f"/attempts/{attempt['id']}/moves", body, who=who).json["attempt"]
            if attempt["outcome"]:
                break
        assert attempt["outcome"] == "stuck"
        shown = [call("GET", f"/attempts/{attempt['id']}/news", who=who).json]
        call("POST", f"/attempts/{attempt['id']}/resign", {"move_id": "r"}, who=who)
        shown.append(call("GET", f"/attempts/{attempt['id']}/news", who=who).json)
        assert shown[0] == shown[1]
        kind = "best_so_far" if who is alice else "no_record"
        assert (shown[0]["news"]["kind"], shown[0]["provisional"]) == (kind, who is visitor)
