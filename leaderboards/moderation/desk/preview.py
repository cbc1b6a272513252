"""What an act would change, said before it is done: it is tried in a transaction that is rolled back."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

from django.db import transaction

from games.models import Player
from leaderboards.selectors.standing import Standing
from leaderboards.services.entries import EntryChange

from ..action_state import PARTS, State, Whose, parts_read, parts_write
from ..action_steps import merged_with, refresh
from ..models import Appeal, Notice
from ..notices import Coming, undone
from ..reverting import revertible_check
from .acts import Act, Subject, merged
from .words import changes, counted, entry_words, player_name

_PARTS_OF_BOARDS = ("exclusion", "hidden", "merged")


@dataclass(frozen=True, slots=True)
class BoardChange:
    """One entry that would change."""

    scope: str
    kind: str
    view: str
    player: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Preview:
    """What would change: entries of boards, and other things in sentences."""

    boards: list[BoardChange]
    others: list[str]
    values: list[tuple[str, str, str]]
    """Of an act that is taken back: what is set from what to what."""


def preview_of(act: Act, subject: Subject, form: Any, now: dt.datetime) -> Preview:
    """Needs a valid form. Raises Conflict as `revertible_check`, whatever has changed since."""
    if subject.action is not None:
        revertible_check(subject.action)
    whose, state, also = _trial(act, subject, form, now)
    boards = _boards(whose, state, also) if state else []
    values = changes(_set_back(subject.action.after), _set_back(subject.action.before)) if subject.action else []
    return Preview(
        boards, [*_others(act, subject, form, now), *_appeals(act, subject, Coming(whose, state, now))], values
    )


def _set_back(state: State) -> State:
    """Without what an action has answered: that stays answered."""
    return {name: value for name, value in state.items() if name != "appeals"}


def _appeals(act: Act, subject: Subject, by: Coming) -> list[str]:
    """Open appeals that it accepts by undoing what they are against."""
    if act.kind == "unban":
        by = replace(by, parts={"ban": None})
    if subject.action is not None:
        parts = {name: value for name, value in subject.action.before.items() if name in PARTS}
        by = replace(by, parts=parts, reverted=subject.action)
    against = Notice.objects.filter(undone(by))
    number = Appeal.objects.filter(state=Appeal.State.OPEN, notice__in=against).count()
    return [f"{counted(number, 'open appeal')} against it: accepted with it."] if number else []


def _trial(act: Act, subject: Subject, form: Any, now: dt.datetime) -> tuple[Whose, State, Collection[int]]:
    """Which parts of whose state would be set to what, and who else's entries follow from it."""
    whose, row = Whose(subject.player, subject.attempt), {"since": now.isoformat()}
    states: dict[str, State] = {
        "hold": {"exclusion": {"kind": "held", **row}},
        "disqualify": {"exclusion": {"kind": "disqualified", **row}},
        "clear": {"exclusion": None},
        "reinstate": {"exclusion": None},
        "hide": {"hidden": row},
        "show": {"hidden": None},
        "separate": {"merged": None},
    }
    if act.kind == "merge":
        main, second = merged(form, subject.player)
        return Whose(second), {"merged": {"main": main.public_id, **row}}, [main.pk]
    if subject.action is not None:
        before = {name: value for name, value in subject.action.before.items() if name in _PARTS_OF_BOARDS}
        return whose, before, merged_with(subject.action.before) | merged_with(subject.action.after)
    also = merged_with(parts_read(whose, ["merged"])) if act.kind == "separate" else ()
    return whose, states.get(act.kind, {}), also


def _boards(whose: Whose, state: State, also: Collection[int]) -> list[BoardChange]:
    """Try it and see which entries differ; nothing of it stays."""
    with transaction.atomic():
        parts_write(whose, state)
        found = refresh(whose, list(state), also=also)
        transaction.set_rollback(True)
    names = Player.objects.in_bulk([change.player_id for change in found])
    return [
        BoardChange(
            change.board.scope,
            change.board.kind,
            change.board.view,
            player_name(names[change.player_id]),
            _words(change.before),
            _words(change.after),
        )
        for change in sorted(found, key=_place)
    ]


def _place(change: EntryChange) -> tuple[str, str, str, int]:
    return (change.board.scope, change.board.kind, change.board.view, change.player_id)


def _words(standing: Standing | None) -> str:
    if standing is None:
        return "no entry"
    return entry_words(standing.outcome, standing.score, standing.moves, standing.cards_left)


def _others(act: Act, subject: Subject, form: Any, now: dt.datetime) -> list[str]:
    """What changes beside the boards."""
    name = player_name(subject.player)
    kind = act.kind
    if kind == "ban":
        until = form.until(now)
        end = f"until {until:%d %b %Y, %H:%M} UTC" if until else "for good"
        bots = subject.player.bots.filter(deleted_at=None).count()
        whose = f"{name} and {bots} bot{'s' if bots != 1 else ''}" if bots else name
        return [
            f"{whose} cannot sign in or play {end}.",
            "Every session and token ends at once.",
            "Results stay where they are.",
        ]
    told = {
        "dismiss": ["The case is closed and leaves the queue. Nothing else changes.", f"{name} is not told."],
        "warn": [f"{name} gets a warning to read. Nothing else changes."],
        "unban": [f"{name} can sign in and play again."],
        "clear": ["The case is closed.", f"{name} is told if the attempt was held."],
        "hold": [f"{name} is told that the attempt is under review."],
        "disqualify": ["The case is closed.", f"{name} is told, and may appeal."],
        "reinstate": [f"{name} is told."],
        "hide": [f"Others no longer find {name}."],
        "show": [f"Others find {name} again."],
        "answer": [f"{name} is told the answer.", "Accepting takes nothing back by itself: that is the next step."],
        "revert": [
            "It is set back only if nothing has changed since.",
            *(_told_back(subject, name) if subject.action else []),
        ],
    }
    return told.get(kind, [f"{name} is told."])


def _told_back(subject: Subject, name: str) -> list[str]:
    """What a player hears of the taking back of something that has changed nothing else."""
    done = subject.action
    assert done is not None
    again = done.reverts.kind if done.reverts is not None else ""
    if "dismiss" in (done.kind, again):
        return [f"{name} is not told."]
    if done.kind == "warn":
        return [f"{name} is told that the warning stands no more."]
    return [f"{name} is warned again."] if again == "warn" else []
