"""`Standings.apply`: a snapshot and the events after it make the newest list, and a gap is noticed."""

from __future__ import annotations

from typing import Any

from games.client import Json
from games.client_sockets import Standings

COUNTS = {"players": 2, "playing": 0, "finished": 2}


def row(id: str, rank: int) -> Json:
    return {"id": id, "rank": rank}


def event(version: int, previous: int, order: list[str], rows: list[Json]) -> dict[str, Any]:
    return {
        "type": "event",
        "version": version,
        "previous": previous,
        "entries": len(order),
        "counts": COUNTS,
        "order": order,
        "rows": rows,
    }


def snapshot(version: int, rows: list[Json]) -> dict[str, Any]:
    return {"type": "snapshot", "version": version, "entries": len(rows), "counts": COUNTS, "rows": rows}


def test_an_event_puts_new_rows_among_the_known_ones() -> None:
    standings = Standings()
    assert standings.apply(snapshot(3, [row("a", 1), row("b", 2)]))
    assert standings.apply(event(4, 3, ["c", "a", "b"], [row("c", 1), row("a", 2), row("b", 3)]))
    assert standings.rows == [row("c", 1), row("a", 2), row("b", 3)]


def test_a_gap_changes_nothing_and_asks_for_a_resync() -> None:
    standings = Standings()
    standings.apply(snapshot(3, [row("a", 1)]))
    assert not standings.apply(event(6, 5, ["a"], []))
    assert (standings.version, standings.rows) == (3, [row("a", 1)])


def test_an_unknown_row_in_the_order_asks_for_a_resync() -> None:
    standings = Standings()
    standings.apply(snapshot(3, [row("a", 1)]))
    assert not standings.apply(event(4, 3, ["a", "z"], []))


def test_an_event_older_than_the_snapshot_is_passed_over() -> None:
    standings = Standings()
    standings.apply(snapshot(9, [row("a", 1)]))
    assert standings.apply(event(8, 7, ["z"], [row("z", 1)]))
    assert standings.rows == [row("a", 1)]
