"""Entries of boards: written with the result, in its transaction. Every change raises the board's version."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Final, cast

from django.db import DEFAULT_DB_ALIAS, connection

from games.engine.ranking import key_bucket
from games.engine.rulesets import RankingName, find_ruleset
from games.models import Attempt, Player
from games.replica import board_reached
from games.statements import execute
from leaderboards.events import BoardChanged, announce
from leaderboards.models import Board, Entry, ScoreBucket
from leaderboards.moderation.models import Exclusion
from leaderboards.results import is_first, scope_of
from leaderboards.selectors.standing import (
    Group,
    Standing,
    boards_needed,
    groups_of,
    mains_of,
    standing_of,
    standing_of_entry,
    standings_wanted,
)

from .news import news_record


@dataclass(frozen=True, slots=True)
class Change:
    """What a transaction does to the counters of a locked board."""

    entries: int = 0
    started: int = 0
    finished: int = 0


# Statements of a finish are prepared and raw: Django's own way took two thirds of its CPU.
_BOARD_FIELDS: Final = [field.attname for field in Board._meta.concrete_fields]
_ENTRY_FIELDS: Final = [field.attname for field in Entry._meta.concrete_fields]
_LOCK_BOARDS: Final = f"""
SELECT {", ".join(_BOARD_FIELDS)} FROM leaderboards_board
 WHERE scope = %(scope)s AND kind = %(kind)s AND view = ANY(%(views)s) ORDER BY id FOR UPDATE"""
_RAISE_BOARD: Final = """
UPDATE leaderboards_board
   SET version = version + 1, entries = entries + %(entries)s, started = started + %(started)s,
       finished = finished + %(finished)s
 WHERE id = %(board)s RETURNING version"""
_ADD_TO_BUCKET: Final = """
INSERT INTO leaderboards_scorebucket (board_id, bucket, count) VALUES (%(board)s, %(bucket)s, greatest(%(amount)s, 0))
    ON CONFLICT (board_id, bucket) DO UPDATE SET count = leaderboards_scorebucket.count + %(amount)s
RETURNING count"""
_ENTRY: Final = f"""
SELECT {", ".join(_ENTRY_FIELDS)} FROM leaderboards_entry WHERE board_id = %(board_id)s AND player_id = %(player_id)s"""
_NEW_ENTRY: Final = f"""
INSERT INTO leaderboards_entry ({", ".join(_ENTRY_FIELDS[1:])})
VALUES ({", ".join(f"%({name})s" for name in _ENTRY_FIELDS[1:])})"""
_OTHER_RESULT: Final = f"""
UPDATE leaderboards_entry
   SET version = %(version)s, active = true, {", ".join(f"{field.name} = %({field.name})s" for field in fields(Standing))}
 WHERE id = %(entry)s"""


def boards_lock(*, scope: str, kind: str, views: Sequence[str], ruleset: str, timed: bool) -> list[Board]:
    """The board rows, made if need be, locked in the one order that everybody uses (by id).

    All views of a scope and kind are made by one statement, so their ids are in the order of `views` (best, first).
    """
    wanted = {"scope": scope, "kind": kind, "views": list(views)}
    found = execute(_LOCK_BOARDS, wanted).fetchall()
    if len(found) < len(views):
        _boards_make(scope=scope, kind=kind, views=views, ruleset=ruleset, timed=timed)
        found = execute(_LOCK_BOARDS, wanted).fetchall()
    return [Board.from_db(DEFAULT_DB_ALIAS, _BOARD_FIELDS, row) for row in found]


def _boards_make(*, scope: str, kind: str, views: Sequence[str], ruleset: str, timed: bool) -> None:
    ranking = find_ruleset(ruleset).ranking
    Board.objects.bulk_create(
        [Board(scope=scope, kind=kind, view=view, ranking=ranking, timed=timed) for view in views],
        ignore_conflicts=True,
    )


def _views(attempt: Attempt) -> list[str]:
    """The views of the boards that an attempt counts for: a competition allows one attempt, its first (R9.2)."""
    return ["best"] if attempt.competition_key is not None else ["best", "first"]


def board_change(board: Board, change: Change) -> int:
    """Raise the version of a locked board and announce it; the new version."""
    version: int = execute(_RAISE_BOARD, {**asdict(change), "board": board.pk}).fetchone()[0]  # type: ignore[index]
    board.version = version
    announce(BoardChanged(scope=board.scope, kind=board.kind, view=board.view, version=version))
    board_reached(board.scope, board.kind, board.view, version)
    return version


def bucket_add(board: Board, key: int, amount: int) -> None:
    """Count an entry in (+1) or out (-1) of its score bucket. Assumes the board's lock."""
    bucket = key // key_bucket(cast(RankingName, board.ranking), board.timed)
    if execute(_ADD_TO_BUCKET, {"board": board.pk, "bucket": bucket, "amount": amount}).fetchone() == (0,):
        ScoreBucket.objects.filter(board=board, bucket=bucket).delete()  # empty ones would only slow sums


