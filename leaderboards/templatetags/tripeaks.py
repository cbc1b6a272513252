"""Words and figures of the pages; the page's scripts say the same (static/leaderboards/js/rows.js, games/js/cards.js)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django import template
from django.conf import settings
from django.utils import dateformat, formats
from django.utils.dates import MONTHS_3
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext, pgettext_lazy

from games.engine.rulesets import find_ruleset
from games.solver.playouts import PLAY_OUTS

register = template.Library()

_RANKS = {
    "A": pgettext_lazy("card", "ace"),
    "2": pgettext_lazy("card", "two"),
    "3": pgettext_lazy("card", "three"),
    "4": pgettext_lazy("card", "four"),
    "5": pgettext_lazy("card", "five"),
    "6": pgettext_lazy("card", "six"),
    "7": pgettext_lazy("card", "seven"),
    "8": pgettext_lazy("card", "eight"),
    "9": pgettext_lazy("card", "nine"),
    "T": pgettext_lazy("card", "ten"),
    "J": pgettext_lazy("card", "jack"),
    "Q": pgettext_lazy("card", "queen"),
    "K": pgettext_lazy("card", "king"),
}
_SUITS = {
    "C": (pgettext_lazy("card", "clubs"), "♣"),
    "D": (pgettext_lazy("card", "diamonds"), "♦"),
    "H": (pgettext_lazy("card", "hearts"), "♥"),
    "S": (pgettext_lazy("card", "spades"), "♠"),
}


def card_name(text: str) -> str:
    """`"TD"` is `"ten of diamonds"`, in the visitor's language."""
    if text == "XX":
        return pgettext("card", "joker")
    return pgettext("card", "%(rank)s of %(suit)s") % {"rank": _RANKS[text[0]], "suit": _SUITS[text[1]][0]}


@register.simple_tag
def card(text: str) -> SafeString:
    """A small card: its face for the eye, its name for a screen reader."""
    if text == "XX":
        return format_html(
            '<span class="card joker"><span aria-hidden="true">★</span><span class="hidden-text">{}</span></span>',
            card_name(text),
        )
    colour = "red" if text[1] in "DH" else "black"
    rank = "10" if text[0] == "T" else text[0]
    return format_html(
        '<span class="card {}"><span aria-hidden="true">{}<span class="suit">{}</span></span>'
        '<span class="hidden-text">{}</span></span>',
        colour,
        rank,
        _SUITS[text[1]][1] + "\ufe0e",  # text, not emoji
        card_name(text),
    )


@register.filter
def thousands(number: int) -> str:
    """`50,000`, as the language groups digits."""
    return str(formats.number_format(number, use_l10n=True, force_grouping=True))


def counted(number: int, text: str) -> str:
    """A translated text with its `%(count)s` filled in."""
    return text % {"count": thousands(number)}


@register.filter
def result_text(row: Mapping[str, Any]) -> str:
    """`Won`, or how many tableau cards were left."""
    if row["outcome"] == "won":
        return _("Won")
    return counted(row["cards_left"], ngettext("%(count)s left", "%(count)s left", row["cards_left"]))


@register.filter
def clock_text(milliseconds: int) -> str:
    """Whole seconds: `1:12`, `1:02:03`."""
    minutes, seconds = divmod(max(0, milliseconds) // 1000, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{seconds:02d}" if hours else f"{minutes}:{seconds:02d}"


@register.filter
def duration(milliseconds: int) -> str:
    """`clock_text`, of quick bots with hundredths: `0.42 s`."""
    if milliseconds >= 10_000:
        return clock_text(milliseconds)
    seconds = formats.number_format(Decimal(milliseconds // 10) / 100, decimal_pos=2, use_l10n=True)
    return _("%(seconds)s s") % {"seconds": seconds}


@register.filter
def iso_day(instant: str | None) -> str:
    """`29 Nov 2026` of an ISO instant in UTC."""
    if not instant:
        return ""
    day = dt.datetime.fromisoformat(instant).astimezone(dt.UTC)
    return dateformat.format(day, day_format())


@register.simple_tag
def own_languages() -> list[tuple[str, str]]:
    """Code and own name of every language, as its speakers write it: Django's tag would translate the names."""
    return list(settings.LANGUAGES)


@register.simple_tag
def day_format() -> str:
    """How the language writes a short date, in Django's letters: for the scripts, which write the same."""
    return str(formats.get_format("SHORT_DATE_FORMAT"))


@register.simple_tag
def short_months() -> str:
    """`Jan|Feb|…`: the names behind the letter M of `day_format`."""
    return "|".join(str(MONTHS_3[month]).title() for month in range(1, 13))


@register.filter
def counts_text(counts: Mapping[str, int]) -> str:
    """`312 playing · 1,204 finished`."""
    playing, finished = counts["playing"], counts["finished"]
    return " · ".join(
        [
            counted(playing, ngettext("%(count)s playing", "%(count)s playing", playing)),
            counted(finished, ngettext("%(count)s finished", "%(count)s finished", finished)),
        ]
    )


@register.filter
def players_text(counts: Mapping[str, int]) -> str:
    """`1 player`, `1,204 players`: of a board without a clock, where nobody counts as playing."""
    players = counts["players"]
    return counted(players, ngettext("%(count)s player", "%(count)s players", players))


@register.simple_tag
def place_text(rank: int | None, provisional: bool, entries: int) -> str:
    """One's own place in words; empty without one."""
    if not rank:
        return ""
    if provisional:
        return _("You would be number %(rank)s.") % {"rank": thousands(rank)}
    return _("You are number %(rank)s of %(entries)s.") % {"rank": thousands(rank), "entries": thousands(entries)}


@register.filter
def best_text(daily: Mapping[str, Any]) -> str:
    """`771 in 29 moves`: the exact best result of a final daily, by its ruleset's score."""
    score, moves = daily["best"]["score"], daily["best"]["moves"]
    if find_ruleset(daily["ruleset"]).scoring == "cards_left":  # dailies can be won: no card is left
        return counted(moves, ngettext("won in %(count)s move", "won in %(count)s moves", moves))
    text = ngettext("%(score)s in %(count)s move", "%(score)s in %(count)s moves", moves)
    return text % {"score": score, "count": thousands(moves)}


@register.filter
def difficulty_text(daily: Mapping[str, Any]) -> str:
    """`Without thinking ahead it is lost 81 times in 100.`: the share of simple play-outs that lose."""
    if daily["difficulty"] is None:
        return ""
    lost = round(daily["difficulty"] * PLAY_OUTS)
    text = ngettext(
        "Without thinking ahead it is lost %(count)s time in %(all)s.",
        "Without thinking ahead it is lost %(count)s times in %(all)s.",
        lost,
    )
    return text % {"count": lost, "all": PLAY_OUTS}


@register.simple_tag
def remaining(until: str, now: str) -> str:
    """The time from one ISO instant to another: `5 h 12 min`, under an hour `12 min 05 s`, then `5 s`."""
    left = dt.datetime.fromisoformat(until) - dt.datetime.fromisoformat(now)
    seconds = max(0, -(-left // dt.timedelta(seconds=1)))
    minutes = seconds // 60
    if minutes >= 60:
        return _("%(hours)s h %(minutes)s min") % {"hours": thousands(minutes // 60), "minutes": f"{minutes % 60:02d}"}
    if minutes:
        return _("%(minutes)s min %(seconds)s s") % {"minutes": minutes, "seconds": f"{seconds % 60:02d}"}
    return _("%(seconds)s s") % {"seconds": seconds}
