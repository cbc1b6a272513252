"""A moderator plays, too: the cards of a daily that is still sealed are not shown to one who could use them (R8.1)."""

from __future__ import annotations

import datetime as dt

from django.db.models import Q

from games.models import Attempt, DealExposure, Player
from games.selectors.attempts import progress_of
from games.services.exposure import exposure_record


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
