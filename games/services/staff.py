"""Sessions of the admin site, which are Django's own: players have credentials instead."""

from __future__ import annotations

from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.models import Session
from django.utils import timezone


def staff_sessions_end(*, player_id: int) -> int:
    """End every session of the admin site of an account, with its second factor; how many.

    In the caller's transaction. Reads all live sessions: only moderators have any.
    """
    theirs = [
        session.pk
        for session in Session.objects.filter(expire_date__gt=timezone.now())
        if session.get_decoded().get(SESSION_KEY) == str(player_id)
    ]
    return Session.objects.filter(pk__in=theirs).delete()[0]
