"""Words and links of the moderators' desk."""

from __future__ import annotations

from typing import Any

from django import template
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from games.models import Player
from leaderboards.moderation.desk import names, replay, words

register = template.Library()

for _filter in (
    words.action_words,
    words.age_words,
    words.evidence_figures,
    words.notice_words,
    words.player_name,
    words.result_words,
    names.signal_name,
    words.state_of,
    words.why,
    names.time_text,
    replay.face,
):
    register.filter(_filter.__name__, _filter)


@register.filter
def changed(action: Any) -> list[tuple[str, str, str]]:
    """What an action has changed."""
    return words.changes(action.before, action.after)


@register.filter
def in_words(names: dict[str, str], key: str) -> str:
    """A value's words from a table, itself where it has none."""
    return names.get(key, key)


@register.simple_tag
def player_link(player: Player | None) -> SafeString:
    """A player's name, leading to the player's page."""
    if player is None:
        return format_html("{}", words.player_name(None))
    return format_html(
        '<a href="{}"><bdi>{}</bdi></a>{}',
        reverse("admin:leaderboards_case_player", args=[player.public_id]),
        words.player_name(player),
        format_html(' <span class="desk-kind">{}</span>', player.kind) if player.kind != "person" else "",
    )


@register.filter
def instant(value: Any) -> SafeString:
    """`29 Nov 2026, 21:00` in UTC."""
    if value is None:
        return format_html("—")
    return format_html('<time datetime="{}">{}</time>', value.isoformat(), f"{value:%d %b %Y, %H:%M}")


@register.filter
def get(mapping: Any, key: Any) -> Any:
    """An entry of a mapping."""
    return mapping.get(key)
