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


# --- analysis ------------------------------------------------------------------------------------------------------


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def accuracy_text(accuracy: float) -> str:
    """Whole per cent, rounded down: only a perfect game has 100 %."""
    return f"{int(accuracy * 100 + 1e-9)} %"


def best_text(best: Mapping[str, Any], ruleset: Ruleset) -> str:
    """A result that was possible, as standings say results: `Won · 760`, `3 left · 652`."""
    end = "Won" if best["outcome"] == "won" else f"{best['cards_left']} left"
    return f"{end} · {_count(best['moves'], 'move')}" if ruleset.scoring == "cards_left" else f"{end} · {best['score']}"


def cost_text(cost: Mapping[str, Any]) -> str:
    """What a move cost: `Cost 12 points`."""
    amount = cost["amount"]
    if amount is None:
        return "Lost the win" if cost["of"] == "win" else "Came too late"
    return f"Cost {_count(amount, cost['of'].removesuffix('s'))}"


def verdict(found: Mapping[str, Any], ruleset: Ruleset) -> str:
    """An analysis in one or two sentences; where the win was lost is said beside it, with a link."""
    first, last = found["plies"][0], found["plies"][-1]
    outcome = found["attempt"]["outcome"]
    if not found["moves"]:
        if not first["winnable"]:
            return "No move was made. This deal cannot be won."
        return f"No move was made. The deal can be won with {_count(first['fewest_draws'], 'draw')}."
    if not first["winnable"]:
        best = outcome == "stuck" and not found["costly"]
        return "This deal cannot be won, and no line does better." if best else "This deal cannot be won."
    if outcome == "won":
        return "A perfect game: no line does better." if not found["costly"] else _won_text(found, ruleset)
    if last["winnable"]:
        draws = _count(last["fewest_draws"], "more draw") if last["fewest_draws"] else "no further draw"
        return f"The win was still there at the end, with {draws}."
    return "The log was full before the game could end." if last["best"] is None else ""


def _won_text(found: Mapping[str, Any], ruleset: Ruleset) -> str:
    """Of a win that was not the best there was: what it came to, and what it could have."""
    result, best = found["attempt"]["result"], found["plies"][0]["best"]
    moves = _count(best["moves"], "move")
    if ruleset.scoring == "cards_left":
        return f"Won in {result['moves']}; {moves} would do."
    if result["score"] != best["score"]:
        return f"Won with {result['score']}; {best['score']} was possible."
    return f"Won with {best['score']}, the most there is; {moves} would do."
