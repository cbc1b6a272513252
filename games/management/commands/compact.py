"""`manage.py compact`: one value an attempt instead of a row a ply, for attempts closed long ago."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from games import clock
from games.selectors.logs import logs_sizes
from games.services import attempts_compact
from games.services.compaction import Compacted


class Command(BaseCommand):
    help = (
        "Compact the move logs of attempts closed more than TRIPEAKS_COMPACT_DAYS ago; `maintenance` does it, too. Beside"
        " running games; after an end, or a kill, the same command goes on. Then tells what both forms take."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        self._sizes()
        done = sum(attempts_compact(now=clock.now()), Compacted())
        self.stdout.write(
            f"{done.attempts:,} logs compacted ({done.moves:,} moves), {done.left:,} left as they are;"
            f" closed more than {settings.COMPACT_DAYS} days ago."
        )
        if done.attempts:
            self._sizes()

    def _sizes(self) -> None:
        for size in logs_sizes():
            each = size.total // size.logs if size.logs else 0
            self.stdout.write(
                f"{size.form:<8} {size.logs:>12,} logs  {size.table:>15,} bytes and {size.indexes:,} of indexes"
                f"  {each:,} bytes a log"
            )
