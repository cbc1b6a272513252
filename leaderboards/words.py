"""What the pages say about results; about rulesets see `ruleset_words`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games.engine.rulesets import Ruleset

from .ruleset_words import rule_line as rule_line
from .templatetags.tripeaks import counted, result_text


def outcome_text(attempt: Mapping[str, Any]) -> str:
    """How an attempt ended, by its recorded result where there is one."""
    result = attempt["result"]
    if result is None:
        return {"resigned": _("resigned"), "expired": _("ran out of time")}.get(attempt["outcome"], _("not finished"))
    left = result["cards_left"]
    if result["outcome"] == "won":
        return _("won")
    return counted(left, ngettext("stuck with %(count)s card left", "stuck with %(count)s cards left", left))


# --- analysis ------------------------------------------------------------------------------------------------------


def moves_text(moves: int) -> str:
    """`1 move`, `1,204 moves`."""
    return counted(moves, ngettext("%(count)s move", "%(count)s moves", moves))


def accuracy_text(accuracy: float) -> str:
    """Whole per cent, rounded down: only a perfect game has 100 %."""
    return _("%(count)s %%") % {"count": int(accuracy * 100 + 1e-9)}


def best_text(best: Mapping[str, Any], ruleset: Ruleset) -> str:
    """A result that was possible, as standings say results: `Won · 760`, `3 left · 652`."""
    shown = moves_text(best["moves"]) if ruleset.scoring == "cards_left" else str(best["score"])
    return f"{result_text(best)} · {shown}"


def cost_text(cost: Mapping[str, Any]) -> str:
    """What a move cost: `Cost 12 points`."""
    amount = cost["amount"]
    if amount is None:
        return _("Lost the win") if cost["of"] == "win" else _("Came too late")
    texts = {
        "peaks": ngettext("Cost %(count)s peak", "Cost %(count)s peaks", amount),
        "points": ngettext("Cost %(count)s point", "Cost %(count)s points", amount),
        "cards": ngettext("Cost %(count)s card", "Cost %(count)s cards", amount),
        "moves": ngettext("Cost %(count)s move", "Cost %(count)s moves", amount),
    }
    return counted(amount, texts[cost["of"]])


def verdict(found: Mapping[str, Any], ruleset: Ruleset) -> str:
    """An analysis in one or two sentences; where the win was lost is said beside it, with a link."""
    first, last = found["plies"][0], found["plies"][-1]
    outcome = found["attempt"]["outcome"]
    if not found["moves"]:
        if not first["winnable"]:
            return _("No move was made. This deal cannot be won.")
        draws = first["fewest_draws"]
        text = ngettext(
            "No move was made. The deal can be won with %(count)s draw.",
            "No move was made. The deal can be won with %(count)s draws.",
            draws,
        )
        return counted(draws, text)
    if not first["winnable"]:
        best = outcome == "stuck" and not found["costly"]
        return _("This deal cannot be won, and no line does better.") if best else _("This deal cannot be won.")
    if outcome == "won":
        return _("A perfect game: no line does better.") if not found["costly"] else _won_text(found, ruleset)
    if last["winnable"]:
        draws = last["fewest_draws"]
        if not draws:
            return _("The win was still there at the end, with no further draw.")
        text = ngettext(
            "The win was still there at the end, with %(count)s more draw.",
            "The win was still there at the end, with %(count)s more draws.",
            draws,
        )
        return counted(draws, text)
    return _("The log was full before the game could end.") if last["best"] is None else ""


def _won_text(found: Mapping[str, Any], ruleset: Ruleset) -> str:
    """Of a win that was not the best there was: what it came to, and what it could have."""
    result, best = found["attempt"]["result"], found["plies"][0]["best"]
    needed = best["moves"]
    if ruleset.scoring == "cards_left":
        text = ngettext(
            "Won in %(moves)s; %(count)s move would do.", "Won in %(moves)s; %(count)s moves would do.", needed
        )
        return text % {"moves": result["moves"], "count": needed}
    if result["score"] != best["score"]:
        return _("Won with %(score)s; %(best)s was possible.") % {"score": result["score"], "best": best["score"]}
    text = ngettext(
        "Won with %(score)s, the most there is; %(count)s move would do.",
        "Won with %(score)s, the most there is; %(count)s moves would do.",
        needed,
    )
    return text % {"score": best["score"], "count": needed}
