"""One's own row below the top of a list, with its neighbours: as static/leaderboards/js/live.js (`shownLines`) has it."""

from __future__ import annotations

from typing import Any

from .selectors.home import NEIGHBOURS, TOP

GAP = {"gap": True}


def own_list(shown: dict[str, Any], mine: dict[str, Any]) -> dict[str, Any]:
    """A list of a daily (see `lists.list_shown`), ten rows of it, with the row of the visitor whose list it is."""
    head = shown["rows"][:TOP]
    shown = {**shown, "rows": head, "top": TOP}
    if shown["kind"] != mine["kind"] or not mine["player"]:
        return shown
    row = mine.get("row")
    return {
        **shown,
        "player": mine["player"],
        "mine": "none" if mine["state"] == "over" else mine["state"],
        "started": mine.get("started_at"),
        "rank": row["rank"] if row else None,
        "provisional": mine.get("provisional", False),
        "tail": own_lines(head, mine),
    }


def own_lines(head: list[dict[str, Any]], mine: dict[str, Any]) -> list[dict[str, Any]]:
    """The lines after the head: `{"gap"}`, `{"playing", "elapsed_ms"}` or `{"row"}` each.

    `mine` as `home_get` has it; with a result, its own row and those around it.
    """
    if mine["state"] == "playing":
        playing = {"playing": True, "elapsed_ms": mine["elapsed_ms"]}
        return [GAP, playing] if head else [playing]
    if mine["state"] != "finished":
        return []
    rows, own = mine["around"], mine["row"]
    if mine["provisional"]:
        at = next((at for at, row in enumerate(rows) if _after(row, own)), len(rows))
        rows = [*rows[:at], own, *rows[at:]]
    at = next(at for at, row in enumerate(rows) if row["id"] == own["id"])
    known = {row["id"] for row in head}
    near = [row for row in rows[max(0, at - NEIGHBOURS) : at + NEIGHBOURS + 1] if row["id"] not in known]
    if not near:
        return []
    start = rows.index(near[0])
    joined = not head or (start > 0 and rows[start - 1]["id"] in known)
    return [*([] if joined else [GAP]), *({"row": row} for row in near)]


def _after(row: dict[str, Any], own: dict[str, Any]) -> bool:
    return bool((row["rank"], row["finished_at"]) > (own["rank"], own["finished_at"]))
