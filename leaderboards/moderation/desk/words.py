"""What the desk calls things. English only, as all of the desk."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any, Final

from django.utils.text import capfirst

from games.engine.rulesets import RULESETS
from games.models import Attempt, Player

from ..models import Case, ModeratorAction, Notice
from ..selectors import NOT_SIGNALS
from .names import signal_name, time_text

GROUPS: Final = {"moves": "the moves", "time": "the times", "account": "the accounts", "results": "the results"}
KINDS: Final = {"person": "person", "bot": "bot", "guest": "guest"}
CLIENTS: Final = {
    "page_socket": "the site's page",
    "page_rest": "the site's page, without socket",
    "program_socket": "a program, by socket",
    "program_rest": "a program, by REST",
}
DONE: Final = {
    "clear": "cleared",
    "hold": "held",
    "disqualify": "disqualified",
    "reinstate": "reinstated",
    "warn": "warned",
    "ban": "banned",
    "unban": "unbanned",
    "hide": "hidden",
    "show": "shown again",
    "merge": "merged",
    "separate": "separated",
    "revert": "taken back",
    "answer": "appeal answered",
    "dismiss": "case closed",
}
NOTICES: Final = {
    "under_review": "told: under review",
    "cleared": "told: cleared",
    "disqualified": "told: disqualified",
    "reinstated": "told: reinstated",
    "warned": "warned",
    "banned": "told: banned",
    "unbanned": "told: unbanned",
    "hidden": "told: hidden",
    "shown": "told: shown again",
    "merged": "told: accounts merged",
    "separated": "told: accounts separated",
    "answered": "appeal answered",
}


def ruleset_name(letters: str) -> str:
    return RULESETS[letters].name if letters in RULESETS else letters


def listed(parts: list[str]) -> str:
    """`a, b and c`."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}" if parts else ""


