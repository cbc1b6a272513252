"""What the pages say about how an attempt ended and what the solver makes of it, in the visitor's language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games.engine.rulesets import Ruleset


def outcome_text(attempt: Mapping[str, Any]) -> str:
    """How an attempt ended, by its recorded result where there is one."""
    result = attempt["result"]
    if result is None:
        ends = {"resigned": _("resigned"), "expired": _("ran out of time")}
        return ends.get(attempt["outcome"], _("not finished"))
    if result["outcome"] == "won":
        return _("won")
    left = result["cards_left"]
    return ngettext("stuck with %(count)s card left", "stuck with %(count)s cards left", left) % {"count": left}


def accuracy_text(accuracy: float) -> str:
    """Whole per cent, rounded down: only a perfect game has 100 %."""
    return percent_text(int(accuracy * 100 + 1e-9))


def percent_text(percent: int) -> str:
    """`64 %`, with the room that the language leaves there."""
    return _("%(count)s %%") % {"count": percent}


def moves_text(count: int) -> str:
    """`40 moves`."""
    return ngettext("%(count)s move", "%(count)s moves", count) % {"count": count}


def best_text(best: Mapping[str, Any], ruleset: Ruleset) -> str:
    """A result that was possible, as standings say results: `Won · 760`, `3 left · 652`."""
    left = best["cards_left"]
    end = _("Won") if best["outcome"] == "won" else ngettext("%(count)s left", "%(count)s left", left) % {"count": left}
    return f"{end} · {moves_text(best['moves']) if ruleset.scoring == 'cards_left' else best['score']}"


def cost_text(cost: Mapping[str, Any]) -> str:
    """What a move cost: `Cost 12 points`."""
    amount = cost["amount"]
    if amount is None:
        return _("Lost the win") if cost["of"] == "win" else _("Came too late")
    words = {
        "peaks": ngettext("Cost %(count)s peak", "Cost %(count)s peaks", amount),
        "cards": ngettext("Cost %(count)s card", "Cost %(count)s cards", amount),
        "points": ngettext("Cost %(count)s point", "Cost %(count)s points", amount),
        "moves": ngettext("Cost %(count)s move", "Cost %(count)s moves", amount),
    }
    return words[cost["of"]] % {"count": amount}


def verdict(found: Mapping[str, Any], ruleset: Ruleset) -> str:
    """An analysis in one or two sentences; where the win was lost is said beside it, with a link."""
    first, last = found["plies"][0], found["plies"][-1]
    outcome = found["attempt"]["outcome"]
    if not found["moves"]:
        if not first["winnable"]:
            return _("No move was made. This deal cannot be won.")
        draws = first["fewest_draws"]
        return ngettext(
            "No move was made. The deal can be won with %(count)s draw.",
            "No move was made. The deal can be won with %(count)s draws.",
            draws,
        ) % {"count": draws}
    if not first["winnable"]:
        best = outcome == "stuck" and not found["costly"]
        return _("This deal cannot be won, and no line does better.") if best else _("This deal cannot be won.")
    if outcome == "won":
        return _("A perfect game: no line does better.") if not found["costly"] else _won_text(found, ruleset)
    if last["winnable"]:
        draws = last["fewest_draws"]
        if not draws:
            return _("The win was still there at the end, with no further draw.")
        return ngettext(
            "The win was still there at the end, with %(count)s more draw.",
            "The win was still there at the end, with %(count)s more draws.",
            draws,
        ) % {"count": draws}
    return _("The log was full before the game could end.") if last["best"] is None else ""


def _won_text(found: Mapping[str, Any], ruleset: Ruleset) -> str:
    """Of a win that was not the best there was: what it came to, and what it could have."""
    result, best = found["attempt"]["result"], found["plies"][0]["best"]
    needed = ngettext("%(count)s move would do.", "%(count)s moves would do.", best["moves"]) % {"count": best["moves"]}
    if ruleset.scoring == "cards_left":
        said = ngettext("Won in %(count)s move.", "Won in %(count)s moves.", result["moves"]) % {
            "count": result["moves"]
        }
        return f"{said} {needed}"
    if result["score"] != best["score"]:
        return _("Won with %(score)s; %(best)s was possible.") % {"score": result["score"], "best": best["score"]}
    return " ".join([_("Won with %(score)s, the most there is.") % {"score": best["score"]}, needed])
