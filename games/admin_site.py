"""The admin site itself: a moderator's password opens it, and what holds for passwords elsewhere holds here."""

from __future__ import annotations

from typing import Any

from django.contrib.admin import AdminSite
from django.contrib.admin.forms import AdminAuthenticationForm
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.template.response import TemplateResponse

from . import clock
from .api.accounts import throttle_name
from .errors import TooMany
from .services.credentials import credentials_revoke


class LoginForm(AdminAuthenticationForm):
    """Signing in here counts like signing in over the API: it is the same password, and costs the same hashing."""

    def clean(self) -> dict[str, Any]:
        assert self.request is not None
        try:
            throttle_name(self.request, self.cleaned_data.get("username", ""))
        except TooMany as refusal:
            raise ValidationError(refusal.message) from None
        return super().clean()


class ModeratorSite(AdminSite):
    """Django's, with our name, the throttle of logins, and our change of passwords."""

    site_header = site_title = "TriPeaks"
    login_form = LoginForm

    def password_change(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        """A change ends all sessions and tokens of the account and its bots, as over the API; this one goes on."""
        response = super().password_change(request, extra_context)
        if request.method == "POST" and response.status_code == 302:
            assert request.user.pk is not None
            credentials_revoke(player_id=request.user.pk, bots=True, now=clock.now())
        return response
