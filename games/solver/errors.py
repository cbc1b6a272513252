"""What the solver refuses beyond what the engine already does."""

from __future__ import annotations

from games.engine.errors import InvalidInput


class SolverError(InvalidInput):
    """A position that no play reaches. Code: ``unreachable_position``; ``data["part"]`` names what does not agree."""
