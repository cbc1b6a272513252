"""Earlier finishes at one list of cards, as an index in memory by what was chosen where."""

from __future__ import annotations

from .evidence import Line


class Field:
    """Grows by `add`; one for each list of cards."""

    def __init__(self) -> None:
        self.last = 0
        """The newest attempt id added; 0 before the first."""
        self._lines: list[Line] = []

    def __len__(self) -> int:
        return len(self._lines)

    def add(self, line: Line) -> None:
        """Add a finished attempt; any order."""
        self._lines.append(line)
        self.last = max(self.last, line.attempt_id)
