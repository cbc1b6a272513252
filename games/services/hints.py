"""Help while one plays: the solver's next move, and whether the win is still there. In practice on open codes only."""

from __future__ import annotations

import datetime as dt
from typing import Any

from games.engine.moves import move_text
from games.errors import Conflict, MoveRefused, NotFound
from games.models import Attempt
from games.retry import repeat_once
from games.selectors.attempts import attempt_state, log_of, position_of, progress_of
from games.solver import exact
from games.solving import solver_gate

from .exposure import check_none_ranked, exposure_record


@repeat_once
def attempt_hint(*, public_id: str, player_id: int, now: dt.datetime) -> dict[str, Any]:
    """The first move of a best line from where one's own practice attempt stands: `{"move", "ply", "winnable"}`.

    `move` is None when nothing can be played but an undo. Later attempts of this player at these cards are practice
    (R8.1), written down before the answer. Locks the player's row. Raises NotFound (unknown and foreign alike),
    Conflict `hint_not_allowed` (ranked, or of a competition) or `finish_first`, MoveRefused `game_over`, Busy.
    """
    attempt, ply, solution = _solved(public_id, player_id, now)
    exposure_record(player_id=player_id, deal_id=attempt.deal_id, now=now)
    return {
        "move": move_text(solution.line[0]) if solution.line else None,
        "ply": ply,
        "winnable": solution.winnable,
    }


@repeat_once
def attempt_winnable(*, public_id: str, player_id: int, now: dt.datetime) -> dict[str, Any]:
    """Whether one's own practice attempt can still be won, undo not counted on: `{"winnable", "ply"}`.

    Rights, refusals and what is written as for `attempt_hint`.
    """
    attempt, ply, solution = _solved(public_id, player_id, now)
    exposure_record(player_id=player_id, deal_id=attempt.deal_id, now=now)
    return {"winnable": solution.winnable, "ply": ply}


def _solved(public_id: str, player_id: int, now: dt.datetime) -> tuple[Attempt, int, exact.Solution]:
    attempt = Attempt.objects.select_related("deal").filter(public_id=public_id, player_id=player_id).first()
    if attempt is None:
        raise NotFound
    check_hint_allowed(attempt, now)
    check_none_ranked(player_id=player_id, deal_id=attempt.deal_id, now=now)
    position = position_of(attempt, log_of(attempt))
    with solver_gate.enter():
        return attempt, position.ply, exact.solve(position)


def check_hint_allowed(attempt: Attempt, now: dt.datetime) -> None:
    """Never in a competition, never at a deal that is sealed, never when ranked: nothing of these reaches the solver.

    Raises Conflict `hint_not_allowed` with `data.reason`, MoveRefused `game_over`.
    """
    if attempt.competition_key is not None or attempt.sealed_until is not None:
        raise _refused("competition", "There are no hints in a competition.")
    if attempt.deal.sealed_until is not None and attempt.deal.sealed_until > now:
        raise _refused("competition", "These cards are in a competition that is not over yet.")
    if attempt.ranked:
        raise _refused("ranked", "This attempt is ranked. There are hints in practice only.")
    if progress_of(attempt, now).closed:
        raise MoveRefused("game_over", "This attempt is over.", attempt=attempt_state(attempt, now))


def _refused(reason: str, message: str) -> Conflict:
    return Conflict("hint_not_allowed", message, reason=reason)
