"""Signals about accounts that may be one person's, or are: who saw these cards before, and how that ended."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from games.engine.moves import DRAW

from .evidence import Evidence, Line, Link
from .signals import Signal, points_of

SEEN: Final = 10
"""Of ten attempts in which somebody of the same network or browser has played the deal before, nine are a household's."""


def _look(line: Line, ended: str) -> bool:
    """Whether an attempt looks like a look at the cards: given up, or drawn through with little removed."""
    draws = sum(move == DRAW for move in line.log)
    removes = sum(move < DRAW for move in line.log)
    return ended in ("resigned", "expired") or (draws >= 15 and removes <= 10)


def _own(evidence: Evidence, link: Link) -> bool:
    """A bot and its owner: one person for certain. Two bots of one owner show nobody anything that owner had not."""
    return link.same_owner and (link.kind == "bot") != (evidence.subject.kind == "bot")


def _before(evidence: Evidence) -> list[tuple[Link, Line]]:
    started = evidence.line.started_ms
    return [
        (link, link.line)
        for link in evidence.links
        if link.line is not None
        and link.line.ended_ms <= started
        and (_own(evidence, link) or (link.near and not link.same_owner))
    ]


def deal_seen(evidence: Evidence) -> Signal | None:
    """An account of the same network or browser, or the other of a bot and its owner from wherever, has played these very
    cards before (sealed deals; open ones anybody may study).
    """
    found = _before(evidence)
    if not evidence.sealed or not found:
        return None
    link, line = max(
        found,
        key=lambda each: (
            _look(each[1], each[0].line_ended),
            each[0].kind == "guest",
            each[0].same_owner,
            each[1].ended_ms,
        ),
    )
    points = SEEN
    who, innocent = _told(link)
    reasons = [f"{who} had played these cards before this attempt began"]
    if _look(line, link.line_ended):
        points += 6
        reasons.append("and gave up or only turned cards over")
    if link.kind == "guest":
        points += 4
        reasons.append("as a guest, which anybody can be again and again")
    return Signal(
        "deal_seen",
        "account",
        points_of(points),
        f"{', '.join(reasons)}. {innocent}: by itself it says little.",
        {
            "attempt_id": line.attempt_id,
            "player_id": link.player_id,
            "ended": link.line_ended,
            "minutes_before": round((evidence.line.started_ms - line.ended_ms) / 60_000, 1),
        },
    )


def _told(link: Link) -> tuple[str, str]:
    """Who has seen the cards, and why that may be no more than chance."""
    if not link.same_owner:
        innocent = "Families, schools and mobile networks share addresses, some a browser, too"
        return f"An account that used the same {link.shared}", innocent
    if link.kind == "bot":
        return "The player's own bot", "A program may play every daily without its owner looking"
    return "The bot's owner", "A program may play on without being told anything"


def linked_accounts(evidence: Evidence) -> Signal | None:
    """Two accounts of one network or browser that keep playing the same dailies one after the other, always in this order."""
    found = [link for link in evidence.links if link.near and not link.same_owner and link.dailies_both >= 4]
    if not evidence.sealed or not found:
        return None
    link = max(found, key=lambda each: _one_way(each))
    points = _one_way(link)
    if points < 5:
        return None
    return Signal(
        "linked_accounts",
        "account",
        points_of(points),
        f"Of {link.dailies_both} dailies that both accounts of one {link.shared} played, this one started after the other had "
        f"ended in {link.dailies_after}. One person with two accounts does so; so may two with one telephone.",
        {"player_id": link.player_id, "both": link.dailies_both, "after": link.dailies_after},
    )


def _one_way(link: Link) -> float:
    """Two people would take turns at random: how unlikely so many in this order are, 12 decibans at most."""
    both = link.dailies_both
    chance = sum(math.comb(both, after) for after in range(link.dailies_after, both + 1)) / 2**both
    return min(12.0, -10 * math.log10(chance))


def given_up(evidence: Evidence) -> Signal | None:
    """Starts at these cards that were given up before the one that counts."""
    linked, own = evidence.retries.linked_given_up, evidence.retries.own_given_up
    # Own repeats at open cards are allowed, and their number is on the board (R8.1).
    points = (6.0 if evidence.sealed else 4.0) * min(3, linked)
    if points < 5:
        return None
    return Signal(
        "given_up",
        "account",
        points_of(points),
        f"{linked} attempts at these cards from the same network or browser were given up before this one. Somebody may have looked "
        "for the good start of a deal; somebody else may just not have liked it.",
        {"linked": linked, "own": own},
    )


def account_signals(evidence: Evidence) -> Sequence[Signal | None]:
    return deal_seen(evidence), linked_accounts(evidence), given_up(evidence)
