"""Players and results for the tests of boards. `finish` writes an attempt with its result as a service would."""

from __future__ import annotations

import datetime as dt
import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import transaction

from games.engine.codes import parse_code
from games.engine.deals import deal_cards
from games.models import Attempt, Deal, Player
from games.names import name_clean, name_key
from games.redis import redis
from games.signals import attempt_finished
from leaderboards import standings
from leaderboards.moderation.models import Exclusion
from leaderboards.results import scope_of
from leaderboards.scopes import parse_board
from leaderboards.selectors import board_me, board_page
from leaderboards.selectors.boards import board_state
from leaderboards.services.entries import entries_refresh

NOON = dt.datetime(2026, 11, 29, 12, tzinfo=dt.UTC)
TEN = dt.datetime(2026, 11, 29, 10, tzinfo=dt.UTC)
RUNS = "TP1-R-AAAAAAB"
EASY = "TP1-E-AAAAAAB"
_serial = itertools.count()


def person(name: str) -> Player:
    """An account of a person, without a password (hashing one takes longer than a whole test)."""
    clean = name_clean(name)
    return Player.objects.create(kind="person", name=clean, name_key=name_key(clean), created_at=TEN)


def bot(name: str, owner: Player) -> Player:
    """A bot account."""
    clean = name_clean(name)
    return Player.objects.create(kind="bot", name=clean, name_key=name_key(clean), owner=owner, created_at=TEN)


def guest() -> Player:
    """A guest."""
    return Player.objects.create(kind="guest", created_at=TEN)


def finish(
    player: Player,
    score: int,
    *,
    at: dt.datetime = TEN,
    code: str = RUNS,
    competition: str | None = None,
    outcome: str = "won",
    moves: int = 30,
    peaks: int = 3,
    cards_left: int = 0,
    elapsed_ms: int = 60_000,
    undos: int = 0,
    ranked: bool = True,
    attempt: Attempt | None = None,
) -> Attempt:
    """Record a result of a new attempt (or a better one of `attempt`) and send the signal, in one transaction."""
    parsed = parse_code(code)
    with transaction.atomic():
        if attempt is None:
            deal, _ = Deal.objects.get_or_create(cards=bytes(deal_cards(parsed)))
            attempt = Attempt(
                player=player,
                deal=deal,
                code=parsed.text,
                ruleset=parsed.ruleset,
                competition_key=competition,
                undo_allowed=competition is None,
                ranked=ranked,
                number=Attempt.objects.filter(player=player, deal=deal).count() + 1,
                start_key=f"k{next(_serial)}",
                engine_version=1,
                deal_version=1,
                ruleset_version=1,
                scoring_version=1,
                started_at=at - dt.timedelta(milliseconds=elapsed_ms),
                last_move_at=at,
                score=score,
            )
        values = {
            "outcome": outcome,
            "score": score,
            "moves": moves,
            "peaks": peaks,
            "cards_left": cards_left,
            "undos": undos,
            "ply": moves + undos,
            "elapsed_ms": elapsed_ms,
            "at": at,
        }
        for field, value in values.items():
            setattr(attempt, f"result_{field}", value)
        attempt.ply = moves + undos
        attempt.moves, attempt.outcome, attempt.finished_at = moves, outcome, at
        attempt.closed_at = at if outcome == "won" or competition else None
        attempt.save()
        attempt_finished.send(sender=Attempt, attempt=attempt, now=at)
    return attempt


def exclude(attempt: Attempt, kind: str = "disqualified") -> int:
    """Take an attempt off its boards as a moderator's decision does, without the moderator; how many entries changed."""
    with transaction.atomic():
        Attempt.objects.select_for_update(no_key=True).get(pk=attempt.pk)
        Exclusion.objects.update_or_create(attempt=attempt, defaults={"kind": kind, "since": NOON})
        return len(entries_refresh(player_ids=[attempt.player_id], scopes=[scope_of(attempt)]))


def include(attempt: Attempt) -> int:
    """Let it count again; how many entries changed."""
    with transaction.atomic():
        Attempt.objects.select_for_update(no_key=True).get(pk=attempt.pk)
        Exclusion.objects.filter(attempt=attempt).delete()
        return len(entries_refresh(player_ids=[attempt.player_id], scopes=[scope_of(attempt)]))


def places(scope: str = RUNS, kind: str = "people", view: str = "best", **options: Any) -> list[tuple[int, str]]:
    """(rank, name) of the whole board, in its order, page by page."""
    found: list[tuple[int, str]] = []
    cursor: str | None = None
    while True:
        page = board_page(parse_board(scope, kind, view), cursor=cursor, limit=options.get("limit", 100), now=NOON)
        found += [(row["rank"], row["player"]["name"]) for row in page["rows"]]
        cursor = page["next"]
        if cursor is None:
            return found


def rank_of(player: Player, scope: str = RUNS, kind: str = "people", view: str = "best") -> int | None:
    """One's own rank, as the board says it."""
    rank: int | None = board_me(parse_board(scope, kind, view), player_id=player.pk)["rank"]
    return rank


@contextmanager
def reading_from(where: str) -> Iterator[None]:
    """Make boards of any size be read from the `cache` or from the `database`."""
    before = standings.CACHED_FROM
    standings.CACHED_FROM = 0 if where == "cache" else 10**9
    try:
        yield
    finally:
        standings.CACHED_FROM = before


def raw() -> Any:
    """The Redis client, without the double types (sync and async) of its library."""
    return redis()


def copy_answers(scope: str = RUNS, kind: str = "people", view: str = "best") -> bool:
    """Whether the copy in Redis answers for a board by itself (a check on `reading_from("cache")`)."""
    board, _ = board_state(parse_board(scope, kind, view))
    with reading_from("cache"):
        return standings.window_top(board.id, board.version, board.entries, 1) is not None
