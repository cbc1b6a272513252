"""Deleting an account: rights, name and every board entry go together (case C15), and what it leaves later."""

from __future__ import annotations

import datetime as dt

from django.db import transaction
from django.db.models import Q

from games.models import Attempt, Player
from games.retry import repeat_once
from games.services.players import deleted_purge, player_delete
from leaderboards.moderation.cases import cases_end
from leaderboards.moderation.retention import accounts_forget, cases_purge, totals_keep
from leaderboards.moderation.roles import not_last_head

from .entries import entries_refresh, players_lock


@repeat_once
def account_delete(*, player_id: int, now: dt.datetime) -> int:
    """Delete an account and its bots: unnamed, signed out everywhere, off every board, in one transaction.

    Locks the open attempts first (a finish that holds one comes wholly before, and its entry goes too), then the
    players with the accounts merged with them, then the boards by id: the order in which a finish takes them. The others
    move up; a record passes to the next in order with its own date (R8.5). Notices, appeals, the words of reports and
    what was judged of links to the account go, too; open cases about the accounts are closed. Returns the number of
    entries that changed.
    Safe to repeat. Raises NotFound, Conflict `last_head` (somebody else is made a head moderator first, by
    `manage.py staff_role`).
    """
    with transaction.atomic(durable=True):
        theirs = Q(player_id=player_id) | Q(player__owner_id=player_id)
        open_attempts = Attempt.objects.select_for_update(of=("self",)).filter(theirs, closed_at=None).order_by("id")
        len(open_attempts.values_list("id"))  # locks them
        bots = Player.objects.filter(owner_id=player_id).values_list("id", flat=True)
        locked = players_lock([player_id, *bots])
        if player_id in locked:
            not_last_head(locked[player_id])
        gone = player_delete(player_id=player_id, now=now)
        changes = entries_refresh(player_ids=gone)
        accounts_forget(player_ids=gone)
        cases_end(player_ids=gone, now=now)
        return len(changes)


def accounts_purge(*, now: dt.datetime) -> int:
    """Delete what accounts deleted settings.DELETED_MOVES_DAYS ago have left: cases with reports, attempts with moves.

    Everybody's totals keep what was counted of them. Returns the number of attempts. Safe to stop and repeat.
    """
    cases_purge(now=now)
    return deleted_purge(now=now, on_purge=totals_keep)
