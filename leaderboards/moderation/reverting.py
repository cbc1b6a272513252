"""Taking an action of a moderator back, exactly."""

from __future__ import annotations

import datetime as dt

from django.db import transaction

from games.errors import Conflict, Forbidden, NotFound
from games.models import Player
from games.retry import repeat_once
from leaderboards.services.entries import players_lock

from .action_state import PARTS, Whose, case_read, case_write, parts_read, parts_write
from .action_steps import (
    Kind,
    Why,
    attempt_locked,
    case_opened,
    log,
    merged_with,
    refresh,
    somebody,
    within_reach,
)
from .appeals import appeals_settle
from .models import Case, Exclusion, MergedAccount, ModeratorAction
from .notices import Coming
from .roles import may_revert, not_last_head


@repeat_once
def action_revert(
    *, action_id: str, moderator_id: int | None, reason: str, words: str, now: dt.datetime
) -> ModeratorAction:
    """Take an action back: whatever it changed is set to exactly what it was, and every entry with it.

    A case is set back if nobody has touched it since; open appeals against it are accepted. What was taken back can be
    brought back by taking that back. Takes the locks of the action, and none of its row: the purge of deleted accounts
    comes to that from the attempt, and two who take the same back meet at the attempt or the player.
    Raises Conflict `already_reverted`, `changed_since` (what it changed has been changed again: take that back first),
    `not_revertible` (an answer to an appeal, or an attempt or a case that is gone), `last_head` (a ban would come back).
    """
    with transaction.atomic(durable=True):
        actions = ModeratorAction.objects.select_related("player", "attempt").filter(public_id=action_id)
        done = actions.first()
        if done is None:
            raise NotFound
        why = Why(moderator_id, done.reason_class, reason, words, now)
        why.check()
        names = [name for name in PARTS if name in done.after]
        revertible_check(done)
        whose = _locked_again(done, moderator_id)
        done = actions.get()
        revertible_check(done)  # once more: taken back, or its attempt purged, while this waited
        if moderator_id is not None:
            within_reach(moderator_id, [whose.player])
            if not may_revert(Player.objects.get(pk=moderator_id), done):
                raise Forbidden("role_missing", "Your role does not take this back.")
        return _set_back(done, whose, names, why)


def is_revertible(action: ModeratorAction) -> bool:
    """Whether an action is of those that can be taken back at all: no answer to an appeal, no attempt that is gone, nor
    a case that was closed by itself and is gone. A query for these alone.
    """
    if action.kind == Kind.ANSWER or ("exclusion" in action.after and action.attempt_id is None):
        return False
    case = None if PARTS.keys() & action.after.keys() else action.after.get("case")
    return case is None or Case.objects.filter(public_id=case["id"]).exists()


def revertible_check(action: ModeratorAction) -> None:
    """Raises Conflict `not_revertible` unless `is_revertible`, and `already_reverted`. Exact under the action's locks."""
    if not is_revertible(action):
        raise _not_revertible()
    if ModeratorAction.objects.filter(reverts=action).exists():
        raise Conflict("already_reverted", "This has been taken back already.")


def _not_revertible() -> Conflict:
    return Conflict("not_revertible", "This cannot be taken back.")


def _locked_again(done: ModeratorAction, moderator_id: int | None) -> Whose:
    """The locks of the action that is taken back."""
    if done.attempt is not None:
        try:
            return attempt_locked(done.attempt.public_id, moderator_id)
        except NotFound:  # purged while this waited for it
            raise _not_revertible() from None
    mains = [state["merged"]["main"] for state in (done.before, done.after) if state.get("merged")]
    others = Player.objects.filter(public_id__in=mains).values_list("id", flat=True)
    locked = players_lock([done.player_id, *others, *somebody(moderator_id)])
    return Whose(locked[done.player_id], done.attempt)


def _set_back(done: ModeratorAction, whose: Whose, names: list[str], why: Why) -> ModeratorAction:
    present = parts_read(whose, names)
    if any(present[name] != done.after[name] for name in names):
        raise Conflict("changed_since", "What this changed has been changed again since. Take that back first.")
    if done.before.get("ban"):
        not_last_head(whose.player)
    if (done.before.get("merged") or {}).get("main"):
        _may_be_merged(whose.player, done.before["merged"]["main"])
    before = dict(present)
    if "case" in done.after:
        before["case"] = case_read(whose)
    untouched = "case" in done.after and before["case"] == done.after["case"]
    if "case" in done.after and not untouched and not names:  # the case was all that it changed
        raise Conflict("changed_since", "The case has been opened or closed again since.")
    parts = {name: done.before[name] for name in names}
    parts_write(whose, parts)
    changes = refresh(whose, names, also=merged_with(done.before) | merged_with(done.after))
    settled = appeals_settle(Coming(whose, parts, why.now, done))
    if untouched:
        case_write(whose, done.before["case"], now=why.now)
    if (done.before.get("exclusion") or {}).get("kind") == Exclusion.Kind.HELD:
        case_opened(whose, why.now)
    return log(Kind.REVERT, whose, why, before, changes, reverts=done, settled=settled)


def _may_be_merged(second: Player, main_id: str) -> None:
    """Raises Conflict `changed_since` where the merging that is brought back has become impossible."""
    main = Player.objects.filter(public_id=main_id, deleted_at=None).first()
    if main is None or MergedAccount.objects.filter(second=main).exists() or second.deleted_at is not None:
        raise Conflict("changed_since", "The main account is merged itself, or gone.")
    if MergedAccount.objects.filter(main=second).exists():
        raise Conflict("changed_since", "Other accounts have been merged with this one since.")
