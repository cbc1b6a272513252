"""People around a decision: who decides, and what is decided, through the services."""

from __future__ import annotations

import datetime as dt
from typing import Any

from django.contrib.auth.models import Group

from games import clock
from games.models import Attempt, Player
from leaderboards.moderation.actions import attempt_disqualify, attempt_hold, player_ban, player_warn
from leaderboards.moderation.models import ModeratorAction
from tests.factories import SignedIn, credential, person
from tests.leaderboards.cast import EASY, finish

WHY: dict[str, Any] = {
    "reason_class": "copied",
    "reason": "The same forty moves as bob.",
    "words": "Please play your own.",
}


def staff(name: str, role: str = "head") -> Player:
    """An account with a role at the desk."""
    made = person(name, is_staff=True)
    made.groups.add(Group.objects.get(name=role))
    return made


def player(name: str) -> SignedIn:
    """A person signed in."""
    return credential(person(name))


def result(who: Player, score: int = 700, *, code: str = EASY) -> Attempt:
    """A public result of theirs."""
    return finish(who, score, code=code, at=clock.now())


def disqualified(attempt: Attempt, by: Player) -> ModeratorAction:
    return attempt_disqualify(attempt_id=attempt.public_id, moderator_id=by.pk, now=clock.now(), **WHY)


def held(attempt: Attempt) -> ModeratorAction:
    """By the judge alone."""
    from django.db import transaction

    with transaction.atomic():
        return attempt_hold(attempt_id=attempt.public_id, moderator_id=None, now=clock.now(), **WHY)


def warned(whom: Player, by: Player) -> ModeratorAction:
    return player_warn(player_id=whom.public_id, moderator_id=by.pk, now=clock.now(), **WHY)


def banned(whom: Player, by: Player, until: dt.datetime | None = None) -> ModeratorAction:
    return player_ban(player_id=whom.public_id, moderator_id=by.pk, until=until, now=clock.now(), **WHY)
