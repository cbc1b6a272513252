"""Reading attempts. Everything that leaves goes through `engine.visibility.view` and `attempt_json` (R10)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings

from games.clock import iso, milliseconds
from games.compact import Log
from games.engine.cards import Card
from games.engine.layout import SLOTS
from games.engine.moves import DRAW, UNDO, format_log, move_text
from games.engine.position import Position
from games.engine.ranking import Result, rank_key, result_of
from games.engine.replay import replay, replay_steps
from games.engine.rulesets import Ruleset, find_ruleset
from games.engine.visibility import view
from games.errors import BadInput, NotFound
from games.models import Attempt
from games.replica import from_replica
from games.retry import repeat_once

from .logs import log_read

STUCK_IDLE = dt.timedelta(seconds=settings.STUCK_IDLE_SECONDS)
"""R3.3: how long a stuck attempt that could still be undone stays open."""
PAGE = 50
_FEW_TURNS = 10


@dataclass(frozen=True, slots=True)
class AttemptFacts:
    """What of an attempt never changes after its start."""

    public_id: str
    code: str = field(repr=False)  # a sealed one is a secret, and reprs end up in logs (R10.1)
    competition: str | None
    ruleset: str
    ranked: bool
    number: int
    undo_allowed: bool
    started_at: dt.datetime
    deadline: dt.datetime | None
    sealed_until: dt.datetime | None


@dataclass(frozen=True, slots=True)
class Recorded:
    """The best won or stuck result an attempt has reached so far (R3.3)."""

    outcome: str
    score: int
    moves: int
    peaks: int
    cards_left: int
    undos: int
    ply: int
    elapsed_ms: int
    at: dt.datetime

    def as_json(self) -> dict[str, Any]:
        return {
            "outcome": self.outcome,
            "score": self.score,
            "moves": self.moves,
            "peaks": self.peaks,
            "cards_left": self.cards_left,
            "elapsed_ms": self.elapsed_ms,
            "finished_at": iso(self.at),
        }


@dataclass(frozen=True, slots=True)
class Progress:
    """Where an attempt stands beside its position: how it ended, if it did, and what it has recorded."""

    outcome: str | None
    finished_at: dt.datetime | None
    closed: bool
    elapsed_ms: int
    recorded: Recorded | None


def facts_of(attempt: Attempt) -> AttemptFacts:
    """The unchanging part of a row."""
    return AttemptFacts(
        attempt.public_id,
        attempt.code,
        attempt.competition_key,
        attempt.ruleset,
        attempt.ranked,
        attempt.number,
        attempt.undo_allowed,
        attempt.started_at,
        attempt.deadline,
        attempt.sealed_until,
    )


def recorded_of(attempt: Attempt) -> Recorded | None:
    """The recorded result of a row."""
    if attempt.result_outcome is None:
        return None
    return Recorded(**{field: getattr(attempt, f"result_{field}") for field in Attempt.RESULT_FIELDS})


def better_recorded(
    facts: AttemptFacts, before: Recorded | None, position: Position, *, elapsed_ms: int, at: dt.datetime
) -> Recorded | None:
    """The result to record when `position` has just become won or stuck, or None when `before` is as good (R3.3, R8.4)."""
    result = result_of(position, elapsed_ms)
    found = Recorded(
        result.outcome,
        result.score,
        result.moves,
        result.peaks,
        result.cards_left,
        result.undos,
        position.ply,
        elapsed_ms,
        at,
    )
    if before is None or _key(facts, found) < _key(facts, before):
        return found
    return None


def recorded_history(facts: AttemptFacts, cards: Sequence[Card], log: Log) -> list[Recorded]:
    """Every result that an attempt recorded on the way through this part of its log, each better than the one before."""
    history: list[Recorded] = []
    for end in _ends(find_ruleset(facts.ruleset), cards, log.moves, undo_allowed=facts.undo_allowed):
        at = log.at(end.ply)
        before = history[-1] if history else None
        bettered = better_recorded(facts, before, end, elapsed_ms=elapsed(facts.started_at, at), at=at)
        if bettered is not None:
            history.append(bettered)
    return history


def _ends(ruleset: Ruleset, cards: Sequence[Card], log: Sequence[int], *, undo_allowed: bool) -> list[Position]:
    """The positions on the way that were won or stuck; raises as `replay_steps`.

    Nothing but an undo follows one, and each has all cards removed or the stock empty. Where that leaves few plies, as
    it nearly always does, those are replayed alone: a tenth of the cost of every step.
    """
    turns = list(_turns(log, len(cards) - ruleset.stock_start))
    if len(turns) > _FEW_TURNS:
        steps = replay_steps(ruleset, cards, log, undo_allowed=undo_allowed)
        return [position for position in steps if position.outcome is not None]
    found = []
    for ply in turns:
        reached = replay(ruleset, cards, log[:ply], undo_allowed=undo_allowed)
        if reached.error is not None:
            raise reached.error
        if reached.position.outcome is not None:
            found.append(reached.position)
    return found


def _turns(log: Sequence[int], stock: int) -> Iterator[int]:
    """The plies after which a log may have been over: the last one and those that an undo takes back."""
    line: list[int] = []
    drawn = 0
    for ply, move in enumerate(log, start=1):
        if move == UNDO:
            drawn -= bool(line) and line.pop() == DRAW
            continue
        line.append(move)
        drawn += move == DRAW
        last = ply == len(log) or log[ply] == UNDO
        if last and (drawn == stock or len(line) - drawn == SLOTS):
            yield ply


def _key(facts: AttemptFacts, recorded: Recorded) -> int:
    """The rank key (engine.ranking, smaller is better) of a result among those of its own attempt.

    Not timed: a later result of the same attempt has more moves, so time decides nothing.
    """
    return rank_key(
        find_ruleset(facts.ruleset).ranking,
        Result(
            "won" if recorded.outcome == "won" else "stuck",
            recorded.score,
            recorded.moves,
            recorded.peaks,
            recorded.cards_left,
            recorded.elapsed_ms,
            recorded.undos,
        ),
        timed=False,
    )


def progress_of(attempt: Attempt, now: dt.datetime) -> Progress:
    """How a row stands at `now`: an expiry or the end of the idle time counts from its moment, written down or not."""
    outcome, finished_at, closed = attempt.outcome, attempt.finished_at, attempt.closed_at is not None
    if outcome is None and attempt.deadline is not None and attempt.deadline <= now:
        outcome, finished_at, closed = "expired", attempt.deadline, True
    if outcome == "stuck" and not closed:
        closed = stuck_is_over(attempt.last_move_at, attempt.deadline, now)
    return Progress(outcome, finished_at, closed, elapsed(attempt.started_at, finished_at or now), recorded_of(attempt))


def stuck_is_over(last_move_at: dt.datetime, deadline: dt.datetime | None, now: dt.datetime) -> bool:
    """Whether time alone has ended a stuck attempt that could be undone: 24 idle hours (R3.3), or its deadline (R9.2)."""
    return last_move_at + STUCK_IDLE <= now or (deadline is not None and deadline <= now)


def elapsed(started_at: dt.datetime, until: dt.datetime) -> int:
    """Whole milliseconds on the server's clock, never negative (R8.4)."""
    return max(0, milliseconds(until) - milliseconds(started_at))


