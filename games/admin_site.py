"""The admin site itself: a moderator's password and a code of the moderator's phone open it, and what holds for passwords
elsewhere holds here.

A password alone leads to the page of the code, or, the first time, to the one that sets the phone up; every other address
stays closed. Words here are for moderators, in English.
"""

from __future__ import annotations

from base64 import b32encode
from typing import Any

import django_otp
import segno
from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.admin import AdminSite
from django.contrib.admin.forms import AdminAuthenticationForm
from django.contrib.auth import SESSION_KEY
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, URLResolver, path, reverse
from django.utils.decorators import method_decorator
from django.utils.html import format_html
from django.utils.http import url_has_allowed_host_and_scheme, urlencode
from django.utils.safestring import mark_safe
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_protect

from . import clock
from .api.accounts import throttle_name
from .errors import GameError, TooMany
from .models import Player
from .services.credentials import credentials_revoke
from .services.passwords import code_shown
from .services.second_factor import (
    backup_codes_left,
    backup_codes_renew,
    second_factor_enrol,
    second_factor_has,
    second_factor_new,
    second_factor_verify,
)

_KEY = "second_factor_key"
"""In the session: the key that the page of setting up has shown to this browser alone."""


class LoginForm(AdminAuthenticationForm):
    """Signing in here counts like signing in over the API: it is the same password, and costs the same hashing."""

    def clean(self) -> dict[str, Any]:
        assert self.request is not None
        try:
            throttle_name(self.request, self.cleaned_data.get("username", ""))
        except TooMany as refusal:
            raise ValidationError(refusal.message) from None
        return super().clean()


class CodeForm(forms.Form):
    """A code of the phone, or a backup code. Guesses count like those at a password."""

    code = forms.CharField(
        max_length=40,
        label="Code",
        error_messages={"required": "Enter the code."},
        widget=forms.TextInput(
            attrs={"autocomplete": "one-time-code", "autocapitalize": "none", "spellcheck": "false"}
        ),
    )


