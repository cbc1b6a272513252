"""The replay of a finished attempt, as others may see its player."""

from __future__ import annotations

import datetime as dt
from typing import Any

from django.db.models import Q

from games.models import Player
from games.retry import repeat_once
from games.selectors import attempt_replay
from leaderboards.moderation.models import HiddenPlayer


def replay_get(*, public_id: str, viewer_id: int | None, now: dt.datetime) -> dict[str, Any]:
    """`games.selectors.attempt_replay`; a hidden player's name is None, as a deleted one's.

    The record itself stays. The name is told to whoever finds the profile: the player, a bot's owner and staff
    (`selectors.profile`). Raises NotFound as `attempt_replay`.
    """
    found = attempt_replay(public_id=public_id, viewer_id=viewer_id, now=now)
    player = found["player"]
    if player["name"] is not None and _unnamed(player["id"], viewer_id):
        return found | {"player": player | {"name": None}}
    return found


@repeat_once
def _unnamed(public_id: str, viewer_id: int | None) -> bool:
    """Whether the player is hidden from this viewer. Asked of the primary: a decision counts at once."""
    if not HiddenPlayer.objects.filter(player__public_id=public_id).exists():
        return False
    own = Q(public_id=public_id) | Q(bots__public_id=public_id) | Q(is_staff=True, is_active=True)
    return viewer_id is None or not Player.objects.filter(own, pk=viewer_id, deleted_at=None).exists()
