"""What the exact solver says of a finished attempt, move by move. Only public attempts ever get here (R10)."""

from __future__ import annotations

import datetime as dt
import json
import zlib
from collections.abc import Sequence
from typing import Any, Final

from games.engine.moves import UNDO, Move, move_text
from games.engine.ranking import rank_key
from games.engine.rulesets import Ruleset, find_ruleset
from games.errors import NotFound
from games.models import Attempt
from games.redis import REDIS_ERRORS, redis, redis_available, redis_failed
from games.selectors.attempts import facts_of, is_public, log_of, progress_of
from games.solver import exact
from games.solver.exact import Best, PlyValue
from games.solving import solver_gate

VERSION: Final = 1
"""Raised when the solver or the analysis changes its answers: kept analyses are then made anew."""
KEPT_SECONDS: Final = 7 * 24 * 3600
_WORST: Final = 2**53  # beyond every rank key


def analysable(attempt: Attempt | None, now: dt.datetime) -> Attempt:
    """The attempt if anybody may see its analysis: over, on an open code or of a final competition (R10.2), and at no
    deal that is sealed. Needs `attempt.deal`. Everything else is NotFound, alike for unknown, running and sealed.
    """
    if attempt is None or not is_public(facts_of(attempt), progress_of(attempt, now), now) or deal_sealed(attempt, now):
        raise NotFound
    return attempt


def deal_sealed(attempt: Attempt, now: dt.datetime) -> bool:
    """Whether the cards belong to a competition that is not final; no question about them may reach the solver."""
    return attempt.deal.sealed_until is not None and attempt.deal.sealed_until > now


def attempt_find(public_id: str) -> Attempt | None:
    """With its deal."""
    return Attempt.objects.select_related("deal").filter(public_id=public_id).first()


def analysis_of(attempt: Attempt) -> dict[str, Any]:
    """`analysis_json` of a finished attempt, kept in Redis for a week. The caller has asked `analysable`. Raises Busy."""
    found = analysis_kept(attempt)
    if found is None:
        with solver_gate.enter():
            found = analysis_computed(attempt)
    return found


def analysis_kept(attempt: Attempt) -> dict[str, Any] | None:
    """From Redis, if it is there."""
    if redis_available():
        try:
            raw = redis().get(_name(attempt))
        except REDIS_ERRORS as problem:
            redis_failed(problem)
        else:
            if isinstance(raw, bytes):
                kept: dict[str, Any] = json.loads(zlib.decompress(raw))
                return kept
    return None


def analysis_computed(attempt: Attempt) -> dict[str, Any]:
    """By the solver; kept then. The caller holds a slot of `solver_gate`."""
    ruleset, log = find_ruleset(attempt.ruleset), log_of(attempt)
    values = exact.analyse(ruleset, tuple(attempt.deal.cards), log, undo_allowed=attempt.undo_allowed)
    found = analysis_json(ruleset, log, values)
    if redis_available():
        packed = zlib.compress(json.dumps(found, separators=(",", ":")).encode(), 1)
        try:
            redis().set(_name(attempt), packed, ex=KEPT_SECONDS)
        except REDIS_ERRORS as problem:
            redis_failed(problem)
    return found


def _name(attempt: Attempt) -> str:
    return f"analysis:{VERSION}:{attempt.public_id}:{attempt.ply}"


# --- judging -------------------------------------------------------------------------------------------------------


def analysis_json(ruleset: Ruleset, log: Sequence[Move], values: Sequence[PlyValue]) -> dict[str, Any]:
    """Judge each move of a log by the values of the positions before and after it.

    An undo is not a move: it is not judged, and not counted in the accuracy. A move counts as made when it was made,
    undone later or not (`undone` tells). `kept`: the best result still possible, by the ruleset's ranking rule, is the
    same before and after. `costly` are the plies of the moves that did not keep it, `cost` says what of it was lost.
    `lost_at` is the first of the standing moves (R5.4) that took the last way to win: who threw the win away and took
    that move back has not lost it there. `accuracy` is kept moves / moves, None without moves.
    """
    undone = _undone(log)
    plies = [_ply_json(0, None, values[0])]
    lost_at: int | None = None
    for ply, move in enumerate(log, start=1):
        before, after = values[ply - 1], values[ply]
        judged = _ply_json(ply, move, after)
        if move != UNDO:
            judged["kept"] = _key(ruleset, after.best) == _key(ruleset, before.best)
            judged["lost_win"] = before.winnable and not after.winnable
            judged["cost"] = None if judged["kept"] else cost_of(ruleset, before, after)
            judged["undone"] = ply in undone
            if lost_at is None and judged["lost_win"] and ply not in undone:
                lost_at = ply
        plies.append(judged)
    moves = [judged for judged in plies if judged["kept"] is not None]
    kept = sum(judged["kept"] for judged in moves)
    return {
        "plies": plies,
        "lost_at": lost_at,
        "costly": [judged["ply"] for judged in moves if not judged["kept"]],
        "moves": len(moves),
        "kept": kept,
        "accuracy": round(kept / len(moves), 4) if moves else None,
    }


def _undone(log: Sequence[Move]) -> set[int]:
    """The plies whose moves were taken back."""
    standing: list[int] = []
    undone: set[int] = set()
    for ply, move in enumerate(log, start=1):
        if move == UNDO:
            undone.add(standing.pop())
        else:
            standing.append(ply)
    return undone


def _ply_json(ply: int, move: Move | None, value: PlyValue) -> dict[str, Any]:
    best = value.best
    return {
        "ply": ply,
        "move": None if move is None else move_text(move),
        "winnable": value.winnable,
        "fewest_draws": value.fewest_draws,
        "best": None
        if best is None
        else {
            "outcome": best.outcome,
            "score": best.score,
            "moves": best.moves,
            "peaks": best.peaks,
            "cards_left": best.cards_left,
        },
        "best_score": value.best_score,
        "kept": None,
        "lost_win": False,
        "cost": None,
        "undone": False,
    }


def _key(ruleset: Ruleset, best: Best | None) -> int:
    return _WORST if best is None else rank_key(ruleset.ranking, best.result(), timed=False)


def cost_of(ruleset: Ruleset, before: PlyValue, after: PlyValue) -> dict[str, Any]:
    """What a move lost of the best result, in the first respect of the ranking rule in which the two differ (R8.2, R8.3).

    `{"of": "win"|"peaks"|"cards"|"points"|"moves", "amount": n}`; None as amount where nothing can be counted.
    """
    one, other = before.best, after.best
    if one is None or other is None:
        return {"of": "win" if before.winnable else "points", "amount": None}
    if ruleset.ranking == "result" and one.outcome != other.outcome:
        return {"of": "win", "amount": None}
    stuck = ruleset.ranking == "result" and one.outcome != "won"
    steps = []
    if stuck:
        steps.append(("peaks", one.peaks - other.peaks))
    if stuck or ruleset.ranking == "cards_left":
        steps.append(("cards", other.cards_left - one.cards_left))
    if ruleset.ranking != "cards_left":
        steps.append(("points", one.score - other.score))
    steps.append(("moves", other.moves - one.moves))
    of, amount = next((of, amount) for of, amount in steps if amount)
    return {"of": of, "amount": amount}
