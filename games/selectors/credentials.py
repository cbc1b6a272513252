"""Reading credentials for those who hold something open on their strength."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection

from django.db.models import Q

from games.models import Credential


def credentials_alive(*, ids: Collection[int], now: dt.datetime) -> frozenset[int]:
    """Which of these credentials (primary keys) still give rights, in one query however many they are.

    The same conditions as `services.credentials.credential_find`: not revoked or expired, the player and a bot's owner
    neither deleted nor banned.
    """
    alive = Q(revoked_at=None) & (Q(expires_at=None) | Q(expires_at__gt=now))
    player = Q(player__deleted_at=None) & (Q(player__banned_at=None) | Q(player__banned_until__lte=now))
    owner = Q(player__owner__deleted_at=None) & (
        Q(player__owner__banned_at=None) | Q(player__owner__banned_until__lte=now)
    )
    return frozenset(Credential.objects.filter(alive, player, owner, pk__in=ids).values_list("pk", flat=True))
