"""Who of the staff is there: the same conditions for roles, for pages that tell staff more, and for signing in."""

from __future__ import annotations

import datetime as dt

from django.db.models import Q, QuerySet

from games.models import Player


def staff_present(*, now: dt.datetime) -> QuerySet[Player]:
    """Accounts of staff that may sign in at that moment: neither banned (by the dates), switched off nor deleted."""
    not_banned = Q(banned_at=None) | Q(banned_until__lte=now)
    return Player.objects.filter(not_banned, is_staff=True, is_active=True, deleted_at=None)
