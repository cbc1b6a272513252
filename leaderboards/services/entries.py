"""Entries of boards: written with the result, in its transaction. Every change raises the board's version."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from django.db import connection, transaction
from django.db.models import Q

from games.clock import milliseconds
from games.engine.ranking import key_bucket
from games.engine.rulesets import RankingName, find_ruleset
from games.models import Attempt, Player
from leaderboards.events import BoardChanged, announce
from leaderboards.models import Board, Entry, ScoreBucket
from leaderboards.results import attempt_key, attempt_values, is_first, scope_of

from .news import news_record


@dataclass(frozen=True, slots=True)
class Change:
    """What a transaction does to the counters of a locked board."""

    entries: int = 0
    started: int = 0
    finished: int = 0


def boards_lock(*, scope: str, kind: str, views: Sequence[str], ruleset: str, timed: bool) -> list[Board]:
    """The board rows, made if need be, locked in the one order that everybody uses (by id).

    All views of a scope and kind are made by one statement, so their ids are in the order of `views` (best, first).
    """
    rows = Board.objects.select_for_update().filter(scope=scope, kind=kind, view__in=views).order_by("id")
    found = list(rows)
    if len(found) < len(views):
        ranking = find_ruleset(ruleset).ranking
        Board.objects.bulk_create(
            [Board(scope=scope, kind=kind, view=view, ranking=ranking, timed=timed) for view in views],
            ignore_conflicts=True,
        )
        found = list(rows.all())
    return found


def board_change(board: Board, change: Change) -> int:
    """Raise the version of a locked board and announce it; the new version."""
    with connection.cursor() as cursor:
        cursor.execute(
            """UPDATE leaderboards_board
                  SET version = version + 1, entries = entries + %s, started = started + %s, finished = finished + %s
                WHERE id = %s RETURNING version""",
            (change.entries, change.started, change.finished, board.pk),
        )
        version: int = cursor.fetchone()[0]
    board.version = version
    announce(BoardChanged(scope=board.scope, kind=board.kind, view=board.view, version=version))
    return version


def bucket_add(board: Board, key: int, amount: int) -> None:
    """Count an entry in (+1) or out (-1) of its score bucket. Assumes the board's lock."""
    bucket = key // key_bucket(cast(RankingName, board.ranking), board.timed)
    with connection.cursor() as cursor:
        cursor.execute(
            """INSERT INTO leaderboards_scorebucket (board_id, bucket, count) VALUES (%s, %s, greatest(%s, 0))
               ON CONFLICT (board_id, bucket) DO UPDATE SET count = leaderboards_scorebucket.count + %s
               RETURNING count""",
            (board.pk, bucket, amount, amount),
        )
        if cursor.fetchone() == (0,):
            ScoreBucket.objects.filter(board=board, bucket=bucket).delete()  # empty ones would only slow sums


def entry_record(*, attempt: Attempt, now: dt.datetime) -> None:
    """Bring the boards up to date with an attempt that has ended or bettered its result (R8.1, R8.4, R8.6).

    Assumes the attempt row's lock and an open transaction. Locks: attempt, then (accounts only) the player's row
    against a deletion, then the boards by id. Idempotent: a repeat of a result, an equal one and a worse one change nothing,
    and the earlier date stands.
    """
    kind = attempt.player.kind
    enters = attempt.result_outcome is not None and attempt.ranked and kind != Player.Kind.GUEST
    if enters:
        # A guest's claim locks the player and then the attempts, so guests' rows are left alone here; the claim sends
        # what it finds under the attempt's lock.
        with connection.cursor() as cursor:
            cursor.execute("SELECT deleted_at FROM games_player WHERE id = %s FOR KEY SHARE", (attempt.player_id,))
            enters = cursor.fetchone() == (None,)
    competition = attempt.competition_key is not None
    if not enters and not competition:
        return
    boards = boards_lock(
        scope=scope_of(attempt),
        kind=Board.Kind.BOTS if kind == Player.Kind.BOT else Board.Kind.PEOPLE,
        views=["best"] if competition else ["best", "first"],
        ruleset=attempt.ruleset,
        timed=competition,
    )
    ended = _ended_now(attempt, now)
    for board in boards:
        entry = Entry.objects.filter(board=board, player_id=attempt.player_id).first() if enters else None
        finished = 1 if competition and entry is None and ended else 0
        if enters and (entry is None or entry.active or entry.attempt_id != attempt.pk):
            news_record(board=board, attempt=attempt, now=now)  # before the entry: it looks at the record so far
        if enters and (board.view == "best" or is_first(attempt)) and _betters(attempt, entry):
            _entry_write(board, attempt, entry, finished=finished)
        elif finished:
            board_change(board, Change(finished=finished))


