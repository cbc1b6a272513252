"""What moderators do: each action is one transaction with its log row, its notices and its effect on every board.

Everything an action changes stands in its log row before and after (see `action_state`), so `action_revert` sets back
exactly that. Open appeals against a decision that an action undoes are accepted with it. Locks, in the order that
finishes keep: the attempt, then the players by id, then the boards by id, then notices with appeals, then the case.
Every service raises NotFound, BadInput `reason_missing` and `reason_class`, Forbidden `role_missing`, `own_case` (nobody
moderates their own or their bots' attempts) and `staff_case` (only a head acts on who holds a role), and Conflict
`already_so` when there is nothing to change: so all are safe to repeat. `moderator_id` None is the server itself: the
judge, or a command of its operator.
"""

from __future__ import annotations

import datetime as dt
from typing import Final

from django.db import transaction

from games.errors import BadInput, Conflict, Forbidden, NotFound
from games.models import Player
from games.retry import repeat_once
from games.services import players as accounts
from games.services.passwords import is_banned

from .action_state import State, Whose, case_read, parts_read, parts_write
from .action_steps import (
    Kind,
    Why,
    already,
    attempt_locked,
    case_opened,
    log,
    may,
    merged_with,
    player_locked,
    refresh,
)
from .appeals import appeals_settle
from .cases import case_close
from .models import Exclusion, MergedAccount, ModeratorAction
from .notices import Coming
from .reverting import action_revert as action_revert
from .roles import may_ban, not_last_head

WARNED_ALREADY: Final = dt.timedelta(minutes=10)
"""The same warning again within this time is a repeat."""


# --- attempts ------------------------------------------------------------------------------------------------------


@repeat_once
def attempt_clear(
    *, attempt_id: str, moderator_id: int | None, reason_class: str, reason: str, words: str, now: dt.datetime
) -> ModeratorAction:
    """A held attempt counts again, where it stood; the case of a held or a flagged one is closed.

    Raises Conflict `not_held` for a disqualified one.
    """
    return _attempt_decide(attempt_id, Kind.CLEAR, Why(moderator_id, reason_class, reason, words, now))


@repeat_once
def attempt_hold(
    *, attempt_id: str, moderator_id: int | None, reason_class: str, reason: str, words: str, now: dt.datetime
) -> ModeratorAction:
    """An attempt leaves the boards until a moderator has looked; its case is opened.

    The judge calls it (with `moderator_id` None) in its own transaction, under the attempt's lock.
    """
    return _attempt_decide(attempt_id, Kind.HOLD, Why(moderator_id, reason_class, reason, words, now))


@repeat_once
def attempt_disqualify(
    *, attempt_id: str, moderator_id: int | None, reason_class: str, reason: str, words: str, now: dt.datetime
) -> ModeratorAction:
    """An attempt counts no more, the player's next best takes its place, and its case is closed (R8.5, case C16)."""
    return _attempt_decide(attempt_id, Kind.DISQUALIFY, Why(moderator_id, reason_class, reason, words, now))


@repeat_once
def attempt_reinstate(
    *, attempt_id: str, moderator_id: int | None, reason_class: str, reason: str, words: str, now: dt.datetime
) -> ModeratorAction:
    """A disqualified attempt counts again, with its own date. Raises Conflict `not_disqualified`."""
    return _attempt_decide(attempt_id, Kind.REINSTATE, Why(moderator_id, reason_class, reason, words, now))


def _attempt_decide(attempt_id: str, kind: Kind, why: Why) -> ModeratorAction:
    why.check()
    with transaction.atomic(durable=why.moderator_id is not None):
        whose = attempt_locked(attempt_id, why.moderator_id)
        may(why.moderator_id, kind, [whose.player])
        before = parts_read(whose, ["exclusion"]) | {"case": case_read(whose)}
        to = _decided(kind, before)
        if to != before["exclusion"]:
            since = why.now.isoformat()
            parts_write(whose, {"exclusion": None if to is None else {**to, "since": since}})
        changes = refresh(whose, ["exclusion"])
        # A hold undoes nothing; and the judge who holds has the case already, before which notices would be locked.
        settled = [] if kind == Kind.HOLD else appeals_settle(Coming(whose, {"exclusion": to}, why.now))
        if kind in (Kind.CLEAR, Kind.DISQUALIFY):
            case_close(attempt=whose.attempt, player_id=whose.player.pk, now=why.now)
        if kind == Kind.HOLD:
            case_opened(whose, why.now)
        return log(kind, whose, why, before, changes, settled=settled)