def is_public(facts: AttemptFacts, progress: Progress, now: dt.datetime) -> bool:
    """R10.2: finished attempts on open codes, and those of a competition once it is final."""
    return progress.closed and (facts.sealed_until is None or facts.sealed_until <= now)


def shown_code(facts: AttemptFacts, now: dt.datetime) -> str | None:
    """The game code, None while it is sealed (R7.8, R9.3)."""
    return facts.code if facts.sealed_until is None or facts.sealed_until <= now else None


def attempt_json(facts: AttemptFacts, position: Position, progress: Progress) -> dict[str, Any]:
    """The state of a running or finished attempt as its owner sees it; never a card not yet turned up (R10.1).

    As it was when played: a code that was sealed then is None. `attempt_state` knows whether it still is.
    """
    closed = progress.closed
    return {
        "id": facts.public_id,
        "code": None if facts.sealed_until is not None else facts.code,
        "competition": facts.competition,
        "ruleset": facts.ruleset,
        "ranked": facts.ranked,
        "number": facts.number,
        "ply": position.ply,
        "score": position.score,
        "moves": position.moves,
        "run": position.run,
        "peaks": position.peaks,
        "cards_left": position.cards_left,
        "outcome": progress.outcome,
        "closed": closed,
        "undo_allowed": facts.undo_allowed,
        "started_at": iso(facts.started_at),
        "finished_at": iso(progress.finished_at),
        "deadline": iso(facts.deadline),
        "elapsed_ms": progress.elapsed_ms,
        "result": progress.recorded.as_json() if progress.recorded else None,
        "view": view(position).as_json(),
        "legal": [] if closed else [move_text(move) for move in position.legal_moves()],
    }


def summary_json(attempt: Attempt, now: dt.datetime) -> dict[str, Any]:
    """An attempt in a list: no cards at all."""
    progress = progress_of(attempt, now)
    facts = facts_of(attempt)
    return {
        "id": attempt.public_id,
        "code": shown_code(facts, now),
        "competition": attempt.competition_key,
        "ruleset": attempt.ruleset,
        "ranked": attempt.ranked,
        "number": attempt.number,
        "ply": attempt.ply,
        "score": attempt.score,
        "moves": attempt.moves,
        "peaks": attempt.peaks,
        "cards_left": attempt.cards_left,
        "outcome": progress.outcome,
        "closed": progress.closed,
        "public": is_public(facts, progress, now),
        "started_at": iso(attempt.started_at),
        "finished_at": iso(progress.finished_at),
        "elapsed_ms": progress.elapsed_ms,
        "result": progress.recorded.as_json() if progress.recorded else None,
    }


