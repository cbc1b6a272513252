"""Whether a daily's standings are what its attempts say, in the database and in Redis's copy; see load.py.

    python -m leaderboards.bench.load_check BOARD        (with the server's environment)

Prints one line of JSON: the board's `version`, `entries`, the ids of its first rows in order (`top`), how many entries are
`different` from what its attempts say (counters included), whether the `copy` in Redis has the `same` order (`Order` in standings_check.py), and whether
`manage.py verify` finds every attempt as its log says (`verified`).
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from typing import Any

_TOP = 50


def checked(scope: str) -> dict[str, Any]:
    """See the module."""
    from games.models import Attempt
    from leaderboards import standings
    from leaderboards.models import Board, Entry
    from leaderboards.selectors.standing import groups_of, standing_of_entry, standings_wanted
    from leaderboards.standings_check import order_check

    board = Board.objects.get(scope=scope, kind=Board.Kind.PEOPLE, view=Board.View.BEST)
    attempts = Attempt.objects.filter(competition_key=scope, player__kind__in=["person", "guest"])
    players = set(attempts.filter(result_outcome__isnull=False).values_list("player_id", flat=True))
    wanted = {where[2]: standing for where, standing in standings_wanted(groups_of(players), {scope}).items()}
    rows = {row.player_id: standing_of_entry(row) for row in Entry.objects.filter(board=board, active=True)}
    different = sum(wanted.get(player) != rows.get(player) for player in {*wanted, *rows})
    counters = (board.started, board.finished, board.entries)
    truth = (attempts.count(), attempts.filter(outcome__isnull=False).count(), len(wanted))
    ranked = sorted(wanted.values(), key=lambda standing: standing.place)[:_TOP]
    ids = dict(Attempt.objects.filter(pk__in=[one.attempt_id for one in ranked]).values_list("id", "public_id"))
    standings.rebuild(board.pk)  # smaller boards have no copy by themselves
    return {
        "version": board.version,
        "entries": board.entries,
        "top": [ids[one.attempt_id] for one in ranked],
        "different": different + sum(one != other for one, other in zip(counters, truth, strict=True)),
        "verified": verified(),
        "copy": order_check(board.pk),
    }


def verified() -> bool:
    """Whether every stored attempt, replayed, gives its stored result."""
    from django.core.management import call_command

    with tempfile.TemporaryDirectory() as folder:
        try:
            call_command("verify", progress=f"{folder}/progress", stdout=sys.stderr)
        except SystemExit as end:
            return not end.code
    return True


def main(scope: str) -> None:
    """See the module."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tripeaks_site.settings")
    import django

    django.setup()
    print(json.dumps(checked(scope)))  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1])
