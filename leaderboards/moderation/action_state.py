"""What an action changes, as JSON: read before and after it, and written back when it is taken back.

Each *part* of a state belongs to the action's player or attempt: `exclusion`, `hidden`, `merged`, `ban`; None where
there is no row. `case` and `entries` stand beside them in the log: a case is set back only if nobody has touched it
since, and entries follow from the parts.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from games.clock import EPOCH, iso
from games.models import Attempt, Player
from games.services.players import credentials_end_for_now
from leaderboards.services.entries import EntryChange

from .cases import case_close, case_of
from .models import Exclusion, HiddenPlayer, MergedAccount

State = dict[str, Any]
ENTRIES_AT_MOST: Final = 200
"""Rows of boards kept with an action; the count of all stands beside them."""
_BAN = ("banned_at", "banned_until", "ban_reason", "is_active")


@dataclass(frozen=True, slots=True)
class Whose:
    """Whom an action is about, locked."""

    player: Player
    attempt: Attempt | None = None


def _text(at: dt.datetime | None) -> str | None:
    return None if at is None else at.isoformat()  # to the microsecond: what is set back is what was


def _instant(text: str | None) -> dt.datetime | None:
    return None if text is None else dt.datetime.fromisoformat(text)


# --- parts ---------------------------------------------------------------------------------------------------------


def _exclusion_read(whose: Whose) -> State | None:
    row = Exclusion.objects.filter(attempt=whose.attempt).first()
    return None if row is None else {"kind": row.kind, "since": _text(row.since)}


def _exclusion_write(whose: Whose, state: State | None) -> None:
    assert whose.attempt is not None
    Exclusion.objects.filter(attempt=whose.attempt).delete()
    if state is not None:
        Exclusion.objects.create(
            attempt=whose.attempt, kind=state["kind"], since=dt.datetime.fromisoformat(state["since"])
        )


def _hidden_read(whose: Whose) -> State | None:
    row = HiddenPlayer.objects.filter(player=whose.player).first()
    return None if row is None else {"since": _text(row.since)}


def _hidden_write(whose: Whose, state: State | None) -> None:
    HiddenPlayer.objects.filter(player=whose.player).delete()
    if state is not None:
        HiddenPlayer.objects.create(player=whose.player, since=dt.datetime.fromisoformat(state["since"]))


def _merged_read(whose: Whose) -> State | None:
    row = MergedAccount.objects.select_related("main").filter(second=whose.player).first()
    return None if row is None else {"main": row.main.public_id, "since": _text(row.since)}


def _merged_write(whose: Whose, state: State | None) -> None:
    MergedAccount.objects.filter(second=whose.player).delete()
    if state is not None:
        main = Player.objects.get(public_id=state["main"])
        MergedAccount.objects.create(second=whose.player, main=main, since=dt.datetime.fromisoformat(state["since"]))


def _ban_read(whose: Whose) -> State | None:
    player = Player.objects.get(pk=whose.player.pk)
    if player.banned_at is None and player.is_active:
        return None
    return {
        "banned_at": _text(player.banned_at),
        "banned_until": _text(player.banned_until),
        "ban_reason": player.ban_reason,
        "is_active": player.is_active,
    }


def _ban_write(whose: Whose, state: State | None) -> None:
    """`is_active` is not set back to False with a ban: bans of earlier versions took it, and it outlasted their end."""
    given = state or {"banned_at": None, "banned_until": None, "ban_reason": "", "is_active": True}
    Player.objects.filter(pk=whose.player.pk).update(
        banned_at=_instant(given["banned_at"]),
        banned_until=_instant(given["banned_until"]),
        ban_reason=given["ban_reason"],
        is_active=given["is_active"] or given["banned_at"] is not None,
    )
    if state is not None:
        credentials_end_for_now(player_id=whose.player.pk)


@dataclass(frozen=True, slots=True)
class Part:
    """How one part is read and written."""

    read: Callable[[Whose], State | None]
    write: Callable[[Whose, State | None], None]


PARTS: Final = {
    "exclusion": Part(_exclusion_read, _exclusion_write),
    "hidden": Part(_hidden_read, _hidden_write),
    "merged": Part(_merged_read, _merged_write),
    "ban": Part(_ban_read, _ban_write),
}


def parts_read(whose: Whose, names: Iterable[str]) -> State:
    """These parts as they are now."""
    return {name: PARTS[name].read(whose) for name in names}


def parts_write(whose: Whose, state: State) -> None:
    """Set parts to what a state says of them."""
    for name, part in PARTS.items():
        if name in state:
            part.write(whose, state[name])


# --- beside them ---------------------------------------------------------------------------------------------------


def case_read(whose: Whose) -> State | None:
    """Whether the case of the attempt, or else of the player, is open."""
    case = case_of(whose.attempt, whose.player.pk).first()
    return None if case is None else {"id": case.public_id, "closed_at": _text(case.closed_at)}


def case_write(whose: Whose, state: State | None, *, now: dt.datetime) -> None:
    """Set that case back; one that there was not before is closed. None is closed while an appeal about it waits."""
    closed_at = now if state is None else _instant(state["closed_at"])
    if closed_at is None:
        case_of(whose.attempt, whose.player.pk).update(closed_at=None, updated_at=now)
    else:
        case_close(attempt=whose.attempt, player_id=whose.player.pk, closed_at=closed_at, now=now)


def entries_state(changes: Sequence[EntryChange]) -> tuple[State, State]:
    """`{"entries", "entries_changed"}` before and after: what stood on which board under whose name."""
    kept = changes[:ENTRIES_AT_MOST]
    attempts = {standing.attempt_id for change in kept for standing in (change.before, change.after) if standing}
    names = dict(Attempt.objects.filter(pk__in=attempts).values_list("id", "public_id"))
    players = {change.player_id for change in kept}
    players_names = dict(Player.objects.filter(pk__in=players).values_list("id", "public_id"))

    def row(change: EntryChange, when: str) -> State | None:
        standing = change.before if when == "before" else change.after
        if standing is None:
            return None
        return {
            "board": change.board.scope,
            "kind": change.board.kind,
            "view": change.board.view,
            "player": players_names[change.player_id],
            "attempt": names[standing.attempt_id],
            "outcome": standing.outcome,
            "score": standing.score,
            "moves": standing.moves,
            "peaks": standing.peaks,
            "cards_left": standing.cards_left,
            "elapsed_ms": standing.elapsed_ms,
            "finished_at": iso(EPOCH + dt.timedelta(milliseconds=standing.finished_ms)),
        }

    before, after = (
        {"entries": [shown for change in kept if (shown := row(change, when))], "entries_changed": len(changes)}
        for when in ("before", "after")
    )
    return before, after