class ModeratorSite(AdminSite):
    """Django's, with our name, the throttle of logins, the second factor, and our change of passwords."""

    site_header = site_title = "TriPeaks"
    login_form = LoginForm
    login_template = "games/admin/login.html"

    def has_permission(self, request: HttpRequest) -> bool:
        """Staff whose session has shown a code (settings.SECOND_FACTOR). A session whose account is out is over for good."""
        if SESSION_KEY in request.session and not request.user.is_authenticated:
            request.session.flush()
        return super().has_permission(request) and not self.awaits_code(request)

    def awaits_code(self, request: HttpRequest) -> bool:
        """Whether a right password was given here and the code is still missing."""
        verified = getattr(request.user, "otp_device", None) is not None
        return settings.SECOND_FACTOR and not verified and super().has_permission(request)

    def get_urls(self) -> list[URLResolver | URLPattern]:
        """Signing out first: Django's own lets only those out whom it would let in."""

        def page(view: Any) -> Any:
            return never_cache(csrf_protect(view))

        return [
            path("logout/", page(self.logout), name="logout"),
            path("second-factor/", page(self.second_factor), name="second_factor"),
            path("second-factor/setup/", page(self.second_factor_setup), name="second_factor_setup"),
            path("second-factor/codes/", self.admin_view(self.second_factor_codes), name="second_factor_codes"),
            *super().get_urls(),
        ]

    # --- signing in ------------------------------------------------------------------------------------------------

    @method_decorator(never_cache)
    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """The password; then, or when it was given before, on to the code."""
        if request.method == "GET" and self.awaits_code(request):
            return self._on(request, "second_factor")
        response: HttpResponse = super().login(request, extra_context)
        if response.status_code == 302 and self.awaits_code(request):
            return self._on(request, "second_factor")
        return response

    def second_factor(self, request: HttpRequest) -> HttpResponse:
        """The code of a phone that was set up, or a backup code."""
        if not self.awaits_code(request):
            return redirect("admin:index")
        player = _player(request)
        if not second_factor_has(player_id=player.pk):
            return self._on(request, "second_factor_setup")
        form = CodeForm(request.POST or None)
        if request.method == "POST" and form.is_valid():
            try:
                throttle_name(request, player.name or "")
                device = second_factor_verify(player_id=player.pk, code=form.cleaned_data["code"])
            except GameError as refusal:
                form.add_error("code", _words(refusal))
            else:
                self._let_in(request, device)
                if device.name != "phone":
                    self._count_backup_codes(request, player)
                return redirect(self._next(request))
        return self._page(request, "second_factor", "Enter the code", form=form)

    def second_factor_setup(self, request: HttpRequest) -> HttpResponse:
        """A key for the phone, as a picture and in letters, and the first code; then the backup codes, once."""
        if not self.awaits_code(request):
            return redirect("admin:index")
        player = _player(request)
        if second_factor_has(player_id=player.pk):
            return self._on(request, "second_factor")
        proposed = second_factor_new(player=player, key=request.session.get(_KEY, ""))
        request.session[_KEY] = proposed.key
        form = CodeForm(request.POST or None)
        if request.method == "POST" and form.is_valid():
            try:
                throttle_name(request, player.name or "")
                code = form.cleaned_data["code"]
                device, codes = second_factor_enrol(player_id=player.pk, key=proposed.key, code=code)
            except GameError as refusal:
                form.add_error("code", _words(refusal))
            else:
                del request.session[_KEY]
                self._let_in(request, device)
                return self._shown_once(request, codes)
        # Attributes of SVG only, no style: the page's policy is stricter than that of Django's own pages needs to be.
        picture = segno.make(proposed.config_url, error="m").svg_inline(
            omitsize=True, dark="#000", light="#fff", title="QR code for an authenticator app"
        )
        secret = code_shown(b32encode(proposed.bin_key).decode()).replace("-", " ")
        return self._page(
            request,
            "second_factor_setup",
            "Set up your second factor",
            form=form,
            picture=mark_safe(picture),  # made by segno from our own text
            secret=secret,
            address=proposed.config_url,
        )

    def second_factor_codes(self, request: HttpRequest) -> HttpResponse:
        """How many backup codes are left, and new ones."""
        player = _player(request)
        if not second_factor_has(player_id=player.pk):  # where none is asked for, and none was set up
            return redirect("admin:index")
        form = CodeForm(request.POST or None)
        if request.method == "POST" and form.is_valid():
            try:
                throttle_name(request, player.name or "")
                second_factor_verify(player_id=player.pk, code=form.cleaned_data["code"])
                return self._shown_once(request, backup_codes_renew(player_id=player.pk))
            except GameError as refusal:
                form.add_error("code", _words(refusal))
        left = backup_codes_left(player_id=player.pk)
        return self._page(request, "second_factor_codes", "Backup codes", form=form, left=left)

    def _let_in(self, request: HttpRequest, device: Any) -> None:
        django_otp.login(request, device)
        request.session.cycle_key()

    def _count_backup_codes(self, request: HttpRequest, player: Player) -> None:
        left = backup_codes_left(player_id=player.pk)
        words = 'You used a backup code; {} are left. <a href="{}">Make new ones</a>.'
        messages.warning(request, format_html(words, left, reverse("admin:second_factor_codes")))

    def _shown_once(self, request: HttpRequest, codes: list[str]) -> HttpResponse:
        return self._page(request, "second_factor_shown", "Keep your backup codes", codes=codes)

    def _page(self, request: HttpRequest, template: str, title: str, **context: Any) -> HttpResponse:
        context |= {**self.each_context(request), "title": title, "next": self._next(request)}
        context["is_nav_sidebar_enabled"] = False
        return TemplateResponse(request, f"games/admin/{template}.html", context)

    def _next(self, request: HttpRequest) -> str:
        """The page of ours that was asked for first."""
        wanted = request.POST.get("next", request.GET.get("next", ""))
        ours = url_has_allowed_host_and_scheme(
            wanted, allowed_hosts={request.get_host()}, require_https=request.is_secure()
        )
        return wanted if ours else reverse("admin:index")

    def _on(self, request: HttpRequest, name: str) -> HttpResponse:
        return redirect(f"{reverse(f'admin:{name}')}?{urlencode({'next': self._next(request)})}")

    # --- passwords -------------------------------------------------------------------------------------------------

    def password_change(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        """A change ends all sessions and tokens of the account and its bots, as over the API; this one goes on."""
        response = super().password_change(request, extra_context)
        if request.method == "POST" and response.status_code == 302:
            assert request.user.pk is not None
            credentials_revoke(player_id=request.user.pk, bots=True, now=clock.now())
        return response


def _player(request: HttpRequest) -> Player:
    assert isinstance(request.user, Player)
    return request.user


def _words(refusal: GameError) -> str:
    """What to tell a moderator; after wrong codes also when the next one is looked at."""
    if isinstance(refusal, TooMany):
        seconds = int(refusal.data["retry_after"])
        wait = f"{seconds} s" if seconds < 100 else f"{-(-seconds // 60)} minutes"
        return f"Too many codes at once. Try again in {wait}."
    return refusal.message
