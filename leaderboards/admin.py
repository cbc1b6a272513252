"""The admin site, for looking only. A daily's code, deal and seed are on no page of it (R10.1)."""

from __future__ import annotations

from django.contrib import admin
from procrastinate.contrib.django.models import ProcrastinateJob

from games.admin import LookOnly

from .models import Board, DailyChallenge, Entry
from .moderation.desk.pages import ActionDesk, CaseDesk
from .moderation.models import Case, ModeratorAction

admin.site.unregister(ProcrastinateJob)  # there a judging could be cancelled without a word in the log
admin.site.register(Case, CaseDesk)
admin.site.register(ModeratorAction, ActionDesk)


@admin.register(DailyChallenge)
class DailyChallengeAdmin(LookOnly):
    list_display = ("date", "number", "ruleset", "late", "opens_at", "closes_at", "final_at")
    ordering = ("-date",)
    fields = (
        "date",
        "number",
        "ruleset",
        "commitment",
        "committed_at",
        "late",
        "opens_at",
        "closes_at",
        "grace_ends_at",
        "final_at",
    )


@admin.register(Board)
class BoardAdmin(LookOnly):
    list_display = ("scope", "kind", "view", "entries", "started", "finished", "version")
    list_filter = ("kind", "view")
    search_fields = ("=scope",)
    ordering = ("-id",)


@admin.register(Entry)
class EntryAdmin(LookOnly):
    list_display = ("board", "player", "outcome", "score", "moves", "peaks", "cards_left", "active")
    list_filter = ("active",)
    search_fields = ("=board__scope", "=player__public_id", "player__name")
    list_select_related = ("board", "player")
    ordering = ("-id",)
    fields = (
        "board",
        "player",
        "attempt",
        "outcome",
        "score",
        "moves",
        "peaks",
        "cards_left",
        "elapsed_ms",
        "key",
        "version",
        "active",
    )
