"""What fair play forgets, and when: words and links of deleted accounts at once, the rest with its time. Sums stay."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection
from typing import Any, Final, LiteralString

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Q, QuerySet

from games.models import Player

from .models import LINKING, Case, Judgement, Notice, Report

# --- totals --------------------------------------------------------------------------------------------------------

# Added day by day in order, so that two at once wait for each other and never both.
_KEEP: Final[LiteralString] = """
INSERT INTO leaderboards_gonetotals AS kept (day, checked, flagged, held, disqualified, appeals)
SELECT (at AT TIME ZONE 'UTC')::date AS day, count(*) FILTER (WHERE name = 'checked'),
       count(*) FILTER (WHERE name = 'flagged'), count(*) FILTER (WHERE name = 'hold'),
       count(*) FILTER (WHERE name = 'disqualify'), count(*) FILTER (WHERE name = 'appeals')
  FROM ({gone}) gone (name, at)
 GROUP BY day ORDER BY day
    ON CONFLICT (day) DO UPDATE
   SET checked = kept.checked + excluded.checked, flagged = kept.flagged + excluded.flagged,
       held = kept.held + excluded.held, disqualified = kept.disqualified + excluded.disqualified,
       appeals = kept.appeals + excluded.appeals
"""
_OF_ATTEMPTS: Final[LiteralString] = """
SELECT 'checked', max(judged_at) FROM leaderboards_judgement WHERE attempt_id = ANY(%(ids)s) GROUP BY attempt_id
UNION ALL
SELECT 'flagged', opened_at FROM leaderboards_case WHERE attempt_id = ANY(%(ids)s)
UNION ALL
SELECT kind, max(at) FROM leaderboards_moderatoraction
 WHERE attempt_id = ANY(%(ids)s) AND kind IN ('hold', 'disqualify') GROUP BY attempt_id, kind
"""
_OF_PLAYERS: Final[LiteralString] = """
SELECT 'appeals', a.at FROM leaderboards_appeal a JOIN leaderboards_notice n ON n.id = a.notice_id
 WHERE n.player_id = ANY(%(ids)s)
"""


def totals_keep(attempt_ids: Collection[int]) -> None:
    """Put what these attempts count in everybody's totals into the sums that stay.

    In the transaction that deletes them, under their locks and before it does: so each is counted exactly once, however
    often the deletion is repeated.
    """
    _keep(_OF_ATTEMPTS, attempt_ids)


def _keep(gone: LiteralString, ids: Collection[int]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(_KEEP.format(gone=gone), {"ids": list(ids)})


# --- deleted accounts ----------------------------------------------------------------------------------------------


def accounts_forget(*, player_ids: Collection[int]) -> None:
    """Of deleted accounts: their notices with the appeals, the words of their reports, and links to them in what was
    judged of others. The log of actions stays, and so do the sums of `totals_keep`.

    In the transaction of the deletion, which holds the players' rows. The links are found by an index
    (`judgement_naming`), however much has been judged: in 2 ms of 1,000,000 judgements, 100,000 of them with links, where
    looking through these took 150 ms.
    """
    _keep(_OF_PLAYERS, player_ids)
    Notice.objects.filter(player_id__in=player_ids).delete()
    Report.objects.filter(reporter_id__in=player_ids).exclude(text="").update(text="")
    gone = set(Player.objects.filter(pk__in=player_ids).values_list("public_id", flat=True))
    naming = Q(pk__in=[])
    for public_id in gone:
        naming |= Q(signals__contains=[{"group": "account", "evidence": {"player": public_id}}])
    _forget(Judgement.objects.select_for_update(no_key=True).filter(LINKING, naming).order_by("id"), gone)


def cases_purge(*, now: dt.datetime, batch: int = 200) -> int:
    """Delete the cases about players, with the reports, of accounts deleted settings.DELETED_MOVES_DAYS ago; how many.

    Cases of attempts go with the attempts. One short transaction a batch. Safe to stop and repeat.
    """
    before = now - dt.timedelta(days=settings.DELETED_MOVES_DAYS)
    purged = 0
    while True:
        with transaction.atomic(durable=True):
            doomed = Case.objects.filter(attempt=None, player__deleted_at__lte=before).order_by("id")
            ids = list(doomed.select_for_update(of=("self",), skip_locked=True).values_list("id", flat=True)[:batch])
            Case.objects.filter(pk__in=ids).delete()
        purged += len(ids)
        if len(ids) < batch:
            return purged


# --- evidence ------------------------------------------------------------------------------------------------------

_REPORTS: Final = """
DELETE FROM leaderboards_report WHERE id IN
    (SELECT r.id FROM leaderboards_report r JOIN leaderboards_case c ON c.id = r.case_id
      WHERE c.closed_at < %(before)s AND r.at < %(before)s LIMIT %(batch)s FOR UPDATE OF r SKIP LOCKED)
