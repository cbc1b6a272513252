"""The steps that all actions of moderators have in common: rights, locks, boards, the log row and the notices."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from games.errors import BadInput, Conflict, Forbidden, NotFound
from games.models import Attempt, Player
from leaderboards.results import scope_of
from leaderboards.selectors.standing import groups_of
from leaderboards.services.entries import EntryChange, entries_refresh, players_keep, players_lock

from .action_state import PARTS, State, Whose, case_read, entries_state, parts_read
from .cases import case_raise
from .models import Appeal, Exclusion, ModeratorAction, Notice
from .notices import has_run_out, notice_add
from .roles import HEAD, heads_only, may_act, role_of

Kind = ModeratorAction.Kind


@dataclass(frozen=True, slots=True)
class Why:
    """Who acts, when and why."""

    moderator_id: int | None
    reason_class: str
    reason: str
    words: str
    now: dt.datetime

    def check(self) -> None:
        if not self.reason.strip():
            raise BadInput("reason_missing", "Say why: every action needs a reason.", field="reason")
        if self.reason_class not in ModeratorAction.ReasonClass.values:
            raise BadInput("reason_class", "Choose what kind of reason it is.", field="reason_class")


# --- rights and locks ----------------------------------------------------------------------------------------------


def already(message: str) -> Conflict:
    return Conflict("already_so", message)


def somebody(moderator_id: int | None) -> list[int]:
    return [] if moderator_id is None else [moderator_id]


def may(moderator_id: int | None, kind: Kind, subjects: Collection[Player]) -> None:
    if moderator_id is None:
        return
    if not may_act(Player.objects.get(pk=moderator_id), kind):
        raise Forbidden("role_missing", "Your role does not do this.")
    within_reach(moderator_id, subjects)


def within_reach(moderator_id: int, subjects: Collection[Player]) -> None:
    """Whom a moderator's role does not reach: the moderator's own, and, but for heads, whoever holds a role (`own_case`,
    `staff_case`).
    """
    not_own(moderator_id, subjects)
    if heads_only(subjects) and role_of(Player.objects.get(pk=moderator_id)) != HEAD:
        raise Forbidden("staff_case", "Only a head moderator acts on an account that holds a role, or on its bots.")


def not_own(moderator_id: int, subjects: Collection[Player]) -> None:
    """Nobody moderates themselves, their bots, or accounts that are merged with their own."""
    theirs = {moderator_id} | {
        member for group in groups_of([moderator_id]) for member in (group.player_id, *group.members)
    }
    if any(player.pk in theirs or player.owner_id in theirs for player in subjects):
        raise Forbidden("own_case", "Nobody moderates themselves or their own bots.")


def attempt_locked(attempt_id: str, moderator_id: int | None) -> Whose:
    found = Attempt.objects.select_for_update(of=("self",), no_key=True).select_related("player")
    attempt = found.filter(public_id=attempt_id).first()
    if attempt is None:
        raise NotFound
    players_keep([attempt.player_id, *somebody(moderator_id)])
    return Whose(attempt.player, attempt)


def player_locked(
    player_id: str, kind: Kind, why: Why, *, also: Collection[Player] = (), deleted_too: bool = False
) -> Whose:
    """The player, locked with everybody merged with them and with the moderator (whom the log row names), by id.

    `deleted_too`: a deleted account as well.
    """
    why.check()
    found = Player.objects.filter(public_id=player_id).first()
    if found is None:
        raise NotFound
    others = [player.pk for player in also]
    locked = players_lock([found.pk, *others, *somebody(why.moderator_id)])
    subjects = [locked[pk] for pk in (found.pk, *others)]
    if not deleted_too and any(player.deleted_at is not None for player in subjects):
        raise NotFound
    may(why.moderator_id, kind, subjects)
    return Whose(subjects[0])


# --- effects -------------------------------------------------------------------------------------------------------


def case_opened(whose: Whose, now: dt.datetime) -> None:
    """What is held must be in the queue, whoever holds it."""
    case = case_raise(attempt=whose.attempt, player_id=whose.player.pk, severity=0, reasons=[], now=now)
    if case.closed_at is not None:
        case.opened_at, case.closed_at = now, None
        case.save(update_fields=["opened_at", "closed_at"])


def merged_with(state: State) -> set[int]:
    main = (state.get("merged") or {}).get("main")
    return set() if main is None else set(Player.objects.filter(public_id=main).values_list("id", flat=True))


def refresh(whose: Whose, names: Collection[str], *, also: Collection[int] = ()) -> list[EntryChange]:
    """Bring the boards in line with the parts that were written."""
    if "exclusion" in names:
        assert whose.attempt is not None
        return entries_refresh(player_ids=[whose.player.pk], scopes=[scope_of(whose.attempt)])
    if "hidden" in names or "merged" in names:
        return entries_refresh(player_ids=[whose.player.pk, *also])
    return []


def log(
    kind: Kind,
    whose: Whose,
    why: Why,
    before: State,
    changes: list[EntryChange],
    *,
    reverts: ModeratorAction | None = None,
    settled: Collection[str] = (),
) -> ModeratorAction:
    """The row that stays, and the notices that follow from what it changed.

    `settled`: the notices whose open appeals it has accepted (`appeals.appeals_settle`).
    """
    names = [name for name in before if name in PARTS]
    after = parts_read(whose, names)
    if "case" in before:
        after["case"] = case_read(whose)
    states = before, after
    if {"exclusion", "hidden", "merged"} & set(names):
        stood, stands = entries_state(changes)
        states = before | stood, after | stands
    if settled:
        states = states[0] | _appeals(settled, Appeal.State.OPEN), states[1] | _appeals(settled, Appeal.State.ACCEPTED)
    action = ModeratorAction.objects.create(
        at=why.now,
        moderator_id=why.moderator_id,
        kind=kind,
        reason_class=why.reason_class,
        reason=why.reason,
        player=whose.player,
        attempt=whose.attempt,
        before=states[0],
        after=states[1],
        reverts=reverts,
    )
    told = _told(action, before, after)
    # A deleted account reads nothing any more, and nobody would ever remove it.
    if told is not None and Player.objects.filter(pk=whose.player.pk, deleted_at=None).exists():
        notice_add(action=action, kind=told, words=why.words, now=why.now)
        for main in merged_with(before) | merged_with(after):
            if told in (Notice.Kind.MERGED, Notice.Kind.SEPARATED):
                notice_add(action=action, kind=told, words=why.words, now=why.now, player_id=main)
    return action


def _appeals(notices: Collection[str], state: Appeal.State) -> State:
    return {"appeals": [{"notice": notice, "state": state.value} for notice in notices]}


_KINDS: Final = {
    "exclusion": (Notice.Kind.UNDER_REVIEW, Notice.Kind.CLEARED),
    "hidden": (Notice.Kind.HIDDEN, Notice.Kind.SHOWN),
    "merged": (Notice.Kind.MERGED, Notice.Kind.SEPARATED),
    "ban": (Notice.Kind.BANNED, Notice.Kind.UNBANNED),
}
"""What a player is told when a part comes, and when it goes."""


def _told(action: ModeratorAction, before: State, after: State) -> Notice.Kind | None:
    """What the player is told of a change; None where the player would not have noticed."""
    for name, (comes, goes) in _KINDS.items():
        if name not in before or before[name] == after[name]:
            continue
        over = has_run_out(after[name], action.at)  # what a later ban had replaced, and is none any more
        if over and before[name] is None:
            continue
        kinds = [(state[name] or {}).get("kind") for state in (before, after)]
        if kinds[1] == Exclusion.Kind.DISQUALIFIED:
            return Notice.Kind.DISQUALIFIED
        if kinds == [Exclusion.Kind.DISQUALIFIED, None]:
            return Notice.Kind.REINSTATED
        return goes if after[name] is None or over else comes
    return _told_of_warning(action)


def _told_of_warning(action: ModeratorAction) -> Notice.Kind | None:
    """A warning that was taken back is cleared (without an attempt), and taken back once more it is a warning again."""
    turns, first = 0, action
    while first.reverts is not None:
        turns, first = turns + 1, first.reverts
    if first.kind != Kind.WARN:
        return None
    return Notice.Kind.CLEARED if turns % 2 else Notice.Kind.WARNED