def _decided(kind: Kind, before: State) -> State | None:
    """The exclusion that a decision leads to. Raises Conflict where it makes no sense."""
    exclusion, case = before["exclusion"], before["case"]
    now_kind = exclusion["kind"] if exclusion else None
    if kind == Kind.REINSTATE:
        if now_kind != Exclusion.Kind.DISQUALIFIED:
            raise _not_disqualified()
        return None
    if kind == Kind.CLEAR:
        if now_kind == Exclusion.Kind.DISQUALIFIED:
            raise Conflict("not_held", "This attempt is disqualified, not held. Reinstate it instead.")
        if now_kind is None and (case is None or case["closed_at"] is not None):
            raise already("This attempt counts, and there is no open case.")
        return None
    to = Exclusion.Kind.HELD if kind == Kind.HOLD else Exclusion.Kind.DISQUALIFIED
    if now_kind in (to, Exclusion.Kind.DISQUALIFIED):
        raise already(f"This attempt is {now_kind} already.")
    return {"kind": to.value}


def _not_disqualified() -> Conflict:
    return Conflict("not_disqualified", "This attempt is not disqualified.")


# --- players -------------------------------------------------------------------------------------------------------


@repeat_once
def player_warn(
    *, player_id: str, moderator_id: int | None, reason_class: str, reason: str, words: str, now: dt.datetime
) -> ModeratorAction:
    """The player is told, and nothing else changes. The same warning again within ten minutes is `already_so`."""
    why = Why(moderator_id, reason_class, reason, words, now)
    with transaction.atomic(durable=True):
        whose = player_locked(player_id, Kind.WARN, why)
        same = ModeratorAction.objects.filter(
            kind=Kind.WARN, player=whose.player, moderator_id=moderator_id, reason_class=reason_class, reason=reason
        )
        if same.filter(at__gt=now - WARNED_ALREADY, reverted_by=None).exists():
            raise already("This player has just been warned of this.")
        return log(Kind.WARN, whose, why, {}, [])


@repeat_once
def case_dismiss(
    *,
    attempt_id: str | None = None,
    player_id: str = "",
    moderator_id: int | None,
    reason_class: str,
    reason: str,
    now: dt.datetime,
) -> ModeratorAction:
    """The open case about a disqualified attempt, or else about a player, deleted or not, is closed; nothing else changes,
    and the player is not told.

    Raises Conflict `not_disqualified` for any other attempt, whose case is closed by deciding about it, and
    `appeal_open` while an appeal waits that the case is about: that is to be answered.
    """
    why = Why(moderator_id, reason_class, reason, "", now)
    with transaction.atomic(durable=True):
        if attempt_id is None:
            whose = player_locked(player_id, Kind.DISMISS, why, deleted_too=True)
        else:
            whose = _disqualified(attempt_id, why)
        before = {"case": case_read(whose)}
        if before["case"] is None or before["case"]["closed_at"] is not None:
            raise already(f"There is no open case about this {'player' if attempt_id is None else 'attempt'}.")
        if not case_close(attempt=whose.attempt, player_id=whose.player.pk, now=now):
            raise Conflict("appeal_open", "An appeal waits for its answer. The case closes with that.")
        return log(Kind.DISMISS, whose, why, before, [])


def _disqualified(attempt_id: str, why: Why) -> Whose:
    why.check()
    whose = attempt_locked(attempt_id, why.moderator_id)
    may(why.moderator_id, Kind.DISMISS, [whose.player])
    if (parts_read(whose, ["exclusion"])["exclusion"] or {}).get("kind") != Exclusion.Kind.DISQUALIFIED:
        raise _not_disqualified()
    return whose


@repeat_once
def player_ban(
    *,
    player_id: str,
    moderator_id: int | None,
    reason_class: str,
    reason: str,
    words: str,
    until: dt.datetime | None,
    now: dt.datetime,
) -> ModeratorAction:
    """Shut a player out, and the player's bots, at once and until then (None: for good); results stay.

    Another end or reason replaces what there is, for who may ban until either end: else a moderator could cut short what
    a head has decided. Raises BadInput `ban_until` for an end that has passed, Conflict `last_head`.
    """
    why = Why(moderator_id, reason_class, reason, words, now)
    with transaction.atomic(durable=True):
        whose = player_locked(player_id, Kind.BAN, why)
        player = whose.player
        if moderator_id is not None:
            moderator = Player.objects.get(pk=moderator_id)
            if not may_ban(moderator, until=until, now=now):
                raise Forbidden("role_missing", "Your role does not ban for so long.")
            if is_banned(player, now) and not may_ban(moderator, until=player.banned_until, now=now):
                raise Forbidden("role_missing", "Your role does not change a ban for so long.")
        not_last_head(player)
        before = parts_read(whose, ["ban"])
        if player.banned_at is not None and (player.banned_until, player.ban_reason) == (until, reason):
            raise already("This player is banned until then already.")
        accounts.player_ban(player_id=player.pk, reason=reason, until=until, now=now)
        return log(Kind.BAN, whose, why, before, [])


