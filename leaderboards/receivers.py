"""Listens to the one signal of games."""

from __future__ import annotations

import datetime as dt
from typing import Any

from django.dispatch import receiver

from games.models import Attempt
from games.replica import player_wrote
from games.signals import attempt_finished

from .moderation.tasks import judging_queue
from .services.entries import entry_record


@receiver(attempt_finished, dispatch_uid="leaderboards.entry")
def attempt_finished_enter(sender: Any, *, attempt: Attempt, now: dt.datetime, **kwargs: Any) -> None:
    """Write the board entry in the transaction that writes the result; its player reads no older state from now on."""
    player_wrote(attempt.player_id)
    entry_record(attempt=attempt, now=now)


@receiver(attempt_finished, dispatch_uid="leaderboards.judging")
def attempt_finished_judge(sender: Any, *, attempt: Attempt, **kwargs: Any) -> None:
    """Queue its judgement in that transaction, too."""
    judging_queue(attempt=attempt)
