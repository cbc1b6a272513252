"""Words and figures of the pages; the page's scripts say the same (static/leaderboards/js/rows.js)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from games.engine.rulesets import find_ruleset
from games.solver.playouts import PLAY_OUTS

register = template.Library()

_RANKS = {
    "A": "ace", "2": "two", "3": "three", "4": "four", "5": "five", "6": "six", "7": "seven", "8": "eight", "9": "nine",
    "T": "ten", "J": "jack", "Q": "queen", "K": "king",
}  # fmt: skip
_SUITS = {"C": ("clubs", "♣"), "D": ("diamonds", "♦"), "H": ("hearts", "♥"), "S": ("spades", "♠")}


def card_name(text: str) -> str:
    """`"TD"` is `"ten of diamonds"`."""
    return "joker" if text == "XX" else f"{_RANKS[text[0]]} of {_SUITS[text[1]][0]}"


@register.simple_tag
def card(text: str) -> SafeString:
    """A small card: its face for the eye, its name for a screen reader."""
    if text == "XX":
        return format_html(
            '<span class="card joker"><span aria-hidden="true">★</span><span class="hidden-text">joker</span></span>'
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
def result_text(row: Mapping[str, Any]) -> str:
    """`Won`, or how many tableau cards were left."""
    return "Won" if row["outcome"] == "won" else f"{row['cards_left']} left"


@register.filter
def duration(milliseconds: int) -> str:
    """Whole seconds: `1:12`, `1:02:03`; of quick bots also hundredths: `0.42 s`."""
    if milliseconds < 10_000:
        return f"{milliseconds // 1000}.{milliseconds % 1000 // 10:02d} s"
    minutes, seconds = divmod(milliseconds // 1000, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{seconds:02d}" if hours else f"{minutes}:{seconds:02d}"


@register.filter
def thousands(number: int) -> str:
    """`50,000`."""
    return f"{number:,}"


@register.filter
def iso_day(instant: str | None) -> str:
    """`29 Nov 2026` of an ISO instant in UTC."""
    if not instant:
        return ""
    day = dt.datetime.fromisoformat(instant).astimezone(dt.UTC)
    return f"{day.day} {day:%b %Y}"


@register.filter
def counts_text(counts: Mapping[str, int]) -> str:
    """`312 playing · 1,204 finished`."""
    return f"{counts['playing']:,} playing · {counts['finished']:,} finished"


@register.filter
def players_text(counts: Mapping[str, int]) -> str:
    """`1 player`, `1,204 players`: of a board without a clock, where nobody counts as playing."""
    players = counts["players"]
    return "1 player" if players == 1 else f"{players:,} players"


@register.filter
def best_text(daily: Mapping[str, Any]) -> str:
    """`771 in 29 moves`: the exact best result of a final daily, by its ruleset's score."""
    best = daily["best"]
    if find_ruleset(daily["ruleset"]).scoring == "cards_left":
        return f"won in {best['moves']} moves"  # dailies can be won: no card is left
    return f"{best['score']} in {best['moves']} moves"


@register.filter
def difficulty_text(daily: Mapping[str, Any]) -> str:
    """`Without thinking ahead it is lost 81 times in 100.`: the share of simple play-outs that lose."""
    if daily["difficulty"] is None:
        return ""
    return f"Without thinking ahead it is lost {round(daily['difficulty'] * PLAY_OUTS)} times in {PLAY_OUTS}."


@register.simple_tag
def remaining(until: str, now: str) -> str:
    """The time from one ISO instant to another: `5 h 12 min`, under an hour `12 min 05 s`, then `5 s`."""
    left = dt.datetime.fromisoformat(until) - dt.datetime.fromisoformat(now)
    seconds = max(0, -(-left // dt.timedelta(seconds=1)))
    minutes = seconds // 60
    if minutes >= 60:
        return f"{minutes // 60} h {minutes % 60:02d} min"
    return f"{minutes} min {seconds % 60:02d} s" if minutes else f"{seconds} s"