@repeat_once
def player_unban(
    *, player_id: str, moderator_id: int | None, reason_class: str, reason: str, words: str, now: dt.datetime
) -> ModeratorAction:
    """Let a player back in. A ban that is over by its date is none: nothing would be taken back."""
    why = Why(moderator_id, reason_class, reason, words, now)
    with transaction.atomic(durable=True):
        whose = player_locked(player_id, Kind.UNBAN, why)
        before = parts_read(whose, ["ban"])
        if not is_banned(whose.player, now) and whose.player.is_active:  # earlier versions took that with the ban
            raise already("This player is not banned.")
        accounts.player_unban(player_id=whose.player.pk)
        settled = appeals_settle(Coming(whose, {"ban": None}, now))
        return log(Kind.UNBAN, whose, why, before, [], settled=settled)


@repeat_once
def player_hide(
    *, player_id: str, moderator_id: int | None, reason_class: str, reason: str, words: str, now: dt.datetime
) -> ModeratorAction:
    """A player leaves every board, and others do not find the profile. The player's bots are players of their own."""
    why = Why(moderator_id, reason_class, reason, words, now)
    return _set_part(player_id, Kind.HIDE, why, "hidden", {"since": now.isoformat()})


@repeat_once
def player_show(
    *, player_id: str, moderator_id: int | None, reason_class: str, reason: str, words: str, now: dt.datetime
) -> ModeratorAction:
    """A hidden player is back on every board."""
    why = Why(moderator_id, reason_class, reason, words, now)
    return _set_part(player_id, Kind.SHOW, why, "hidden", None)


@repeat_once
def accounts_merge(
    *,
    main_id: str,
    second_id: str,
    moderator_id: int | None,
    reason_class: str,
    reason: str,
    words: str,
    now: dt.datetime,
) -> ModeratorAction:
    """Results of the second account count as those of the main one, as one person's (`selectors.standing`).

    The action's player is the second account. Raises BadInput `same_account`; Conflict `persons_only` (bots stay what
    they are), `merged_elsewhere`, `main_is_merged`, `second_has_others`: an account counts as one other, directly.
    """
    why = Why(moderator_id, reason_class, reason, words, now)
    if main_id == second_id:
        raise BadInput("same_account", "An account is merged with another one.", field="other")
    with transaction.atomic(durable=True):
        main = Player.objects.filter(public_id=main_id, deleted_at=None).first()
        if main is None:
            raise NotFound
        whose = player_locked(second_id, Kind.MERGE, why, also=[main])
        if {main.kind, whose.player.kind} != {Player.Kind.PERSON}:
            raise Conflict("persons_only", "Only accounts of people are merged.")
        before = parts_read(whose, ["merged"])
        if before["merged"] is not None:
            if before["merged"]["main"] == main_id:
                raise already("These accounts are merged already.")
            raise Conflict("merged_elsewhere", "This account is merged with another one. Separate it first.")
        if MergedAccount.objects.filter(second=main).exists():
            raise Conflict("main_is_merged", "The main account is itself merged with another one.")
        if MergedAccount.objects.filter(main=whose.player).exists():
            raise Conflict("second_has_others", "Other accounts are merged with this one. Separate them first.")
        parts_write(whose, {"merged": {"main": main_id, "since": now.isoformat()}})
        return log(Kind.MERGE, whose, why, before, refresh(whose, ["merged"], also=[main.pk]))


@repeat_once
def accounts_separate(
    *, second_id: str, moderator_id: int | None, reason_class: str, reason: str, words: str, now: dt.datetime
) -> ModeratorAction:
    """Results of a merged account count for itself again."""
    why = Why(moderator_id, reason_class, reason, words, now)
    return _set_part(second_id, Kind.SEPARATE, why, "merged", None)


def _set_part(player_id: str, kind: Kind, why: Why, name: str, state: State | None) -> ModeratorAction:
    """Set the one part that an action is about, if that is a change."""
    with transaction.atomic(durable=True):
        whose = player_locked(player_id, kind, why)
        before = parts_read(whose, [name])
        if (before[name] is None) == (state is None):
            raise already("It is so already.")
        also = merged_with(before)
        parts_write(whose, {name: state})
        changes = refresh(whose, [name], also=also)
        settled = appeals_settle(Coming(whose, {name: state}, why.now))
        return log(kind, whose, why, before, changes, settled=settled)
