"""Opening the analysis of an attempt: what it ends, and what it writes down about who asks."""

from __future__ import annotations

import datetime as dt
from typing import Any

from django.db import transaction

from games.events import AttemptMoved, announce
from games.models import Attempt
from games.retry import repeat_once
from games.selectors.analysis import (
    analysable,
    analysis_computed,
    analysis_of,
    attempt_find,
    deal_sealed,
)
from games.selectors.attempts import progress_of, summary_json
from games.solving import solver_gate

from .exposure import check_none_ranked, exposure_record


@repeat_once
def analysis_read(*, public_id: str, player_id: int | None, now: dt.datetime) -> dict[str, Any]:
    """The analysis of a public finished attempt: `{"attempt", "plies", "lost_at", …}` (selectors.analysis_json).

    For a player (None: nobody signed in, so there is nobody to remember) it is written down before the answer that
    later attempts at these cards are practice (R8.1). Locks the player's row. Raises NotFound, Conflict `finish_first`,
    Busy.
    """
    attempt = analysable(attempt_find(public_id), now)
    if player_id is not None:
        check_none_ranked(
            player_id=player_id, deal_id=attempt.deal_id, now=now
        )  # before any work; again under the lock
    found = analysis_of(attempt)
    if player_id is not None:
        exposure_record(player_id=player_id, deal_id=attempt.deal_id, now=now)
    return {"attempt": summary_json(attempt, now), **found}


@repeat_once
def analysis_open(*, public_id: str, player_id: int, now: dt.datetime) -> dict[str, Any]:
    """`analysis_read`; one's own stuck attempt that could still be undone is ended by it first (R3.3).

    Its recorded result stands. Locks the attempt's row for the end, then, after that, the player's. A running attempt
    is NotFound like a foreign one. When the solver is busy nothing has ended yet. Safe to repeat. Raises NotFound,
    Conflict `finish_first` (another ranked attempt of the player at these cards runs), Busy.
    """
    attempt = attempt_find(public_id)
    if attempt is None or not _may_close(attempt, player_id, now):
        return analysis_read(public_id=public_id, player_id=player_id, now=now)
    check_none_ranked(player_id=player_id, deal_id=attempt.deal_id, now=now, except_id=attempt.pk)
    with solver_gate.enter():
        attempt = analysable(_closed(attempt, player_id, now), now)
        found = analysis_computed(attempt)
    exposure_record(player_id=player_id, deal_id=attempt.deal_id, now=now)
    return {"attempt": summary_json(attempt, now), **found}


def _may_close(attempt: Attempt, player_id: int, now: dt.datetime) -> bool:
    """One's own, on an open code, stuck and not over."""
    mine = attempt.player_id == player_id and attempt.sealed_until is None and attempt.competition_key is None
    stuck = attempt.outcome == Attempt.Outcome.STUCK and not progress_of(attempt, now).closed
    return mine and stuck and not deal_sealed(attempt, now)


def _closed(attempt: Attempt, player_id: int, now: dt.datetime) -> Attempt:
    """End it under its lock, unless a move was faster (then it runs again, or is over anyway)."""
    with transaction.atomic(durable=True):
        locked = Attempt.objects.select_related("deal").select_for_update(of=("self",)).get(pk=attempt.pk)
        if _may_close(locked, player_id, now):
            locked.closed_at = now
            locked.save(update_fields=["closed_at"])
            announce(AttemptMoved(player_id=player_id, attempt=locked.public_id, ply=locked.ply, ended=True))
    return locked
