"""`manage.py maintenance`: write down what time alone has brought about. Nothing depends on when it runs."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from games import clock
from games.services import attempts_compact, attempts_expire, evidence_purge
from leaderboards.moderation.requeueing import judgings_requeue
from leaderboards.moderation.retention import links_purge, reports_purge
from leaderboards.services import accounts_purge, dailies_prepare


class Command(BaseCommand):
    help = (
        "Expire attempts whose time is over, prepare dailies, delete what deleted accounts have left and evidence that"
        " has been kept long enough, compact old move logs, queue failed judgements again. Run it hourly."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        now = clock.now()
        expired = 0
        while closed := attempts_expire(now=now):
            expired += closed
        made = dailies_prepare(now=now)
        purged = accounts_purge(now=now)
        evidence = evidence_purge(now=now) + links_purge(now=now) + reports_purge(now=now)
        compacted = sum(done.attempts for done in attempts_compact(now=now))
        requeued = judgings_requeue(now=now)
        if options["verbosity"] > 0:
            self.stdout.write(
                f"{expired} attempts closed, {len(made)} dailies prepared, {purged} attempts of deleted accounts gone."
                f" {evidence} rows of evidence gone, {compacted} logs compacted,"
                f" {requeued} judgements queued again."
            )