"""
# The conditions of LINKING as the index has them. All that is linked is looked through, so this is for the purge.
_LINKED: Final = """
SELECT j.id, array_agg(p.public_id)
  FROM leaderboards_judgement j CROSS JOIN LATERAL jsonb_array_elements(j.signals) s
  JOIN games_player p ON p.public_id = s -> 'evidence' ->> 'player'
 WHERE j.signals @> '[{"group": "account"}]' AND NOT (j.signals @> '[{"forgotten": true}]')
   AND s ->> 'group' = 'account' AND p.deleted_at IS NOT NULL
 GROUP BY j.id
"""


def reports_purge(*, now: dt.datetime, batch: int = 5000) -> int:
    """Delete reports settings.EVIDENCE_DAYS after their case was closed, and never before they are that old; how many.

    The case stays, with its severity and the number of reports. One short transaction a batch. Safe to stop, to repeat
    and to run twice at once.
    """
    before = now - dt.timedelta(days=settings.EVIDENCE_DAYS)
    purged = 0
    while True:
        with transaction.atomic(durable=True), connection.cursor() as cursor:
            cursor.execute(_REPORTS, {"before": before, "batch": batch})
            gone: int = cursor.rowcount
        purged += gone
        if gone < batch:
            return purged


def links_purge(*, now: dt.datetime, batch: int = 500) -> int:
    """Take out of judgements older than settings.EVIDENCE_DAYS which other accounts used the same network, and out of
    all others those that have been deleted meanwhile; how many judgements. Verdicts, points and words stay.

    What networks told is kept no longer than the networks themselves. One short transaction a batch. Safe to stop, to
    repeat and to run twice at once.
    """
    before = now - dt.timedelta(days=settings.EVIDENCE_DAYS)
    rows = Judgement.objects.select_for_update(no_key=True, skip_locked=True).order_by("judged_at", "id")
    purged = 0
    while True:
        with transaction.atomic(durable=True):
            changed = _forget(rows.filter(LINKING, judged_at__lt=before)[:batch], None)
        purged += changed
        if changed < batch:
            break
    links = list(_links_to_deleted().items())
    for first in range(0, len(links), batch):
        some = dict(links[first : first + batch])
        with transaction.atomic(durable=True):
            purged += _forget(rows.filter(pk__in=some), {public_id for named in some.values() for public_id in named})
    return purged


def _links_to_deleted() -> dict[int, list[str]]:
    """Judgements that name an account of the same network which is deleted now, and which they name."""
    with connection.cursor() as cursor:
        cursor.execute(_LINKED)
        return dict(cursor.fetchall())


def _forget(rows: QuerySet[Judgement], gone: Collection[str] | None) -> int:
    """Take the links to these players, or all for good, out of these judgements, and lock them; how many."""
    found = list(rows.only("signals"))
    for row in found:
        row.signals = [
            _unlinked(signal, gone) if signal.get("group") == "account" else signal for signal in row.signals
        ]
    Judgement.objects.bulk_update(found, ["signals"])
    return len(found)


def _unlinked(signal: dict[str, Any], gone: Collection[str] | None) -> dict[str, Any]:
    evidence = signal["evidence"]
    if gone is None:
        return signal | {"evidence": _without(evidence), "forgotten": True}
    return signal | {"evidence": _without(evidence)} if evidence.get("player") in gone else signal


def _without(evidence: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in evidence.items() if name not in ("player", "attempt")}
