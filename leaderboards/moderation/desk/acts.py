"""What can be done at the desk: which acts a moderator is offered, and how each one is carried out once.

The services of `moderation.actions` decide; here is only what leads to them: who may, on whom, with which form, and that
a form sent twice does one thing.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from django.db import connection

from games.errors import Conflict, Forbidden, NotFound
from games.ids import PUBLIC_ID
from games.models import Attempt, Player

from .. import actions, selectors
from ..action_steps import within_reach
from ..appeals import appeal_answer
from ..models import Appeal, Exclusion, ModeratorAction, Notice
from ..roles import HEAD, may_act, may_answer, may_revert, role_of
from .forms import AnswerForm, BanForm, DismissForm, MergeForm, ReasonForm, RevertForm

_LOCKS: Final = 0x4445534B
"""Our half of the advisory locks' two numbers; the other is the player's."""
_ID: Final = re.compile(PUBLIC_ID)


@dataclass(frozen=True, slots=True)
class Act:
    """One kind of action as the desk offers it."""

    kind: str
    about: str
    """attempt, player, case (that of an attempt or a player), appeal or action: whose public id the address names."""
    label: str
    tells: str
    """What it does, in a sentence."""
    form: Any = ReasonForm
    """A form class of `forms`."""
    grave: bool = False


ACTS: Final = {
    act.kind: act
    for act in (
        Act("clear", "attempt", "Clear", "It counts, the case is closed, and the same evidence does not bring it back."),
        Act("hold", "attempt", "Hold", "It leaves the boards until somebody clears or disqualifies it."),
        Act("disqualify", "attempt", "Disqualify", "It leaves the boards for good; the player's next best takes its place.", grave=True),
        Act("reinstate", "attempt", "Reinstate", "A disqualified attempt counts again, where it stood."),
        Act("warn", "player", "Warn", "The player is told, and nothing else changes."),
        Act("ban", "player", "Ban", "The player and the player's bots are signed out everywhere and cannot sign in.", BanForm, grave=True),
        Act("unban", "player", "Unban", "The player can sign in again."),
        Act("hide", "player", "Hide", "The player leaves every board, and others do not find the profile.", grave=True),
        Act("show", "player", "Show again", "The player is back on every board."),
        Act("merge", "player", "Merge accounts", "Results of the second account count as those of the main one.", MergeForm, grave=True),
        Act("separate", "player", "Separate accounts", "Results of this account count for itself again."),
        Act("dismiss", "case", "Close the case", "The case is closed, and what has been decided stands. The player is not told, and more reports alone do not bring it back.", DismissForm),
        Act("answer", "appeal", "Answer the appeal", "The player is told the answer.", AnswerForm),
        Act("revert", "action", "Take back", "Everything is set back to as it was before.", RevertForm),
    )
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Subject:
    """Whom an act is about."""

    public_id: str
    player: Player
    attempt: Attempt | None = None
    appeal: Appeal | None = None
    action: ModeratorAction | None = None


def subject_of(act: Act, public_id: str) -> Subject:
    """What the address names; raises NotFound."""
    if act.about in ("attempt", "case"):
        attempt = Attempt.objects.select_related("player").defer("code").filter(public_id=public_id).first()
        if attempt is not None:
            return Subject(public_id, attempt.player, attempt)
    if act.about in ("player", "case"):
        return Subject(public_id, selectors.player_get(public_id))
    if act.about == "attempt":
        raise NotFound
    if act.about == "action":
        action = selectors.action_get(public_id)
        return Subject(public_id, action.player, action.attempt, action=action)
    appeal = (
        Appeal.objects.select_related("notice__player", "notice__action__moderator", "notice__attempt")
        .filter(notice__public_id=public_id)
        .first()
    )
    if appeal is None:
        raise NotFound
    return Subject(public_id, appeal.notice.player, appeal.notice.attempt, appeal)


def may_do(moderator: Player, act: Act, subject: Subject) -> bool:
    """Whether this moderator may do this to this subject: what is not, is neither offered nor taken."""
    try:
        within_reach(moderator.pk, [subject.player])
    except Forbidden:
        return False
    if subject.action is not None:
        return may_revert(moderator, subject.action)
    if subject.appeal is not None:
        return may_answer(moderator, decided_by=subject.appeal.notice.action.moderator_id)
    return may_act(moderator, act.kind)


def acts_on_attempt(moderator: Player, attempt: Attempt, exclusion: Exclusion | None, *, case_open: bool) -> list[Act]:
    """What makes sense for an attempt as it stands, and this moderator may do. `case_open`: whether its case waits for
    nothing but to be closed.
    """
    kind = exclusion.kind if exclusion else ""
    kinds = {"held": ["clear", "disqualify"], "disqualified": ["reinstate"]}.get(kind, ["hold", "disqualify"])
    if case_open and kind != "held":
        kinds = ["dismiss" if kind else "clear", *kinds]
    return _allowed(moderator, kinds, Subject(attempt.public_id, attempt.player, attempt))


def acts_on_player(
    moderator: Player, player: Player, standing: dict[str, Any], now: dt.datetime, *, case_open: bool
) -> list[Act]:
    """The same for a player. `case_open`: whether the case about the player waits for nothing but to be closed."""
    subject = Subject(player.public_id, player)
    closing = _allowed(moderator, ["dismiss"] if case_open else [], subject)
    if player.deleted_at:
        return closing
    banned = player.banned_at is not None and (player.banned_until is None or player.banned_until > now)
    banned |= not player.is_active  # by an earlier version, whose bans of staff did not end by themselves
    kinds = ["warn", "unban" if banned else "ban", "show" if standing["hidden"] else "hide"]
    if player.kind == Player.Kind.PERSON:
        kinds.append("separate" if standing["main"] else "merge")
    return closing + _allowed(moderator, kinds, subject)


def _allowed(moderator: Player, kinds: list[str], subject: Subject) -> list[Act]:
    return [ACTS[kind] for kind in kinds if may_do(moderator, ACTS[kind], subject)]


def form_of(act: Act, moderator: Player, about: Player, data: Any = None) -> Any:
    """The form of an act, as this moderator may fill it in."""
    return act.form(data, kind=act.kind, head=role_of(moderator) == HEAD, about=about)


# --- once ----------------------------------------------------------------------------------------------------------


def perform(
    act: Act, subject: Subject, form: Any, *, moderator: Player, seen: str, now: dt.datetime
) -> ModeratorAction | None:
    """Do it, once: None when this very form has done it already (a double click).

    `seen` is the newest action on the player when the form was shown. Somebody else's since then is a Conflict
    `changed_meanwhile`: what the moderator was told would change may not be what would. An advisory lock of the player
    makes two clicks come one after the other; the services take the locks of the rows. Raises their GameErrors.
    """
    with _one_at_a_time(subject.player.pk):
        newest = selectors.newest_action(subject.player.pk)
        if newest != seen:
            if _did_this(act, subject, form, moderator, seen, now):
                return None
            raise Conflict(
                "changed_meanwhile",
                "Somebody has acted on this player since you looked. See what has changed, then confirm again.",
            )
        try:
            return _SERVICES[act.about](act, subject, form, moderator, now)
        except Conflict as refusal:
            # The log of a merging is the second account's: what this page has seen says nothing of it.
            if (
                act.kind == "merge"
                and refusal.code == "already_so"
                and _did_this(act, subject, form, moderator, seen, now)
            ):
                return None
            raise


@contextlib.contextmanager
def _one_at_a_time(player_id: int) -> Iterator[None]:
    """Hold the advisory lock of a player; it belongs to the connection, so it spans the service's own transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s, %s)", [_LOCKS, player_id % 2**31])
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(%s, %s)", [_LOCKS, player_id % 2**31])


