"""What the solver has found out about numbered games, written down."""

from __future__ import annotations

from collections.abc import Sequence

from games.solver.numbered import GameFacts
from leaderboards.models import NumberedGame


def numbered_write(*, facts: Sequence[GameFacts], version: int) -> None:
    """Write what the solver of this version says of some games, over what an older one said. One statement; repeatable."""
    NumberedGame.objects.bulk_create(
        [NumberedGame(**each._asdict(), solver_version=version) for each in facts],
        update_conflicts=True,
        unique_fields=["number"],
        update_fields=["winnable", "fewest_left", "fewest_moves", "solver_version"],
    )
