"""Moderators, finishes and copies at once: nothing is lost, nothing stands that must not, nobody waits for ever."""

from __future__ import annotations

import datetime as dt
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import OperationalError, transaction

from games.models import Attempt, Player
from games.redis import run_script
from leaderboards import standings
from leaderboards.models import Board, Entry
from leaderboards.moderation import actions
from leaderboards.moderation.models import Exclusion, ModeratorAction
from leaderboards.services import account_delete, entries
from tests.leaderboards.cast import NOON, RUNS, TEN, finish, person, places, raw, reading_from

from .test_boards_under_races import in_threads

pytestmark = pytest.mark.django_db(transaction=True)
WHY: dict[str, Any] = {"reason_class": "copied", "reason": "the same forty moves", "words": ""}
SOON = 0.5


def disqualify(attempt: Attempt, by: Player) -> ModeratorAction:
    return actions.attempt_disqualify(attempt_id=attempt.public_id, moderator_id=by.pk, now=NOON, **WHY)


def undone(player: Player, score: int) -> Attempt:
    """A stuck attempt with a result, which its player goes on with by undoing."""
    return finish(player, score, outcome="stuck", cards_left=3, peaks=1)


def better(attempt: Attempt, score: int, *, lock: str = "no key") -> None:
    """Win it, as a move does: under the attempt's lock."""
    locked = Attempt.objects.select_for_update(no_key=lock == "no key").get(pk=attempt.pk)
    finish(locked.player, score, attempt=locked)


class Pause:
    """A place in the code where a thread waits for the test."""

    def __init__(self) -> None:
        self.reached, self.go_on = threading.Event(), threading.Event()

    def __call__(self) -> None:
        self.reached.set()
        assert self.go_on.wait(10)


@pytest.fixture
def under_the_boards(monkeypatch: pytest.MonkeyPatch) -> Iterator[Pause]:
    """A pause of whoever decides, while it holds the boards and before it looks at the attempts."""
    pause, real = Pause(), entries._changes

    def paused(boards: Any, groups: Any) -> Any:
        pause()
        return real(boards, groups)

    monkeypatch.setattr(entries, "_changes", paused)
    yield pause
    pause.go_on.set()


def standing() -> list[tuple[str | None, int]]:
    rows = Entry.objects.filter(board__scope=RUNS, board__view="best", active=True).order_by("key")
    return list(rows.values_list("player__name", "score"))


# --- a finish and a decision ---------------------------------------------------------------------------------------


def test_an_attempt_bettered_while_it_is_disqualified_stands_nowhere(mod: Player) -> None:
    attempt = undone(person("alice"), 100)
    finishing = Pause()

    def play() -> None:
        with transaction.atomic():
            better(attempt, 300)
            finishing()

    def decide() -> None:
        assert finishing.reached.wait(10)
        threading.Timer(SOON, finishing.go_on.set).start()
        disqualify(attempt, mod)

    in_threads(play, decide)
    assert (standing(), places()) == ([], [])
    assert Attempt.objects.get(pk=attempt.pk).result_score == 300


def test_control_excluding_without_the_attempts_lock_leaves_it_standing() -> None:
    alice = person("alice")
    attempt = undone(alice, 100)
    finishing = Pause()

    def play() -> None:
        with transaction.atomic():
            better(attempt, 300)
            finishing()

    threading.Timer(SOON, finishing.go_on.set).start()
    in_threads(play, lambda: careless(finishing, attempt, alice))
    assert standing() == [("alice", 300)]


def careless(finishing: Pause, attempt: Attempt, player: Player) -> None:
    """What is not there yet is not taken off: neither the attempt nor the boards are waited for."""
    assert finishing.reached.wait(10)
    with transaction.atomic():
        Exclusion.objects.create(attempt=attempt, kind="disqualified", since=NOON)
        for entry in Entry.objects.select_for_update(skip_locked=True).filter(player=player):
            Entry.objects.filter(pk=entry.pk).update(active=False)


def test_a_finish_that_comes_while_its_attempt_is_disqualified_enters_nowhere(
    mod: Player, under_the_boards: Pause
) -> None:
    attempt = undone(person("alice"), 100)

    def play() -> None:
        assert under_the_boards.reached.wait(10)
        threading.Timer(SOON, under_the_boards.go_on.set).start()
        with transaction.atomic():
            better(attempt, 300)

    in_threads(lambda: disqualify(attempt, mod), play)
    assert standing() == []


def test_a_better_one_that_comes_while_the_best_is_disqualified_takes_its_place(
    mod: Player, under_the_boards: Pause
) -> None:
    alice = person("alice")
    best, other = finish(alice, 300), undone(alice, 100)

    def play() -> None:
        assert under_the_boards.reached.wait(10)
        threading.Timer(SOON, under_the_boards.go_on.set).start()
        with transaction.atomic():
            better(other, 250)

    in_threads(lambda: disqualify(best, mod), play)
    assert standing() == [("alice", 250)]
    actions.attempt_reinstate(attempt_id=best.public_id, moderator_id=mod.pk, now=NOON, **WHY)
    assert standing() == [("alice", 300)]


