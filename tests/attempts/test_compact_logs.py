"""An old log as one value: pinned bytes, the same answers from every reader, nothing compacted that does not fit."""

from __future__ import annotations

import datetime as dt
import threading
from typing import Any

import pytest
from django.db import connection
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import Settings

from games import clock
from games.compact import Log, log_pack, log_unpack, ply_of_move_id
from games.engine.moves import parse_move
from games.errors import GameError
from games.models import Attempt, CompactLog, Move
from games.selectors.analysis import analysis_computed
from games.selectors.attempts import attempt_get, attempt_replay, attempt_resume, attempts_list
from games.services import attempt_move, attempts_compact, deleted_purge
from games.services.compaction import Compacted
from leaderboards.moderation.desk.replay import watched
from leaderboards.moderation.export import player_export
from leaderboards.moderation.lines import Fields, line_of, lines_of
from leaderboards.selectors.standing import groups_of, standings_wanted
from leaderboards.services.accounts import account_delete
from tests.factories import SignedIn
from tests.moderation.playing import EASY, WON, competition, play, somebody

DAY = dt.timedelta(days=1)
UNDONE = [*WON[:-1], "u", "u", *WON[-3:]]
MOVE_IDS = st.text("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-", min_size=1, max_size=64)


def compacted(now: dt.datetime) -> Compacted:
    return sum(attempts_compact(now=now, batch=2), Compacted())


# --- the format ----------------------------------------------------------------------------------------------------


def test_the_first_version_is_pinned_byte_for_byte() -> None:
    log = Log((20, 28, 29), (1_800_000_000_000, 1_800_000_001_500, 1_800_000_001_499))
    packed = log_pack(log, ["a", "b", "c"])
    assert packed.hex() == "010380a0f1c2b134b81701141c1d" + "433911c6eb0d" + "a120d0ad50f1" + "ff08fffb1947"


@given(st.data(), st.lists(st.integers(0, 29), min_size=1, max_size=60))
def test_what_is_packed_comes_back_and_every_move_id_is_found(data: st.DataObject, moves: list[int]) -> None:
    count = len(moves)
    times = data.draw(st.lists(st.integers(0, 2**42), min_size=count, max_size=count))
    ids = data.draw(st.lists(MOVE_IDS, min_size=count, max_size=count, unique=True))
    log = Log(tuple(moves), tuple(times))
    packed = log_pack(log, ids)
    assert log_unpack(packed) == log
    assert [ply_of_move_id(packed, move_id) for move_id in ids] == list(range(1, count + 1))
    assert ply_of_move_id(packed, "never used, so there") is None


@given(st.binary(max_size=60))
def test_other_bytes_are_refused_or_are_a_log(data: bytes) -> None:
    try:
        log = log_unpack(data)
    except ValueError:
        return
    assert 1 <= len(log.moves) == len(log.at_ms)


@pytest.mark.parametrize(
    ("moves", "times", "ids"),
    [
        ((), (), []),
        ((1,), (1, 2), ["a"]),
        ((1, 2), (1, 2), ["a", "a"]),
        ((30,), (1,), ["a"]),
        ((1,) * 2001,) * 2 + ([],),
    ],
)
def test_what_does_not_fit_is_refused(moves: tuple[int, ...], times: tuple[int, ...], ids: list[str]) -> None:
    with pytest.raises(ValueError, match="no compact form"):
        log_pack(Log(moves, times), ids)


# --- readers -------------------------------------------------------------------------------------------------------


def everything(alice: SignedIn, attempts: list[Attempt], now: dt.datetime) -> list[Any]:
    """What every reader of logs says."""
    player = alice.player.pk
    rows = [Attempt.objects.select_related("deal", "player").get(pk=attempt.pk) for attempt in attempts]
    found: list[Any] = [attempts_list(player_id=player, cursor=None, now=now)]
    for row in rows:
        found += [
            attempt_get(public_id=row.public_id, player_id=player, now=now),
            attempt_resume(public_id=row.public_id, player_id=player, ply=3, now=now),
            attempt_replay(public_id=row.public_id, viewer_id=None, now=now),
            analysis_computed(row),
            line_of(attempt_id=row.pk, ply=row.ply),
            watched(row, [], now),
        ]
        with Fields().hold(
            deal_id=row.deal_id, cards=tuple(row.deal.cards), ruleset=lines_of([row.pk])[row.pk].ruleset
        ) as field:
            found.append(len(field))
    found.append(lines_of([row.pk for row in rows]))
    found.append(standings_wanted(groups_of([player]), {EASY, "daily-2020-01-01"}))
    found.append("".join(player_export(player_id=player, now=now)))
    return found


