"""The admin site: for looking. Nothing is added or deleted here (a cascade would take results along), and of an attempt
there is nothing that its player may not see (R10.1): no cards, no log, no code while it is sealed.
"""

from __future__ import annotations

from django.contrib import admin
from django.contrib.auth.models import Group
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django_otp.plugins.otp_static.models import StaticDevice
from django_otp.plugins.otp_totp.models import TOTPDevice

from . import clock
from .models import Attempt, Credential, Player

for secret in (Group, TOTPDevice, StaticDevice):  # groups are kept by `migrate`; devices are their owners' keys
    admin.site.unregister(secret)


class LookOnly(admin.ModelAdmin):  # type: ignore[type-arg]
    """Lists and shows rows; no adding, changing or deleting, no bulk action."""

    actions = None
    list_per_page = 50
    show_full_result_count = False

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        """Only the filters beside the list. Django would take any column from the address bar, and a few dozen
        `?code__startswith=…` would spell out a sealed code (R10.1).
        """
        return lookup.partition("__")[0] in self.list_filter

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


@admin.register(Player)
class PlayerAdmin(LookOnly):
    list_display = ("public_id", "name", "kind", "owner", "created_at", "banned_at", "banned_until", "deleted_at")
    list_filter = ("kind", "is_staff")
    search_fields = ("=public_id", "name")
    list_select_related = ("owner",)
    ordering = ("-id",)
    fields = (
        "public_id",
        "name",
        "kind",
        "owner",
        "language",
        "created_at",
        "last_login",
        "banned_at",
        "banned_until",
        "ban_reason",
        "deleted_at",
        "is_staff",
        "is_superuser",
        "is_active",
    )


@admin.register(Credential)
class CredentialAdmin(LookOnly):
    """Without the hashes: who could write rows must not learn which to copy."""

    list_display = ("public_id", "player", "kind", "via", "created_at", "last_used_at", "expires_at", "revoked_at")
    list_filter = ("kind", "via")
    search_fields = ("=public_id", "=player__public_id", "player__name")
    list_select_related = ("player",)
    ordering = ("-id",)
    fields = (
        "public_id",
        "player",
        "kind",
        "via",
        "name",
        "scopes",
        "created_at",
        "last_used_at",
        "expires_at",
        "revoked_at",
    )


@admin.register(Attempt)
class AttemptAdmin(LookOnly):
    list_display = ("public_id", "player", "shown_code", "ruleset", "ranked", "ply", "score", "outcome", "started_at")
    list_filter = ("ruleset", "ranked", "outcome")
    search_fields = (
        "=public_id",
        "=player__public_id",
        "player__name",
    )  # never the code: a search would confirm a guess
    list_select_related = ("player",)
    ordering = ("-id",)
    fields = (
        "public_id",
        "player",
        "shown_code",
        "competition_key",
        "ruleset",
        "ranked",
        "number",
        "ply",
        "score",
        "moves",
        "run",
        "peaks",
        "cards_left",
        "undos",
        "outcome",
        "started_at",
        "last_move_at",
        "finished_at",
        "closed_at",
        "deadline",
        "sealed_until",
        "result_outcome",
        "result_score",
        "result_elapsed_ms",
        "result_at",
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Attempt]:
        return super().get_queryset(request).defer("code")

    @admin.display(description="code")
    def shown_code(self, attempt: Attempt) -> str:
        """The game code, unless it is sealed (R7.8)."""
        if attempt.sealed_until is not None and attempt.sealed_until > clock.now():
            return "sealed"
        return attempt.code