def _ended_now(attempt: Attempt, now: dt.datetime) -> bool:
    """Whether this is the signal of the end of a competition's attempt and not a later repeat (a claim, R8.6)."""
    return attempt.outcome in ("resigned", "expired") or attempt.result_at == now


def _betters(attempt: Attempt, entry: Entry | None) -> bool:
    """Whether the attempt's result takes the entry's place. A removed entry gives way to other attempts only."""
    if entry is None:
        return True
    if not entry.active:
        return entry.attempt_id != attempt.pk
    return attempt_key(attempt) < entry.key


def _entry_write(board: Board, attempt: Attempt, entry: Entry | None, *, finished: int) -> None:
    """Write the attempt's result as the player's entry on a locked board."""
    key = attempt_key(attempt)
    counted = entry is not None and entry.active
    if entry is not None and entry.active:
        bucket_add(board, entry.key, -1)
    bucket_add(board, key, 1)
    version = board_change(board, Change(entries=0 if counted else 1, finished=finished))
    assert attempt.result_at is not None
    values = {
        "attempt_id": attempt.pk,
        "key": key,
        "finished_ms": milliseconds(attempt.result_at),
        "version": version,
        "active": True,
        **attempt_values(attempt),
    }
    if entry is None:
        Entry.objects.create(board=board, player_id=attempt.player_id, **values)
    else:
        Entry.objects.filter(pk=entry.pk).update(**values)


# --- removal -------------------------------------------------------------------------------------------------------


def entries_switch(*, where: Q, active: bool) -> int:
    """Take the entries found by `where` off their boards, or put them back; how many changed.

    Assumes an open transaction. Locks the boards by id, reads the entries again under the locks, raises each board's
    version once and announces it. The next in order takes over a rank or a record, with its own date (R8.5).
    """
    board_ids = set(Entry.objects.filter(where).values_list("board_id", flat=True))
    changed = 0
    for board in Board.objects.select_for_update().filter(pk__in=board_ids).order_by("id"):
        entries = list(Entry.objects.filter(where, board=board).exclude(active=active))
        if not entries:
            continue
        step = 1 if active else -1
        for entry in entries:
            bucket_add(board, entry.key, step)
        version = board_change(board, Change(entries=step * len(entries)))
        Entry.objects.filter(pk__in=[entry.pk for entry in entries]).update(active=active, version=version)
        changed += len(entries)
    return changed


def entry_remove(*, board_id: int, player_id: int) -> bool:
    """Take a player's entry off one board (a disqualification); False when none stands there. Opens a transaction."""
    with transaction.atomic():
        return bool(entries_switch(where=Q(board_id=board_id, player_id=player_id), active=False))


def entry_restore(*, board_id: int, player_id: int) -> bool:
    """Put a removed entry back with its own result and date; False when there is none, or its player is deleted."""
    with transaction.atomic():
        if not Player.objects.select_for_update(no_key=True).filter(pk=player_id, deleted_at=None):
            return False
        return bool(entries_switch(where=Q(board_id=board_id, player_id=player_id), active=True))