def repeat(who: SignedIn, attempt: Attempt, ply: int, move: str, move_id: str, now: dt.datetime) -> Any:
    try:
        return attempt_move(
            attempt_id=attempt.public_id,
            token_hash=bytes(who.credential.token_hash),
            via="bearer",
            move=parse_move(move),
            expected_ply=ply - 1,
            move_id=move_id,
            now=now,
        ).as_json()
    except GameError as refusal:
        return refusal.code


@pytest.mark.django_db
def test_every_reader_says_the_same_of_a_compact_log(settings: Settings) -> None:
    now = clock.now()
    old = now - 40 * DAY
    alice = somebody("alice")
    attempts = [
        play(alice, UNDONE, at=old),
        play(alice, WON[:7], at=old, resign=True),
        play(alice, WON, at=old, competition=competition(old)),
        play(alice, [], at=old, resign=True),
    ]
    young, running = play(alice, WON, at=now), play(alice, WON[:5], at=old)
    settings.COMPACT_DAYS = 30
    ids = list(Move.objects.filter(attempt=attempts[0]).order_by("ply").values_list("move_id", flat=True))
    asked = [
        (50, UNDONE[49], ids[49]),
        (54, UNDONE[53], ids[53]),
        (3, UNDONE[2], ids[2]),
        (3, "t18", ids[2]),
        (55, "d", "new"),
    ]

    def answers() -> list[Any]:
        return [repeat(alice, attempts[0], ply, move, move_id, now) for ply, move, move_id in asked]

    before = everything(alice, attempts[:3], now), answers()
    assert [answer if isinstance(answer, str) else answer["ply"] for answer in before[1]] == [
        50, 54, 3, "move_id_reused", "game_over",
    ]  # fmt: skip
    done = compacted(now)
    assert (done.attempts, done.moves, done.left) == (4, 54 + 7 + 50, 0)
    assert not Move.objects.filter(attempt__in=attempts).exists()
    assert set(Move.objects.values_list("attempt_id", flat=True)) == {young.pk, running.pk}
    assert CompactLog.objects.count() == 3
    assert (everything(alice, attempts[:3], now), answers()) == before
    assert compacted(now) == Compacted()


@pytest.mark.django_db
def test_a_log_that_has_no_compact_form_keeps_its_rows_and_keeps_no_other_from_it() -> None:
    now = clock.now()
    alice = somebody("alice")
    broken, fine, odd = (play(alice, WON[:6], at=now - 40 * DAY, resign=True) for _ in range(3))
    Move.objects.filter(attempt=broken, ply=3).delete()
    Move.objects.filter(attempt=odd, ply=2).update(at=now - 50 * DAY + dt.timedelta(microseconds=7))
    assert compacted(now) == Compacted(attempts=1, moves=6, left=2)
    assert set(Move.objects.values_list("attempt_id", flat=True)) == {broken.pk, odd.pk}
    assert CompactLog.objects.get().attempt_id == fine.pk


@pytest.mark.django_db
def test_compact_logs_of_a_deleted_account_go_with_it(settings: Settings) -> None:
    now = clock.now()
    alice = somebody("alice")
    play(alice, WON, at=now - 40 * DAY)
    compacted(now)
    account_delete(player_id=alice.player.pk, now=now)
    settings.DELETED_MOVES_DAYS = 1
    assert deleted_purge(now=now + 2 * DAY) == 1
    assert not CompactLog.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_row_that_is_held_is_left_to_the_next_run() -> None:
    now = clock.now()
    attempt = play(somebody("alice"), WON[:6], at=now - 40 * DAY, resign=True)
    held, go_on = threading.Event(), threading.Event()

    def hold() -> None:
        with connection.cursor() as cursor:
            cursor.execute("BEGIN")
            cursor.execute("SELECT FROM games_attempt WHERE id = %s FOR NO KEY UPDATE", (attempt.pk,))
            held.set()
            go_on.wait(20)
            cursor.execute("COMMIT")
        connection.close()

    holder = threading.Thread(target=hold)
    holder.start()
    assert held.wait(20)
    assert compacted(now) == Compacted()
    go_on.set()
    holder.join()
    assert compacted(now).attempts == 1
