"""One's own attempts where a page wants to go on with them."""

from __future__ import annotations

import datetime as dt
from typing import Any

from games.models import Attempt
from games.retry import repeat_once
from games.selectors.attempts import attempt_state, progress_of

_LOOKED_AT = 5
"""So many of the newest open rows: time alone may have ended the first ones."""


@repeat_once
def attempt_unfinished(*, player_id: int, code: str, now: dt.datetime) -> dict[str, Any] | None:
    """The state of the player's newest attempt at a code that can still be moved in, a stuck one with undo included."""
    rows = Attempt.objects.select_related("deal").filter(
        player_id=player_id, code=code, competition_key=None, closed_at=None
    )
    for attempt in rows.order_by("-id")[:_LOOKED_AT]:
        if not progress_of(attempt, now).closed:
            return attempt_state(attempt, now)
    return None


@repeat_once
def attempt_in_competition(*, player_id: int, key: str, now: dt.datetime) -> dict[str, Any] | None:
    """The state of the player's one attempt in a competition, running or over (R9.2)."""
    attempt = Attempt.objects.select_related("deal").filter(player_id=player_id, competition_key=key).first()
    return attempt_state(attempt, now) if attempt else None
