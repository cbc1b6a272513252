"""What the pages say about rulesets and results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from games.engine.rulesets import Ruleset

_RANKING = {
    "result": "A win beats any loss, then the higher score.",
    "score": "The higher score is better.",
    "cards_left": "Fewer cards left is better, then fewer moves.",
}


def rule_line(ruleset: Ruleset) -> str:
    """The ruleset in a few short sentences."""
    said = ["King and ace are neighbours" if ruleset.joined else "King and ace are apart"]
    said.append("draw only when no card fits" if ruleset.draw_only_when_stuck else "draw at any time")
    if ruleset.faces_up:
        said.append("all cards lie face up")
    if ruleset.waste_starts_empty:
        said.append("any open card may start the empty waste")
    if ruleset.has_joker:
        said.append("the joker fits on any card")
    return f"{'; '.join(said)}. {_RANKING[ruleset.ranking]}"


def outcome_text(attempt: Mapping[str, Any]) -> str:
    """How an attempt ended, by its recorded result where there is one."""
    result = attempt["result"]
    if result is None:
        return {"resigned": "resigned", "expired": "ran out of time"}.get(attempt["outcome"], "not finished")
    left = result["cards_left"]
    return "won" if result["outcome"] == "won" else f"stuck with {left} {'card' if left == 1 else 'cards'} left"
