"""Appeals: a player answers a decision once, and a head moderator who did not make it answers the player.

Whatever undoes the decision meanwhile, whoever does it, has answered: the appeal is accepted with it.
"""

from __future__ import annotations

import datetime as dt
from typing import Final

from django.db import transaction

from games.errors import BadInput, Conflict, Forbidden, NotFound
from games.models import Player
from games.retry import repeat_once
from leaderboards.services.entries import players_keep

from .cases import case_close, case_raise
from .models import Appeal, ModeratorAction, Notice
from .notices import APPEALABLE, Coming, is_over, is_undone, notice_add, notices_of, undone
from .roles import may_act, may_answer

TEXT_LONGEST: Final = 2000


@repeat_once
def appeal_make(*, player_id: int, notice_id: str, text: str, now: dt.datetime) -> Appeal:
    """Appeal against the decision that a notice tells of, once; it brings the case back to the moderators.

    Keeps the player and whom the notice is for, then locks the notice, then the case (`case_raise`). The same text again
    gets the same answer. Raises NotFound for a notice that is neither the player's nor of a bot of theirs; Conflict
    `not_appealable` (it decides nothing against the player, or is a ban that is over), `taken_back` (the decision stands no more),
    `already_appealed`.
    """
    with transaction.atomic(durable=True):
        mine = Notice.objects.filter(notices_of(player_id), public_id=notice_id)
        told = mine.values_list("player_id", flat=True).first()
        if told is None:
            raise NotFound
        players_keep([player_id, told])  # before the notice, as a deletion does and whoever undoes the decision
        notice = mine.select_for_update(of=("self",)).select_related("action", "attempt", "player").first()
        if notice is None:
            raise NotFound
        known = Appeal.objects.filter(notice=notice).first()
        if known is not None:
            if known.text == text:
                return known
            raise Conflict("already_appealed", "You have appealed against this decision already.")
        if notice.kind not in APPEALABLE:
            raise Conflict("not_appealable", "There is nothing to appeal against here.")
        if is_undone(notice):
            raise Conflict("taken_back", "This decision has been taken back already.")
        if is_over(notice, now):
            raise Conflict("not_appealable", "This ban is over.")
        appeal = Appeal.objects.create(notice=notice, text=text, at=now)
        case_raise(attempt=notice.attempt, player_id=notice.player_id, severity=0, reasons=["appeal"], now=now)
        return appeal


@repeat_once
def appeal_answer(*, notice_id: str, moderator_id: int, accept: bool, answer: str, now: dt.datetime) -> ModeratorAction:
    """A head moderator's answer to an open appeal, told to the player.

    Accepting takes nothing back by itself: the desk leads on to `actions.action_revert` of the notice's action, so that
    what changes is one logged act with its own reason; the case stays open for it. Refusing closes the case, unless
    another appeal about it waits.

    Keeps both players, then locks the notice's appeal, then the case. The same answer again is safe. Raises NotFound; Forbidden `role_missing`,
    `own_case` (one's own or a bot's appeal), `own_decision` (unless there is no other head); BadInput `reason_missing`;
    Conflict `already_answered`.
    """
    if not answer.strip():
        raise BadInput("reason_missing", "Say why: the player reads it.", field="answer")
    state = Appeal.State.ACCEPTED if accept else Appeal.State.REFUSED
    with transaction.atomic(durable=True):
        told = Notice.objects.filter(public_id=notice_id).values_list("player_id", "player__owner_id").first()
        players_keep([moderator_id, *(pk for pk in told or () if pk is not None)])
        found = Appeal.objects.select_for_update(of=("self",)).select_related("notice__action", "notice__player")
        appeal = found.filter(notice__public_id=notice_id).first()
        if appeal is None:
            raise NotFound
        notice = appeal.notice
        _may_answer(moderator_id, notice)
        if appeal.state != Appeal.State.OPEN:
            given = _answer_of(notice)
            if given is not None and (appeal.state, appeal.answer, given.moderator_id) == (state, answer, moderator_id):
                return given
            raise Conflict("already_answered", "This appeal has been answered.")
        appeal.state, appeal.answer, appeal.answered_at = state, answer, now
        appeal.save(update_fields=["state", "answer", "answered_at"])
        action = ModeratorAction.objects.create(
            at=now,
            moderator_id=moderator_id,
            kind=ModeratorAction.Kind.ANSWER,
            reason_class=notice.reason_class,
            reason=answer,
            player=notice.player,
            attempt=notice.attempt,
            before={"appeal": {"notice": notice.public_id, "state": Appeal.State.OPEN.value}},
            after={"appeal": {"notice": notice.public_id, "state": state.value}},
        )
        notice_add(action=action, kind=Notice.Kind.ANSWERED, words=answer, now=now)
        if not accept:
            case_close(attempt=notice.attempt, player_id=notice.player_id, now=now)
        return action


def appeals_settle(by: Coming) -> list[str]:
    """Accept the open appeals against what an action has just undone (`notices.undone`); the public ids of their notices.

    The player reads of it in the notice of the action. In its transaction: locks the notices, as whoever appeals does,
    then the appeals; before the case, as an answer does.
    """
    notices = Notice.objects.select_for_update(of=("self",), no_key=True).filter(undone(by), kind__in=APPEALABLE)
    ids = list(notices.order_by("id").values_list("id", flat=True))
    waiting = Appeal.objects.select_for_update(of=("self",), no_key=True).filter(
        notice__in=ids, state=Appeal.State.OPEN
    )
    settled = dict(waiting.order_by("notice").values_list("notice_id", "notice__public_id"))
    Appeal.objects.filter(notice__in=settled).update(state=Appeal.State.ACCEPTED, answered_at=by.now)
    return list(settled.values())


def _may_answer(moderator_id: int, notice: Notice) -> None:
    moderator = Player.objects.get(pk=moderator_id)
    if not may_act(moderator, ModeratorAction.Kind.ANSWER):
        raise Forbidden("role_missing", "Only head moderators answer appeals.")
    if moderator_id in (notice.player_id, notice.player.owner_id):
        raise Forbidden("own_case", "Nobody answers an appeal of their own.")
    if not may_answer(moderator, decided_by=notice.action.moderator_id):
        raise Forbidden("own_decision", "You made this decision. Another head moderator answers the appeal.")


def _answer_of(notice: Notice) -> ModeratorAction | None:
    answers = ModeratorAction.objects.filter(kind=ModeratorAction.Kind.ANSWER, player_id=notice.player_id)
    return answers.filter(after__appeal__notice=notice.public_id).first()