def counted(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def why(case: Case) -> str:
    """Why a case is in the queue, as a sentence."""
    signals = [signal_name(reason) for reason in case.reasons if reason not in NOT_SIGNALS]
    parts = []
    if signals:
        held = getattr(case, "excluded", None) == "held"
        parts.append(f"{'Held' if held else 'Flagged'} for {listed(signals)}")
    if case.reports:
        parts.append(f"reported by {counted(case.reports, 'player')}")
    if "appeal" in case.reasons:
        parts.append("appealed")
    return capfirst("; ".join(parts) or "opened by hand") + "."


def state_of(case: Case) -> tuple[str, str]:
    """How a case stands: a word for the style sheet and one to read."""
    excluded = getattr(case, "excluded", None)
    if excluded == "held":
        return "held", "held"
    if excluded == "disqualified":
        return "disqualified", "disqualified"
    if case.closed_at is not None:
        return "closed", "closed"
    if any(reason not in NOT_SIGNALS for reason in case.reasons):
        return "flagged", "flagged"
    return ("reported", "reported") if case.reports else ("open", "open")


def player_name(player: Player | None) -> str:
    """A player for a moderator; None is the judge."""
    if player is None:
        return "the judge"
    if player.deleted_at is not None:
        return "a deleted account"
    return player.name or f"guest {player.public_id[:6]}"


def result_words(attempt: Attempt) -> str:
    """How an attempt came out, by its recorded result."""
    if attempt.result_outcome == "won":
        return f"won with {attempt.result_score} points in {counted(attempt.result_moves or 0, 'move')}"
    if attempt.result_outcome is not None:
        return f"stuck with {counted(attempt.result_cards_left or 0, 'card')} left, {attempt.result_score} points"
    return {"resigned": "resigned", "expired": "ran out of time"}.get(attempt.outcome or "", "no result yet")


def age_words(since: dt.datetime, now: dt.datetime) -> str:
    """`3 minutes`, `5 hours`, `12 days`."""
    seconds = max(0, int((now - since).total_seconds()))
    for size, name in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size * (2 if size == 86_400 else 1):
            return counted(seconds // size, name)
    return "a moment"


# --- evidence ------------------------------------------------------------------------------------------------------

_NOT_FIGURES = {"plies", "attempt", "attempts", "player", "players"}


def evidence_figures(evidence: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The figures of a signal's evidence, in words."""
    return [
        (capfirst(_key_words(key)), _value_words(key, value))
        for key, value in evidence.items()
        if key not in _NOT_FIGURES
    ]


def _key_words(key: str) -> str:
    words = key.replace("_", " ").strip()
    for suffix in (" ms", " share"):
        words = words.removesuffix(suffix)
    return words


def _value_words(key: str, value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        if key.endswith("_ms"):
            return time_text(value)
        if key.endswith("share") and 0 <= value <= 1:
            return f"{100 * value:.0f} %"
        return f"{value:,}" if isinstance(value, int) else f"{value:.3g}"
    if isinstance(value, list | tuple):
        return ", ".join(_value_words(key, each) for each in value[:12]) + (" …" if len(value) > 12 else "")
    if isinstance(value, Mapping):
        return "; ".join(f"{_key_words(name)}: {_value_words(name, each)}" for name, each in value.items())
    return str(value)


# --- actions -------------------------------------------------------------------------------------------------------


def action_words(action: ModeratorAction) -> str:
    """What was done, as a part of a sentence: `disqualified the attempt`."""
    done = DONE[action.kind]
    if action.kind == "revert":
        return f"took back: {DONE[action.reverts.kind]}" if action.reverts else "took back"
    if action.kind in ("clear", "hold", "disqualify", "reinstate"):
        return f"{done} the attempt"
    if action.kind == "dismiss":
        return f"closed the case about the {'attempt' if action.attempt_id else 'player'}"
    return done if action.kind == "answer" else f"{done} the player"


def notice_words(notice: Notice) -> str:
    return NOTICES[notice.kind]


def entry_words(outcome: str, score: int, moves: int, cards_left: int) -> str:
    """An entry of a board: `won, 749 points, 40 moves`."""
    return f"won, {score} points, {moves} moves" if outcome == "won" else f"{cards_left} left, {score} points"


def changes(before: Any, after: Any) -> list[tuple[str, str, str]]:
    """What differs between the states before and after an action: (what, before, after)."""
    old, new = _flat(before), _flat(after)
    keys = [*old, *(key for key in new if key not in old)]
    return [(key, old.get(key, "—"), new.get(key, "—")) for key in keys if old.get(key, "—") != new.get(key, "—")]


_PARTS: Final = {"exclusion": "the attempt", "hidden": "hidden", "merged": "merged", "ban": "ban", "case": "case"}


def _flat(state: Mapping[str, Any]) -> dict[str, str]:
    """A state of `moderation.action_state` as names and words."""
    found = {}
    for name, value in state.items():
        if name == "entries":
            for entry in value:
                where = f"entry of {entry['player']} on {entry['board']} ({entry['kind']}, {entry['view']})"
                found[where] = entry_words(entry["outcome"], entry["score"], entry["moves"], entry["cards_left"])
        elif name != "entries_changed":
            found[_PARTS.get(name, _key_words(name))] = _part_words(name, value)
    return found


def _part_words(name: str, value: Any) -> str:
    if name == "exclusion":
        return f"{value['kind']} since {_instant(value['since'])}" if value else "counts"
    if name == "case":
        return "none" if value is None else f"closed {_instant(value['closed_at'])}" if value["closed_at"] else "open"
    if value is None:
        return "no"
    if name == "hidden":
        return f"since {_instant(value['since'])}"
    if name == "merged":
        return f"second account of {value['main']} since {_instant(value['since'])}"
    if name == "ban":
        until = value.get("banned_until")
        return f"since {_instant(value.get('banned_at'))}, {'until ' + _instant(until) if until else 'for good'}"
    return _value_words(name, value)


def _instant(value: Any) -> str:
    """An ISO instant as people read it."""
    return f"{dt.datetime.fromisoformat(value).astimezone(dt.UTC):%d %b %Y, %H:%M:%S}" if value else "then"
