"""Names of signals and ways to write a time: what both the drawings and the words of the desk use."""

from __future__ import annotations

from typing import Final

SIGNALS: Final = {
    "machine_speed": "machine speed",
    "even_rhythm": "an even rhythm",
    "copied_pace": "a copied pace",
    "same_line": "another's line",
    "foreknowledge": "foreknowledge",
    "foreknowledge_over_time": "foreknowledge over time",
    "too_good": "too good over time",
    "linked_accounts": "linked accounts",
    "deal_seen": "a deal seen before",
    "given_up": "attempts given up before",
}


def signal_name(name: str) -> str:
    """A signal, or any reason of a case, in words."""
    return SIGNALS.get(name) or {"report": "reported", "appeal": "appealed"}.get(name) or name.replace("_", " ")


def time_text(milliseconds: float) -> str:
    """`0.31 s`, `12 s`, `3 min 05 s`, `2 h 10 min`."""
    seconds = milliseconds / 1000
    if seconds < 10:
        return f"{seconds:.2f} s"
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, left = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {left:02d} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min"