def log_of(attempt: Attempt) -> list[int]:
    """The move log up to the row's own ply, in order: a move that came after the row was read is not of this state."""
    return list(log_read(attempt).moves)


def position_of(attempt: Attempt, log: Sequence[int]) -> Position:
    """The position a row's log leads to; a log that does not hold is damage, not input."""
    done = replay(find_ruleset(attempt.ruleset), tuple(attempt.deal.cards), log, undo_allowed=attempt.undo_allowed)
    if done.error is not None:
        raise RuntimeError(f"the log of {attempt} breaks at ply {done.error_ply}")
    return done.position


def attempt_state(attempt: Attempt, now: dt.datetime) -> dict[str, Any]:
    """`attempt_json` of a row at `now`, with the code once it is published; needs `attempt.deal`."""
    return _state(attempt, log_of(attempt), now)


def _state(attempt: Attempt, log: Sequence[int], now: dt.datetime) -> dict[str, Any]:
    facts = facts_of(attempt)
    state = attempt_json(facts, position_of(attempt, log), progress_of(attempt, now))
    return state | {"code": shown_code(facts, now)}


@repeat_once
def attempt_get(*, public_id: str, player_id: int, now: dt.datetime) -> dict[str, Any]:
    """The state of one's own attempt; NotFound for an unknown one and for somebody else's alike (case C22)."""
    attempt = Attempt.objects.select_related("deal").filter(public_id=public_id, player_id=player_id).first()
    if attempt is None:
        raise NotFound
    return attempt_state(attempt, now)


@repeat_once
def attempt_resume(*, public_id: str, player_id: int, ply: int, now: dt.datetime) -> dict[str, Any]:
    """The state and the plies after the last one seen: `{"attempt", "ply", "since": ["t18", …]}` (case C19)."""
    attempt = Attempt.objects.select_related("deal").filter(public_id=public_id, player_id=player_id).first()
    if attempt is None:
        raise NotFound
    log = log_of(attempt)
    return {
        "attempt": _state(attempt, log, now),
        "ply": len(log),
        "since": [move_text(move) for move in log[max(0, ply) :]],
    }


@repeat_once
def attempts_list(*, player_id: int, cursor: str | None, now: dt.datetime) -> dict[str, Any]:
    """One's own attempts, newest first; `cursor` is the id of the last one already seen."""
    rows = Attempt.objects.filter(player_id=player_id).order_by("-id")
    if cursor:
        last = rows.filter(public_id=cursor).values_list("id", flat=True).first()
        if last is None:
            raise BadInput("bad_cursor", "This list cannot be continued from there.")
        rows = rows.filter(id__lt=last)
    page = list(rows[: PAGE + 1])
    return {
        "attempts": [summary_json(attempt, now) for attempt in page[:PAGE]],
        "next": page[PAGE - 1].public_id if len(page) > PAGE else None,
    }


@from_replica(viewer="viewer_id")
@repeat_once
def attempt_replay(*, public_id: str, viewer_id: int | None, now: dt.datetime) -> dict[str, Any]:
    """A finished attempt ply by ply (R10.2).

    Public attempts show their deal. The owner of one that is over but still sealed sees what was turned up, no more
    (R10.1). Everything else is NotFound, alike for unknown, running and foreign.
    """
    attempt = Attempt.objects.select_related("deal", "player").filter(public_id=public_id).first()
    if attempt is None:
        raise NotFound
    facts, progress = facts_of(attempt), progress_of(attempt, now)
    public = is_public(facts, progress, now)
    if not public and not (progress.closed and attempt.player_id == viewer_id):
        raise NotFound
    log = log_of(attempt)
    cards = tuple(attempt.deal.cards)
    steps = list(replay_steps(find_ruleset(attempt.ruleset), cards, log, undo_allowed=attempt.undo_allowed))
    player = attempt.player
    return {
        "attempt": summary_json(attempt, now),
        "player": {"id": player.public_id, "name": player.name, "kind": player.kind},
        "deal": view(steps[0], reveal=public).deal,
        "log": format_log(log),
        "plies": [
            ply_json(
                ply, log[ply - 1] if ply else None, position, last_outcome=progress.outcome if ply == len(log) else None
            )
            for ply, position in enumerate(steps)
        ],
    }


def ply_json(ply: int, move: int | None, position: Position, *, last_outcome: str | None = None) -> dict[str, Any]:
    """One ply of a replay: the numbers, the legal moves and what the player saw."""
    return {
        "ply": ply,
        "move": None if move is None else move_text(move),
        "score": position.score,
        "moves": position.moves,
        "run": position.run,
        "peaks": position.peaks,
        "legal": [move_text(legal) for legal in position.legal_moves()],
        "outcome": position.outcome or last_outcome,
        "view": view(position).as_json(),
    }
