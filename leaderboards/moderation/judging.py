"""Judging attempts: each end once by each version of the signals, its effects in the same transaction."""

from __future__ import annotations

import datetime as dt
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Protocol

from django.db import connection, transaction

from games.models import Attempt, Player
from games.retry import repeat_once

from . import verdict
from .actions import attempt_hold
from .cases import case_raise
from .effects import Follows, what_follows
from .evidence import Evidence
from .gather import Known, evidence_of
from .lines import Fields, lines_of
from .models import Judgement
from .shuffles import Care, Studied, study
from .signals import VERSION, Signal
from .verdict import Judged

LOCK_SECONDS: Final = 10
"""A judgement waits no longer for the locks of others: the task is tried again later."""

CAREFUL: Final = 60
"""So many of the newest attempts of a career are looked at with care, where that decides."""

_FIELDS: Final = Fields()


class Judge(Protocol):
    """`verdict.judge`, or another one in its place."""

    def __call__(self, evidence: Evidence, *, confirm: Callable[[Care], Sequence[Studied]]) -> Judged: ...


def attempt_judge(
    *,
    attempt_id: int,
    ply: int,
    now: dt.datetime,
    judge: Judge = verdict.judge,
    version: int = VERSION,
    fields: Fields = _FIELDS,
) -> Judgement | None:
    """Judge an attempt as it ended at `ply`; the row is there once for all repeats, and so are its effects.

    None when there is nothing to judge: practice, a deleted account, moves that are gone. The evidence is gathered and
    judged before any lock is taken; then, in one transaction under the attempt's lock, the row is written, and a case
    is raised or the attempt held. Locks: the attempt, then those of `case_raise` and `attempt_hold`.
    """
    return attempt_judge_told(attempt_id=attempt_id, ply=ply, now=now, judge=judge, version=version, fields=fields)[0]


@repeat_once
def attempt_judge_told(
    *, attempt_id: int, ply: int, now: dt.datetime, judge: Judge, version: int, fields: Fields
) -> tuple[Judgement | None, Follows | None]:
    """`attempt_judge`, and what has followed; None where the row was there already."""
    known = Judgement.objects.filter(attempt_id=attempt_id, ply=ply, version=version)
    found = known.first()
    if found is not None:
        return found, None
    attempt = Attempt.objects.select_related("player", "deal").filter(pk=attempt_id).first()
    judged = None if attempt is None else judgement_of(attempt=attempt, ply=ply, judge=judge, fields=fields)
    if judged is None:
        return None, None
    with transaction.atomic(durable=True):
        with connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL lock_timeout = '{LOCK_SECONDS}s'")
        locked = (
            Attempt.objects.select_for_update(of=("self",), no_key=True)
            .select_related("player")
            .filter(pk=attempt_id)
            .first()
        )
        found = known.first()
        if locked is None or found is not None:
            return found, None
        follows = what_follows(attempt=locked, ply=ply, verdict=judged.verdict, reasons=reasons_of(judged))
        row = Judgement.objects.create(
            attempt_id=attempt_id,
            ply=ply,
            version=version,
            verdict=judged.verdict,
            points=judged.points,
            signals=signals_json(judged.signals),
            knowledge=list(judged.knowledge),
            judged_at=now,
        )
        _act(locked, judged, follows, version, now)
    return row, follows


def judgement_of(
    *,
    attempt: Attempt,
    ply: int,
    judge: Judge = verdict.judge,
    fields: Fields = _FIELDS,
    earlier: Mapping[int, Known] | None = None,
) -> Judged | None:
    """What the signals say of an attempt (with its player and deal); nothing is written. None as `attempt_judge`."""
    at_stake = attempt.ranked or attempt.competition_key is not None
    if not at_stake or ply == 0 or attempt.player.deleted_at is not None:
        return None
    with evidence_of(attempt=attempt, ply=ply, fields=fields, judged=earlier) as gathered:
        if gathered is None:
            return None

        def confirm(care: Care) -> list[Studied]:
            gathered.release()  # the last question asked, and seconds long: others may judge by the field meanwhile
            return _studied(gathered.career[-CAREFUL:], care)

        return judge(gathered.evidence, confirm=confirm)


_kept: OrderedDict[tuple[int, Care], Studied] = OrderedDict()
_KEPT_MOST: Final = 4_000
"""Of about 20 kB each."""


def _studied(attempt_ids: Sequence[int], care: Care) -> list[Studied]:
    """The earlier attempts of a career with their shuffles solved: a tenth to half a second each, so they are kept.

    Those whose moves are gone are left out.
    """
    wanted = [pk for pk in attempt_ids if (pk, care) not in _kept]
    lines = lines_of(wanted) if wanted else {}
    found = []
    for pk in attempt_ids:
        studied = _kept.get((pk, care))
        if studied is None and (line := lines.get(pk)) is not None:
            studied = _kept[pk, care] = study(line, care)
            while len(_kept) > _KEPT_MOST:
                _kept.popitem(last=False)
        if studied is not None:
            found.append(studied)
    return found


def signals_json(signals: Sequence[Signal]) -> list[dict[str, Any]]:
    """As they are stored: other attempts and players by the ids that people use."""
    found = [signal.as_json() for signal in signals]
    for name, other, model in (("attempt_id", "attempt", Attempt), ("player_id", "player", Player)):
        keys = {each["evidence"][name] for each in found if name in each["evidence"]}
        if keys:
            public = dict(model._default_manager.filter(pk__in=keys).values_list("pk", "public_id"))
            for each in found:
                if name in each["evidence"]:
                    kept = {key: value for key, value in each["evidence"].items() if key != name}
                    each["evidence"] = kept | {other: public.get(each["evidence"][name])}
    return found


# --- effects -------------------------------------------------------------------------------------------------------

_REASON_CLASSES: Final = {
    "machine_speed": "speed",
    "even_rhythm": "speed",
    "copied_pace": "copied",
    "same_line": "copied",
    "foreknowledge": "hidden_cards",
    "foreknowledge_over_time": "hidden_cards",
    "too_good": "hidden_cards",
    "linked_accounts": "accounts",
    "deal_seen": "accounts",
    "given_up": "accounts",
}


def reasons_of(judged: Judged) -> list[str]:
    """The names of what was found, as a case keeps them."""
    return [signal.name for signal in judged.signals]


def _act(attempt: Attempt, judged: Judged, follows: Follows, version: int, now: dt.datetime) -> None:
    """Raise a case, hold the attempt, as `what_follows` says. Assumes the attempt's lock."""
    reasons = reasons_of(judged)
    if follows.raises:
        case_raise(
            attempt=attempt,
            player_id=attempt.player_id,
            severity=judged.points,
            reasons=reasons,
            now=now,
            anew=follows.anew,
        )
    if follows.holds:
        attempt_hold(
            attempt_id=attempt.public_id,
            moderator_id=None,
            reason_class=_REASON_CLASSES.get(reasons[0], "other") if reasons else "other",
            reason=reason_of(judged, version),
            words="",
            now=now,
        )


def reason_of(judged: Judged, version: int) -> str:
    """Why, in words for the log of actions."""
    found = ", ".join(f"{signal.name} {signal.points}" for signal in judged.signals)
    return f"Signals of version {version}: {judged.points} points ({found})."
