"""Who may sign in to the admin site (settings.AUTHENTICATION_BACKENDS). Players' credentials are another matter."""

from __future__ import annotations

from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import AnonymousUser

from . import clock
from .models import Player
from .services.passwords import is_banned


class PlayerBackend(ModelBackend):
    """Django's, which asks at the password and at every request; a ban counts by its dates, as it does over the API."""

    def user_can_authenticate(self, user: Player | AnonymousUser | None) -> bool:
        """Whether the account is neither switched off nor banned at this moment."""
        if not super().user_can_authenticate(user):
            return False
        return isinstance(user, Player) and not is_banned(user, clock.now())
