"""A moderator plays, too: the cards of a daily that is still sealed are not shown to one who could use them (R8.1), and
what the solver makes of its moves to nobody."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any, Final

from django.db.models import Q

from games.models import Attempt, DealExposure, Player
from games.selectors.attempts import progress_of
from games.services.exposure import exposure_record

from ..models import Judgement

LATER: Final = "What was found in the moves is shown here once the deal is published."
_OTHERS: Final = ("attempt", "attempts", "player")
"""Whom a signal speaks of beside the player: nothing about the cards."""


def _accounts(moderator: Player) -> list[int]:
    """The moderator's own and those of the moderator's bots."""
    own = Q(pk=moderator.pk) | Q(owner=moderator)
    return list(Player.objects.filter(own, deleted_at=None).order_by("id").values_list("pk", flat=True))


def would_spoil(moderator: Player, attempt: Attempt, now: dt.datetime) -> bool:
    """Whether the moderator (or a bot) could still play these cards for a rank: sealed, neither exposed nor played."""
    if attempt.sealed_until is None or attempt.sealed_until <= now:
        return False
    accounts = set(_accounts(moderator))
    exposed = DealExposure.objects.filter(player__in=accounts, deal=attempt.deal_id).values_list("player", flat=True)
    played = Attempt.objects.filter(player__in=accounts, competition_key=attempt.competition_key)
    over = {row.player_id for row in played if progress_of(row, now).closed}
    return bool(accounts - set(exposed) - over)


def spoil(moderator: Player, attempt: Attempt, now: dt.datetime) -> None:
    """From now on the moderator and the moderator's bots play these cards as practice.

    Safe to repeat. Raises Conflict `finish_first` while one of them plays them for a rank.
    """
    for player_id in _accounts(moderator):
        exposure_record(player_id=player_id, deal_id=attempt.deal_id, now=now)


def keep_back(judgements: Sequence[Judgement], attempt: Attempt, now: dt.datetime) -> None:
    """Take out of these rows, unsaved, what the signals of the moves tell of a deal that is still sealed (R10.1).

    Which unobvious moves were right comes from the hidden cards: of such a signal its name and points stay, until the
    seal ends also for a moderator who has given up these cards.
    """
    if attempt.sealed_until is not None and attempt.sealed_until > now:
        for row in judgements:
            row.signals = [_without_details(signal) if signal["group"] == "moves" else signal for signal in row.signals]


def _without_details(signal: dict[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in signal["evidence"].items() if key in _OTHERS}
    return {**signal, "explanation": LATER, "evidence": kept}