def second_best_is_being_bettered(mod: Player, pause: Pause, lock: str) -> None:
    """The decision puts up an attempt whose finish holds that attempt and waits for the board."""
    alice = person("alice")
    best, other = finish(alice, 300), undone(alice, 100)
    waiting = threading.Event()

    def play() -> None:
        assert pause.reached.wait(10)
        threading.Timer(SOON, pause.go_on.set).start()
        with transaction.atomic():
            locked = Attempt.objects.select_for_update(no_key=lock == "no key").get(pk=other.pk)
            waiting.set()
            finish(locked.player, 250, attempt=locked)

    in_threads(lambda: disqualify(best, mod), play)
    assert standing() == [("alice", 250)]


def test_a_decision_and_the_finish_that_it_refers_to_do_not_wait_for_each_other(
    mod: Player, under_the_boards: Pause
) -> None:
    second_best_is_being_bettered(mod, under_the_boards, "no key")


def test_control_with_the_stronger_lock_they_would(mod: Player, under_the_boards: Pause) -> None:
    with pytest.raises(OperationalError, match="deadlock"):
        second_best_is_being_bettered(mod, under_the_boards, "update")


@pytest.mark.parametrize("kind", ["hide", "merge", "delete"])
def test_a_finish_that_is_under_way_is_waited_for_by_what_happens_to_its_player(kind: str, mod: Player) -> None:
    alice, bob = person("alice"), person("bob")
    attempt = undone(alice, 100)
    finishing = Pause()
    names = {"main_id": bob.public_id, "second_id": alice.public_id}
    acts: dict[str, Callable[[], object]] = {
        "hide": lambda: actions.player_hide(player_id=alice.public_id, moderator_id=mod.pk, now=NOON, **WHY),
        "merge": lambda: actions.accounts_merge(**names, moderator_id=mod.pk, now=NOON, **WHY),
        "delete": lambda: account_delete(player_id=alice.pk, now=NOON),
    }

    def play() -> None:
        with transaction.atomic():
            better(attempt, 300)
            finishing()

    def act() -> None:
        assert finishing.reached.wait(10)
        threading.Timer(SOON, finishing.go_on.set).start()
        acts[kind]()

    in_threads(play, act)
    assert standing() == ([("bob", 300)] if kind == "merge" else [])


@pytest.mark.parametrize("kind", ["hide", "merge"])
def test_a_finish_that_comes_meanwhile_waits_and_counts_as_decided(
    kind: str, mod: Player, under_the_boards: Pause
) -> None:
    alice, bob = person("alice"), person("bob")
    attempt = undone(alice, 100)
    names = {"main_id": bob.public_id, "second_id": alice.public_id}

    def act() -> None:
        if kind == "hide":
            actions.player_hide(player_id=alice.public_id, moderator_id=mod.pk, now=NOON, **WHY)
        else:
            actions.accounts_merge(**names, moderator_id=mod.pk, now=NOON, **WHY)

    def play() -> None:
        assert under_the_boards.reached.wait(10)
        threading.Timer(SOON, under_the_boards.go_on.set).start()
        with transaction.atomic():
            better(attempt, 300)

    in_threads(act, play)
    assert standing() == ([("bob", 300)] if kind == "merge" else [])


def test_two_accounts_of_one_person_that_finish_while_merged_stand_once(mod: Player) -> None:
    alice, bob = person("alice"), person("bob")
    finish(alice, 100)
    actions.accounts_merge(main_id=alice.public_id, second_id=bob.public_id, moderator_id=mod.pk, now=NOON, **WHY)

    def several(player: Player) -> Callable[[], None]:
        def play() -> None:
            for score in range(200, 260, 10):
                finish(player, score, at=TEN + dt.timedelta(seconds=score))

        return play

    in_threads(several(alice), several(bob))
    assert standing() == [("alice", 250)]
    board = Board.objects.get(scope=RUNS, view="best")
    assert board.entries == 1
    for way in ("database", "cache"):
        with reading_from(way):
            assert places() == [(1, "alice")]


# --- a decision and the copy ---------------------------------------------------------------------------------------


def rebuilt_around(act: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> None:
    """Rebuild the copy of the board, and act after it has read the database and before it takes its place."""
    real = run_script

    def late(source: str, keys: list[str], arguments: Any, **patience: float) -> Any:
        if source is standings._SWAP:
            monkeypatch.setattr(standings, "run_script", real)
            in_threads(act)
        return real(source, keys, arguments, **patience)

    monkeypatch.setattr(standings, "run_script", late)
    assert standings.rebuild(Board.objects.get(scope=RUNS, view="best").pk)


def copied() -> int:
    [key] = raw().keys("tripeaks:board:*:z")
    return int(raw().zcard(key))


def test_a_disqualification_while_the_copy_is_rebuilt_is_in_what_readers_get(
    mod: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw().flushall()
    alice = person("alice")
    best, _second = finish(alice, 300), finish(alice, 200)
    finish(person("bob"), 250)
    rebuilt_around(lambda: disqualify(best, mod), monkeypatch)
    with reading_from("cache"):
        assert places() == [(1, "bob"), (2, "alice")]
    assert standing() == [("bob", 250), ("alice", 200)]


def test_control_the_rebuilt_copy_itself_was_behind(mod: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the copy held when it took its place: a reader that trusted it would still show the disqualified result."""
    raw().flushall()
    attempt = finish(person("alice"), 300)
    finish(person("bob"), 250)
    rebuilt_around(lambda: disqualify(attempt, mod), monkeypatch)
    assert copied() == 2
    with reading_from("cache"):
        assert places() == [(1, "bob")]
    assert copied() == 1
