"""Judging a period anew with the present version of the signals: first what would change, then, if told so, the change."""

from __future__ import annotations

import datetime as dt
from collections import OrderedDict
from collections.abc import Generator
from dataclasses import dataclass
from typing import Final, Literal

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce

from games.errors import GameError
from games.models import Attempt

from . import verdict
from .actions import action_revert, attempt_clear
from .effects import Follows, last_decision, what_follows
from .gather import Known
from .judging import Judge, attempt_judge_told, judgement_of, reasons_of
from .lines import Fields
from .models import Exclusion, Judgement
from .signals import VERSION

Effect = Literal["", "case", "hold", "lift", "left alone"]
_ORDER: Final = {"": 0, "nothing": 1, "flag": 2, "hold": 3}
_REMEMBERED: Final = 200_000
"""Attempts whose new foreknowledge a look remembers for the careers of later ones."""


@dataclass(frozen=True, slots=True)
class Rejudged:
    """One attempt under the present version."""

    attempt: str
    """Its public id."""
    ended: dt.datetime
    before: str
    """Verdict of the newest earlier version; empty when there is none."""
    before_points: int
    after: str
    after_points: int
    known: bool
    """This version had judged it already."""
    effect: Effect
    """What follows, or would: a case that is opened, for the first time or again, a hold, the end of a hold that the
    judge made. `left alone`: a moderator, or somebody else meanwhile, has decided otherwise."""

    @property
    def changed(self) -> bool:
        return (self.before, self.before_points) != (self.after, self.after_points) or bool(self.effect)


def rejudge(
    *,
    since: dt.datetime,
    until: dt.datetime,
    apply: bool,
    now: dt.datetime,
    attempt_id: str | None = None,
    judge: Judge = verdict.judge,
    version: int = VERSION,
) -> Generator[Rejudged, None, None]:
    """Each attempt that ended in the period (of one public id only, if given), oldest first, as it is judged.

    Without `apply` nothing is written. With it every attempt is judged as by `attempt_judge`, each in its own
    transaction, so a run that was stopped goes on where it was; and a hold that the judge made, which this version would
    not make, is ended by a logged action. What a moderator has decided is left alone. Streams: memory does not grow with
    the period.
    """
    fields = Fields()
    fresh: OrderedDict[int, Known] = OrderedDict()
    for pk, ply, ended, public_id, known in _ended(since, until, attempt_id, version).iterator(chunk_size=500):
        before = _newest(pk, ply, but=version)
        after: tuple[str, int]
        if known or apply:
            row, follows = attempt_judge_told(
                attempt_id=pk, ply=ply, now=now, judge=judge, version=version, fields=fields
            )
            if row is None:
                continue
            after = row.verdict, row.points
        else:
            attempt = Attempt.objects.select_related("player", "deal").get(pk=pk)
            judged = judgement_of(attempt=attempt, ply=ply, judge=judge, fields=fields, earlier=fresh)
            if judged is None:
                continue
            fresh[pk] = judged.knowledge, judged.settles
            if len(fresh) > _REMEMBERED:
                fresh.popitem(last=False)
            follows = what_follows(attempt=attempt, ply=ply, verdict=judged.verdict, reasons=reasons_of(judged))
            after = judged.verdict, judged.points
        effect = _effect(pk, before, after[0], follows or Follows())
        if effect == "lift" and apply and not _lift(pk, public_id, after[0], version, now):
            effect = "left alone"
        yield Rejudged(public_id, ended, *before, *after, known, effect)


def _ended(since: dt.datetime, until: dt.datetime, attempt_id: str | None, version: int) -> QuerySet[Attempt, tuple]:  # type: ignore[type-arg]
    """Attempts with something at stake, by the time of their end; the same as `tasks.judging_queue` queues."""
    finished = Q(result_ply__isnull=False, ranked=True) | Q(outcome__isnull=False, competition_key__isnull=False)
    same = Judgement.objects.filter(attempt=OuterRef("pk"), ply=OuterRef("end_ply"), version=version)
    attempts = Attempt.objects.filter(finished, player__deleted_at=None)
    if attempt_id is not None:
        attempts = attempts.filter(public_id=attempt_id)
    return (
        attempts.annotate(ended=Coalesce("result_at", "finished_at"), end_ply=Coalesce("result_ply", "ply"))
        .filter(ended__gte=since, ended__lt=until, end_ply__gt=0)
        .annotate(known=Exists(same))
        .order_by("ended", "pk")
        .values_list("pk", "end_ply", "ended", "public_id", "known")
    )


def _newest(attempt_pk: int, ply: int, *, but: int) -> tuple[str, int]:
    """Verdict and points of the newest other version."""
    others = Judgement.objects.filter(attempt_id=attempt_pk, ply=ply).exclude(version=but).order_by("-version")
    return others.values_list("verdict", "points").first() or ("", 0)


# --- effects -------------------------------------------------------------------------------------------------------


def _excluded(attempt_pk: int) -> str | None:
    return Exclusion.objects.filter(pk=attempt_pk).values_list("kind", flat=True).first()


def _effect(attempt_pk: int, before: tuple[str, int], after: str, follows: Follows) -> Effect:
    """What follows, or has just followed, in a word: by the same rule for a look and for what was done."""
    if follows.holds:
        return "hold"
    lifted = _effect_on_hold(attempt_pk, after)
    if lifted == "lift":
        return "lift"
    if follows.opens:
        return "case"
    worse = _ORDER[after] > max(_ORDER[before[0]], _ORDER["nothing"])
    return "left alone" if worse and follows.stopped else lifted


def _effect_on_hold(attempt_pk: int, after: str) -> Effect:
    """`lift` where the judge holds what it would not hold now."""
    if after == "hold" or _excluded(attempt_pk) != Exclusion.Kind.HELD:
        return ""
    last = last_decision(attempt_pk)
    return "lift" if last is not None and last.kind == "hold" and last.moderator_id is None else "left alone"


def _lift(attempt_pk: int, public_id: str, after: str, version: int, now: dt.datetime) -> bool:
    """End the judge's hold, logged in the judge's name; whether it was still there to end.

    The case of an attempt that is still flagged stays open, as it was before the hold.
    """
    reason = f"Signals of version {version} would not hold it."
    last = last_decision(attempt_pk)
    if last is None:
        return False
    try:
        if after == "flag":
            action_revert(action_id=last.public_id, moderator_id=None, reason=reason, words="", now=now)
        else:
            attempt_clear(
                attempt_id=public_id, moderator_id=None, reason_class="mistake", reason=reason, words="", now=now
            )
    except GameError:
        return False
    return True
