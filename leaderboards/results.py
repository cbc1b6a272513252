"""An attempt's recorded result as boards see it. No rows are read or written."""

from __future__ import annotations

from typing import Any

from games.engine.ranking import Result, rank_key
from games.engine.rulesets import find_ruleset
from games.models import Attempt

SHOWN = ("outcome", "score", "moves", "peaks", "cards_left", "elapsed_ms")


def scope_of(attempt: Attempt) -> str:
    """The scope of the board that an attempt counts for."""
    return attempt.competition_key or attempt.code


def attempt_key(attempt: Attempt) -> int:
    """engine.ranking.rank_key of the recorded result of an attempt; competitions are timed (R8.4)."""
    values = attempt_values(attempt)
    outcome = values.pop("outcome")
    assert outcome in ("won", "stuck"), f"{attempt} has no result"
    result = Result(outcome=outcome, undos=attempt.result_undos or 0, **values)
    return rank_key(find_ruleset(attempt.ruleset).ranking, result, timed=attempt.competition_key is not None)


def attempt_values(attempt: Attempt) -> dict[str, Any]:
    """What an entry copies and a row shows of the recorded result."""
    return {field: getattr(attempt, f"result_{field}") for field in SHOWN}


def is_first(attempt: Attempt) -> bool:
    """Whether the recorded result counts as a first attempt (R8.1: the first at its list of cards, without undo)."""
    return attempt.number == 1 and attempt.result_undos == 0
