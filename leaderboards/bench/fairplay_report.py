"""What the judge made of a simulated season: shares by kind, signals, bounds, targets."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean, median
from typing import Any, Final

from .fairplay_cast import CHEATS, SHORT
from .fairplay_figures import Share, careers, most_found
from .fairplay_players import STRENGTHS
from .fairplay_season import Tried

AFTER: Final = (1, 5, 10, 20)
FALSE: Final = 0.001
"""Honest attempts that may be flagged."""


Likelier = Mapping[str, Sequence[Sequence[float]]]
UNAWARE: Final = "one attempt, 1 in 1,000, player and source unknown"


def report(tried: Sequence[Tried], likelier: Likelier, unaware: Likelier, *, seed: int) -> dict[str, Any]:
    """Everything that the same seed gives again; `cost` is apart, for it does not."""
    by_kind: dict[str, list[Tried]] = defaultdict(list)
    for one in tried:
        by_kind[one.kind].append(one)
    kinds = {kind: _kind(by_kind[kind]) for kind in (*STRENGTHS, "bot", *CHEATS) if kind in by_kind}
    people = [one for one in tried if one.honest and one.kind != "bot"]
    bounds = _bounds(likelier, unaware, seed)
    return {
        "kinds": kinds,
        "false flags": _false_flags(people),
        "signals": {kind: _signals(by_kind[kind]) for kind in kinds},
        "copies by moves that differ": _by_changes(by_kind),
        "most that the moves allow": {name: f"{share:.1%}" for name, share in bounds.items()},
        "targets": _targets(by_kind, people, bounds),
    }


def caught(one: Tried) -> bool:
    return one.verdict != "nothing"


def _share(test: Callable[[Tried], bool], of: Iterable[Tried]) -> Share:
    found = [test(one) for one in of]
    return Share(sum(found), len(found))


def after(tried: Sequence[Tried], attempts: int, test: Callable[[Tried], bool] = caught) -> Share:
    """Of the players with so many attempts, those caught in any of the first so many."""
    long = {one.player_id for one in tried if one.planned >= attempts}
    found = {one.player_id for one in tried if one.number <= attempts and one.player_id in long and test(one)}
    return Share(len(found), len(long))


def _held(one: Tried) -> bool:
    return one.verdict == "hold"


def _kind(tried: Sequence[Tried]) -> dict[str, Any]:
    players = len({one.player_id for one in tried})
    longest = max(one.planned for one in tried)
    figures: dict[str, Any] = {"players": players, "attempts": len(tried)}
    for attempts in sorted({one for one in AFTER if one < longest} | {min(longest, AFTER[-1])}):
        figures[f"players caught by {attempts}"] = str(after(tried, attempts))
    figures["players held"] = str(after(tried, longest, _held))
    if tried[0].honest:
        figures["attempts caught"] = str(_share(caught, tried))
    return figures


def _signals(tried: Sequence[Tried]) -> str:
    """How many attempts each signal said something of, and how many of those were flagged or held."""
    fired: Counter[str] = Counter()
    flagged: Counter[str] = Counter()
    for one in tried:
        for name, _, points in one.signals:
            if points > 0:
                fired[name] += 1
                flagged[name] += caught(one)
    return ", ".join(f"{name} {count} ({flagged[name]})" for name, count in sorted(fired.items())) or "none"


def groups(one: Tried) -> set[str]:
    """The kinds of independent evidence that an attempt has."""
    return {group for _, group, points in one.signals if points > 0}


def _false_flags(people: Sequence[Tried]) -> dict[str, Any]:
    by_rhythm: dict[str, list[Tried]] = defaultdict(list)
    for one in people:
        by_rhythm[one.rhythm].append(one)
    figures = {"all people": str(_share(caught, people))}
    figures |= {f"rhythm {name}": str(_share(caught, some)) for name, some in sorted(by_rhythm.items())}
    figures["behind a shared network"] = str(_share(caught, (one for one in people if one.home)))
    reasons: Counter[str] = Counter()
    for one in people:
        if caught(one):
            strongest = max(one.signals, key=lambda signal: signal[2], default=("nothing", "", 0))
            reasons[f"{one.kind}, {one.rhythm}: {strongest[0]}"] += 1
    figures |= {f"flagged {what}": str(count) for what, count in reasons.most_common(12)}
    held = [one for one in people if _held(one)]
    figures["held"] = str(len(held))
    figures["held by one group alone"] = str(sum(len(groups(one)) < 2 for one in held))
    return figures


def _by_changes(by_kind: dict[str, list[Tried]]) -> dict[str, Any]:
    found = {}
    for kind in ("copied leak", "copied honest line"):
        for changed in (0, 1, 2, 3):
            some = [one for one in by_kind[kind] if one.number == 1 and min(one.changed, 3) == changed]
            found[f"{kind}, {changed}{'+' if changed == 3 else ''}"] = str(_share(caught, some))
    return found


def _bounds(likelier: Likelier, unaware: Likelier, seed: int) -> dict[str, float]:
    """What an observer finds who knows the cheat's way of play and its honest self's to the last number.

    For copies also one who knows the population only. That bound is a judge's: none can know who sits there.
    """
    bounds = {}
    for kind, attempts in (("full foreknowledge", 10), ("partial foreknowledge", 20), ("second account", 20)):
        whole = careers(likelier.get(kind, ()), attempts=attempts, seed=seed)
        if whole:
            bounds[f"{kind}, {attempts} dailies, 1 in 1,000 players"] = most_found(whole, FALSE)
            bounds[f"{kind}, {attempts} dailies, 1 in 1,000 attempts"] = most_found(whole, FALSE * attempts)
    for kind in ("copied leak", "copied honest line"):
        bounds[f"{kind}, one attempt, 1 in 1,000"] = most_found(
            [one for daily in likelier.get(kind, ()) for one in daily], FALSE
        )
        bounds[f"{kind}, {UNAWARE}"] = most_found([one for daily in unaware.get(kind, ()) for one in daily], FALSE)
    return bounds


def _targets(
    by_kind: dict[str, list[Tried]], people: Sequence[Tried], bounds: dict[str, float]
) -> dict[str, dict[str, Any]]:
    false = _share(caught, people)
    held = [one for one in (*people, *by_kind["bot"]) if _held(one)]
    alone = sum(len(groups(one)) < 2 for one in held)
    targets: dict[str, dict[str, Any]] = {
        "honest attempts flagged, at most 0.1%": _target(false, false.hits <= FALSE * false.of),
        "honest held without two independent signals, none": {
            "found": f"{alone} of {len(held)} held",
            "is": "ok" if not alone else "missed",
        },
    }
    if by_kind["bot"]:
        bots = _share(caught, by_kind["bot"])
        targets["bots' attempts flagged, at most 0.1%"] = _target(bots, bots.hits <= FALSE * bots.of)
    for kind, attempts, least in (("full foreknowledge", 10, 0.95), ("partial foreknowledge", 20, 0.60)):
        found = after(by_kind[kind], attempts)
        bound = bounds.get(f"{kind}, {attempts} dailies, 1 in 1,000 attempts")
        targets[f"{kind} within {attempts}, {least:.0%}"] = _target(found, _reached(found, least), least, bound)
    for kind in sorted(SHORT):
        at_once = after(by_kind[kind], 1)
        bound = bounds.get(f"{kind}, {UNAWARE}")
        targets[f"{kind} at once, 99%"] = _target(at_once, _reached(at_once, 0.99), 0.99, bound)
    return targets


def _reached(found: Share, least: float) -> bool | None:
    return found.hits >= least * found.of if found.of else None


def _target(found: Share, reached: bool | None, least: float = 0.0, bound: float | None = None) -> dict[str, Any]:
    """ok, missed, too short (no player has played so many), or beyond the moves (the bound is below the target)."""
    if reached is None:
        word = "too short"
    elif reached:
        word = "ok"
    else:
        word = "beyond the moves" if bound is not None and bound < least else "missed"
    told: dict[str, Any] = {"found": str(found), "is": word}
    if bound is not None:
        told["moves allow at most"] = f"{bound:.1%}"
    return told


def cost(tried: Sequence[Tried], target_ms: float = 50.0) -> dict[str, Any]:
    """CPU milliseconds of a judgement."""
    times = sorted(one.cpu_ns / 1e6 for one in tried)
    middle = median(times)
    return {
        "judgements": len(times),
        "p50_ms": round(middle, 2),
        "p95_ms": round(times[len(times) * 95 // 100], 2),
        "worst_ms": round(times[-1], 2),
        "mean_ms": round(fmean(times), 2),
        "mean_ms_by_kind": {
            kind: round(fmean(one.cpu_ns / 1e6 for one in tried if one.kind == kind), 1)
            for kind in sorted({one.kind for one in tried})
        },
        "target_p50_ms": target_ms,
        "is": "ok" if middle <= target_ms else "missed",
    }