def _did_this(act: Act, subject: Subject, form: Any, moderator: Player, seen: str, now: dt.datetime) -> bool:
    """Whether an action after `seen` is this very deed: of the same form, with the same answers.

    What the log row and its notices say is compared, so nothing has to be kept for it. Two acts that agree in all of it
    are one: it is as well that the second is not done.
    """
    given = form.arguments(now)
    player = merged(form, subject.player)[1] if act.kind == "merge" else subject.player
    rows = ModeratorAction.objects.filter(
        kind=act.kind,
        moderator=moderator,
        player=player,
        attempt=subject.attempt,
        reverts=subject.action,
        reason=given["answer"] if act.kind == "answer" else given["reason"],
    )
    if "reason_class" in given:
        rows = rows.filter(reason_class=given["reason_class"])
    if seen:
        if not _ID.fullmatch(seen):  # no form of ours
            return False
        rows = rows.filter(id__gt=ModeratorAction.objects.filter(public_id=seen).values("id"))
    return any(_same_end(act, subject, form, row) and _same_words(given, row) for row in rows)


def _same_end(act: Act, subject: Subject, form: Any, done: ModeratorAction) -> bool:
    """Whether what was chosen in the form is what this action made so."""
    if act.kind == "ban":
        until = form.until(done.at)
        return bool(done.after["ban"]["banned_until"] == (until and until.isoformat()))
    if act.kind == "merge":
        return bool(done.after["merged"]["main"] == merged(form, subject.player)[0].public_id)
    if act.kind == "answer":
        state = Appeal.State.ACCEPTED if form.accepted else Appeal.State.REFUSED
        return bool(done.after["appeal"] == {"notice": subject.public_id, "state": state.value})
    return True


