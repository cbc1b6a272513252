"""What follows from a judgement: a case is opened, the attempt is held. `judging` does it, `rejudging` shows it before."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.db.models import Max

from games.models import Attempt

from .cases import case_opens
from .models import Case, Exclusion, Judgement, ModeratorAction


@dataclass(frozen=True, slots=True)
class Follows:
    """What one judgement brings about."""

    raises: bool = False
    """The case of the attempt is raised: it is there afterwards, open or not."""
    opens: bool = False
    """That makes one that is open, or opens the one that was closed."""
    anew: bool = False
    """The case was closed when less had been played: it is opened for the same reasons again."""
    holds: bool = False
    stopped: bool = False
    """More would follow if no moderator had decided otherwise."""


def what_follows(*, attempt: Attempt, ply: int, verdict: str, reasons: Sequence[str]) -> Follows:
    """What a new judgement of an attempt as it stood at `ply` brings about; to be asked before its row is written.

    Only a result that counts has anything at stake. What a moderator has decided stands: a disqualified attempt is left
    alone, and one that was cleared or reinstated is not held again by the judge, though its case is opened once more for
    reasons that are new. But who decided had seen no further than the attempt had come: played on, it is judged as any
    other, and its case is opened again. Exact under the attempt's lock.
    """
    if verdict == "nothing" or not attempt.ranked or attempt.result_ply is None:
        return Follows()
    excluded = Exclusion.objects.filter(pk=attempt.pk).values_list("kind", flat=True).first()
    if excluded == Exclusion.Kind.DISQUALIFIED:
        return Follows(stopped=True)
    case = Case.objects.filter(attempt=attempt).first()
    closed_at = None if case is None else case.closed_at
    anew = closed_at is not None and ply > _ply_seen(attempt, closed_at)
    opens = case_opens(case, reasons, anew=anew)
    wanted = verdict == "hold" and excluded is None
    cleared = wanted and _cleared(attempt, ply)
    return Follows(
        raises=True,
        opens=opens,
        anew=anew,
        holds=wanted and not cleared,
        stopped=cleared or (closed_at is not None and not opens),
    )


_DECIDING: Final = ("hold", "clear", "disqualify", "reinstate")


def last_decision(attempt_pk: int) -> ModeratorAction | None:
    """The newest action that decides whether an attempt counts and that has not been taken back."""
    decided = ModeratorAction.objects.filter(attempt_id=attempt_pk, kind__in=_DECIDING, reverted_by=None)
    return decided.order_by("-at", "-pk").first()


def _cleared(attempt: Attempt, ply: int) -> bool:
    """Whether the last word on an attempt as it stood at `ply` is a moderator's, and that it counts."""
    last = last_decision(attempt.pk)
    if last is None or last.moderator_id is None or last.kind not in ("clear", "reinstate"):
        return False
    return ply <= _ply_seen(attempt, last.at)


def _ply_seen(attempt: Attempt, at: dt.datetime) -> int:
    """How far an attempt had come for who decided at that time: the last ply judged, else that of the result."""
    judged = Judgement.objects.filter(attempt=attempt, judged_at__lte=at).aggregate(last=Max("ply"))["last"]
    if judged is not None:
        return int(judged)
    known = attempt.result_at is not None and attempt.result_at <= at
    return (attempt.result_ply or 0) if known else 0