@dataclass(frozen=True, slots=True)
class EntryChange:
    """What becomes of a player's entry on a board: what stood there, and what stands there now."""

    board: Board
    player_id: int
    before: Standing | None
    after: Standing | None
    row: Entry | None
    """On the board or taken off it."""


def _write(board: Board, changes: Sequence[EntryChange], *, finished: int = 0) -> None:
    """Write the changed entries of a locked board: one new version, one announcement."""
    entries = 0
    for change in changes:
        if change.before is not None:
            bucket_add(board, change.before.key, -1)
            entries -= 1
        if change.after is not None:
            bucket_add(board, change.after.key, 1)
            entries += 1
    version = board_change(board, Change(entries=entries, finished=finished))
    for change in changes:
        values = {} if change.after is None else asdict(change.after)
        values |= {"version": version, "active": change.after is not None}
        if change.row is None:
            execute(_NEW_ENTRY, {"board_id": board.pk, "player_id": change.player_id, **values})
        elif change.after is None:
            Entry.objects.filter(pk=change.row.pk).update(**values)
        else:
            execute(_OTHER_RESULT, {"entry": change.row.pk, **values})


# --- a result comes in ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Counts:
    """Whether a result counts for an entry, and whether several accounts share that entry."""

    enters: bool
    news: bool
    merged: bool


_NOT = _Counts(enters=False, news=False, merged=False)
_LOCK_PLAYERS = """
SELECT p.id, p.deleted_at FROM games_player p
 WHERE p.id IN (%(player)s, (SELECT main_id FROM leaderboards_mergedaccount WHERE second_id = %(player)s))
 ORDER BY p.id FOR KEY SHARE"""
_DECIDED = """
SELECT (SELECT kind FROM leaderboards_exclusion WHERE attempt_id = %(attempt)s),
       EXISTS (SELECT FROM leaderboards_hiddenplayer WHERE player_id = %(player)s),
       (SELECT main_id FROM leaderboards_mergedaccount WHERE second_id = %(player)s),
       EXISTS (SELECT FROM leaderboards_mergedaccount WHERE main_id = %(player)s)"""


def entry_record(*, attempt: Attempt, now: dt.datetime) -> None:
    """Bring the boards up to date with an attempt that has ended or bettered its result (R8.1, R8.4, R8.6).

    Assumes the attempt row's lock and an open transaction. Locks: attempt, then (accounts only) the player's row, and
    that of the account it is merged into, against deletion, hiding and merging, then the boards by id. Idempotent: a
    repeat of a result, an equal one and a worse one change nothing, and the earlier date stands. What is held,
    disqualified or hidden enters nowhere; whoever decides otherwise later calls `entries_refresh`.
    """
    competition = attempt.competition_key is not None
    has_result = attempt.result_outcome is not None and attempt.ranked and attempt.player.kind != Player.Kind.GUEST
    # A guest's claim locks the player and then the attempts, so guests' rows are left alone here; the claim sends
    # what it finds under the attempt's lock.
    counts = _counts(attempt) if has_result else _NOT
    if not counts.enters and not counts.news and not competition:
        return
    boards = boards_lock(
        scope=scope_of(attempt),
        kind=Board.Kind.BOTS if attempt.player.kind == Player.Kind.BOT else Board.Kind.PEOPLE,
        views=_views(attempt),
        ruleset=attempt.ruleset,
        timed=competition,
    )
    groups = groups_of([attempt.player_id]) if counts.enters and counts.merged else []
    shared = _changes(boards, groups) if groups else {}
    ended = _ended_now(attempt, now)
    for board in boards:
        entry = _entry(board, attempt.player_id) if has_result else None
        finished = 1 if competition and ended and (entry is None or entry.attempt_id != attempt.pk) else 0
        if counts.news:
            news_record(board=board, attempt=attempt, now=now)  # before the entry: it looks at the record so far
        changes = shared.get(board.pk, [])
        if counts.enters and not counts.merged and (board.view == "best" or is_first(attempt)):
            changes = _bettered(board, attempt, entry)
        if changes:
            _write(board, changes, finished=finished)
        elif finished:
            board_change(board, Change(finished=finished))


def _entry(board: Board, player_id: int) -> Entry | None:
    row = execute(_ENTRY, {"board_id": board.pk, "player_id": player_id}).fetchone()
    return None if row is None else Entry.from_db(DEFAULT_DB_ALIAS, _ENTRY_FIELDS, row)