def _same_words(given: dict[str, Any], done: ModeratorAction) -> bool:
    """Whether the player was told in these words, if there was anything to tell."""
    words = given.get("answer", given.get("words", ""))
    return not Notice.objects.filter(action=done).exclude(words=words).exists()


_OfAttempt = Callable[..., ModeratorAction]


def _attempt(act: Act, subject: Subject, form: Any, moderator: Player, now: dt.datetime) -> ModeratorAction:
    services: dict[str, _OfAttempt] = {
        "clear": actions.attempt_clear,
        "hold": actions.attempt_hold,
        "disqualify": actions.attempt_disqualify,
        "reinstate": actions.attempt_reinstate,
    }
    return services[act.kind](attempt_id=subject.public_id, moderator_id=moderator.pk, now=now, **form.arguments(now))


def _player(act: Act, subject: Subject, form: Any, moderator: Player, now: dt.datetime) -> ModeratorAction:
    common = {"moderator_id": moderator.pk, "now": now, **form.arguments(now)}
    if act.kind == "merge":
        main, second = merged(form, subject.player)
        return actions.accounts_merge(main_id=main.public_id, second_id=second.public_id, **common)
    if act.kind == "separate":
        return actions.accounts_separate(second_id=subject.public_id, **common)
    services: dict[str, _OfAttempt] = {
        "warn": actions.player_warn,
        "ban": actions.player_ban,
        "unban": actions.player_unban,
        "hide": actions.player_hide,
        "show": actions.player_show,
    }
    return services[act.kind](player_id=subject.public_id, **common)


def _case(act: Act, subject: Subject, form: Any, moderator: Player, now: dt.datetime) -> ModeratorAction:
    whose = {"attempt_id" if subject.attempt else "player_id": subject.public_id}
    return actions.case_dismiss(**whose, moderator_id=moderator.pk, now=now, **form.arguments(now))


def merged(form: Any, player: Player) -> tuple[Player, Player]:
    """Main and second account of a merge form."""
    assert form.account is not None
    return (form.account, player) if form.cleaned_data["main"] == "other" else (player, form.account)


def _appeal(act: Act, subject: Subject, form: Any, moderator: Player, now: dt.datetime) -> ModeratorAction:
    return appeal_answer(notice_id=subject.public_id, moderator_id=moderator.pk, now=now, **form.arguments(now))


def _action(act: Act, subject: Subject, form: Any, moderator: Player, now: dt.datetime) -> ModeratorAction:
    return actions.action_revert(action_id=subject.public_id, moderator_id=moderator.pk, now=now, **form.arguments(now))


_SERVICES: Final = {"attempt": _attempt, "player": _player, "case": _case, "appeal": _appeal, "action": _action}