def _counts(attempt: Attempt) -> _Counts:
    """Whether the result counts, judged under the locks. Two statements: one that waits would judge what was before."""
    values = {"attempt": attempt.pk, "player": attempt.player_id}
    while True:
        deleted_at = dict(execute(_LOCK_PLAYERS, values).fetchall())
        exclusion, hidden, main, has_seconds = execute(_DECIDED, values).fetchone()  # type: ignore[misc]
        if main is None or main in deleted_at:  # else merged while this waited: lock that one, too
            break
    if hidden or any(at is not None for at in deleted_at.values()):
        return _NOT
    return _Counts(
        enters=exclusion is None,
        news=exclusion != Exclusion.Kind.DISQUALIFIED,  # what is held is told once it counts
        merged=main is not None or has_seconds,
    )


def _ended_now(attempt: Attempt, now: dt.datetime) -> bool:
    """Whether this is the signal of the end of a competition's attempt and not a later repeat (a claim, R8.6)."""
    return attempt.outcome in ("resigned", "expired") or attempt.result_at == now


def _bettered(board: Board, attempt: Attempt, entry: Entry | None) -> list[EntryChange]:
    """The attempt's result in the entry's place, if it is better or nothing stands there."""
    before = standing_of_entry(entry) if entry is not None and entry.active else None
    after = standing_of(attempt)
    if before is not None and before.place <= after.place:
        return []
    return [EntryChange(board, attempt.player_id, before, after, entry)]


# --- decisions -----------------------------------------------------------------------------------------------------


def players_keep(player_ids: Collection[int]) -> None:
    """Keep players, and those that they are merged into, as they are until the end of the open transaction, by id.

    What a finish does with the player's row (FOR KEY SHARE), for decisions about single attempts.
    """
    kept: set[int] = set()
    wanted = set(player_ids) | mains_of(player_ids)
    while not wanted <= kept:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT id FROM games_player WHERE id = ANY(%s) ORDER BY id FOR KEY SHARE", (sorted(wanted),)
            )
        kept |= wanted
        wanted = kept | mains_of(kept)


def players_lock(player_ids: Collection[int]) -> dict[int, Player]:
    """Lock players and all accounts merged with them, by id, against finishes: whatever is about to end waits.

    Assumes an open transaction. Whoever is merged with them meanwhile is locked as well.
    """
    locked: dict[int, Player] = {}
    wanted = set(player_ids)
    while not wanted <= set(locked):
        rows = Player.objects.select_for_update(of=("self",)).filter(pk__in=wanted).order_by("id")
        locked |= {player.pk: player for player in rows}
        wanted = (wanted & set(locked)) | {
            member for group in groups_of(locked) for member in (group.player_id, *group.members)
        }
    return locked


def entries_refresh(*, player_ids: Collection[int], scopes: Collection[str] | None = None) -> list[EntryChange]:
    """Bring these players' entries, on these scopes' boards or on all, in line with what has to stand there now.

    The one way in which a deletion and every decision of a moderator reach the boards. Computed anew from attempts, so
    that what was decided and taken back leaves every entry as it was: whatever comes back has its own key and date, and
    the next best moves up meanwhile. Only boards that really change get a new version, once.

    Assumes an open transaction and the caller's lock on what has changed: the attempt's row, or those of the players and
    of all accounts merged with them (`groups_of`), which a finish takes a key share of. Locks the boards by id, and
    reads everything again under their locks. Returns the changes; none when all is in line.
    """
    groups = groups_of(player_ids)
    scopes, needed = boards_needed(groups, scopes)
    boards = Board.objects.filter(scope__in=scopes, kind__in={group.kind for group in groups})
    there = set(boards.values_list("scope", "kind", "view"))
    for (scope, kind), attempt in sorted(needed.items(), key=lambda item: item[0]):
        views = _views(attempt)
        if not all((scope, kind, view) in there for view in views):
            timed = attempt.competition_key is not None
            _boards_make(scope=scope, kind=kind, views=views, ruleset=attempt.ruleset, timed=timed)
    locked = list(boards.select_for_update().order_by("id"))
    changed = _changes(locked, groups)
    for board in locked:
        if board.pk in changed:
            _write(board, changed[board.pk])
    return [change for changes in changed.values() for change in changes]


def _changes(boards: Sequence[Board], groups: Sequence[Group]) -> dict[int, list[EntryChange]]:
    """What has to change on these locked boards for the entries under the names of these groups."""
    wanted = standings_wanted(groups, {board.scope for board in boards})
    players = [group.player_id for group in groups]
    found = Entry.objects.filter(board__in=boards, player_id__in=players)
    rows = {(row.board_id, row.player_id): row for row in found}
    changed: dict[int, list[EntryChange]] = {}
    for board in boards:
        for group in groups:
            if group.kind != board.kind:
                continue
            row = rows.get((board.pk, group.player_id))
            before = standing_of_entry(row) if row is not None and row.active else None
            after = wanted.get((board.scope, board.view, group.player_id))
            if before != after:
                changed.setdefault(board.pk, []).append(EntryChange(board, group.player_id, before, after, row))
    return changed
