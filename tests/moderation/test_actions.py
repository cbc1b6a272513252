"""Each action of a moderator: its effect, its log row, its notice, and the exact way back."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

import pytest

from games.errors import BadInput, Conflict, Forbidden, GameError, NotFound
from games.models import Player
from games.services.credentials import credential_find
from leaderboards.moderation import actions
from leaderboards.moderation.cases import case_raise
from leaderboards.moderation.models import (
    Case,
    Exclusion,
    HiddenPlayer,
    MergedAccount,
    ModeratorAction,
    Notice,
)
from leaderboards.selectors import player_profile
from tests.factories import credential
from tests.leaderboards.cast import NOON, bot
from tests.staff import staff

from .season import WHY, Season, bettered_with_undo, boards, profiles, season, versions

pytestmark = pytest.mark.django_db
Do = Callable[[Season, int], ModeratorAction]
LATER = NOON + dt.timedelta(days=3)


def held(s: Season, by: int) -> ModeratorAction:
    return actions.attempt_hold(attempt_id=s.record.public_id, moderator_id=by, now=NOON, **WHY)


def cleared(s: Season, by: int) -> ModeratorAction:
    return actions.attempt_clear(attempt_id=s.record.public_id, moderator_id=by, now=NOON, **WHY)


def disqualified(s: Season, by: int) -> ModeratorAction:
    return actions.attempt_disqualify(attempt_id=s.record.public_id, moderator_id=by, now=NOON, **WHY)


def reinstated(s: Season, by: int) -> ModeratorAction:
    return actions.attempt_reinstate(attempt_id=s.record.public_id, moderator_id=by, now=NOON, **WHY)


def warned(s: Season, by: int) -> ModeratorAction:
    return actions.player_warn(player_id=s.alice.public_id, moderator_id=by, now=NOON, **WHY)


def banned(s: Season, by: int) -> ModeratorAction:
    return actions.player_ban(player_id=s.alice.public_id, moderator_id=by, until=LATER, now=NOON, **WHY)


def unbanned(s: Season, by: int) -> ModeratorAction:
    return actions.player_unban(player_id=s.alice.public_id, moderator_id=by, now=NOON, **WHY)


def hidden(s: Season, by: int) -> ModeratorAction:
    return actions.player_hide(player_id=s.alice.public_id, moderator_id=by, now=NOON, **WHY)


def shown(s: Season, by: int) -> ModeratorAction:
    return actions.player_show(player_id=s.alice.public_id, moderator_id=by, now=NOON, **WHY)


def merged(s: Season, by: int) -> ModeratorAction:
    return actions.accounts_merge(
        main_id=s.bob.public_id, second_id=s.second.public_id, moderator_id=by, now=NOON, **WHY
    )


def separated(s: Season, by: int) -> ModeratorAction:
    return actions.accounts_separate(second_id=s.second.public_id, moderator_id=by, now=NOON, **WHY)


def reverted(action: ModeratorAction, by: int) -> ModeratorAction:
    return actions.action_revert(action_id=action.public_id, moderator_id=by, reason="a mistake", words="", now=NOON)


ALL: dict[str, tuple[Do | None, Do, str, str]] = {
    "hold": (None, held, "under_review", "cleared"),
    "clear": (held, cleared, "cleared", "under_review"),
    "disqualify": (None, disqualified, "disqualified", "reinstated"),
    "disqualify what is held": (held, disqualified, "disqualified", "under_review"),
    "reinstate": (disqualified, reinstated, "reinstated", "disqualified"),
    "warn": (None, warned, "warned", "cleared"),
    "ban": (None, banned, "banned", "unbanned"),
    "unban": (banned, unbanned, "unbanned", "banned"),
    "hide": (None, hidden, "hidden", "shown"),
    "show": (hidden, shown, "shown", "hidden"),
    "merge": (None, merged, "merged", "separated"),
    "separate": (merged, separated, "separated", "merged"),
}
"""What must be so first, the action, and what the player is told of it and of its being taken back."""
UNSEEN = ("warn", "ban", "unban", "disqualify what is held")
"""What changes no board."""


def rows() -> list[Any]:
    """Everything decided, as it stands."""
    bans = Player.objects.exclude(banned_at=None).values_list(
        "name", "banned_at", "banned_until", "ban_reason", "is_active"
    )
    return [
        list(Exclusion.objects.values_list()),
        list(HiddenPlayer.objects.values_list()),
        list(MergedAccount.objects.values_list()),
        list(bans),
        list(Case.objects.exclude(closed_at__isnull=False).values_list("attempt_id", "closed_at")),
    ]


@pytest.mark.parametrize("name", ALL)
def test_whatever_is_done_is_taken_back_exactly(name: str) -> None:
    first, act, told, told_back = ALL[name]
    s = season()
    bettered_with_undo(s.alice)
    if first is not None:
        first(s, s.head.pk)
    before, pages, decided, version = boards(), profiles(), rows(), versions()
    action = act(s, s.head.pk)
    changed = boards()
    assert (changed != before) == (name not in UNSEEN), "a ban removes no result"
    raised = {board for board, at in versions().items() if at != version[board]}
    really = {
        board.rsplit(" ", 1)[0] for board in before if board.endswith(" rows") and changed[board] != before[board]
    }
    assert raised == really, "only boards that change get a new version"
    assert all(versions()[board] == version[board] + 1 for board in raised), "once"
    back = reverted(action, s.head.pk)
    assert boards() == before
    assert profiles() == pages
    assert rows() == decided
    notices = Notice.objects.filter(player=action.player).order_by("-id").values_list("kind", flat=True)
    assert list(notices[:2]) == [told_back, told]
    assert (back.kind, back.reverts, back.moderator, back.reason) == ("revert", action, s.head, "a mistake")
    for part in {"exclusion", "hidden", "merged", "ban"} & set(action.before):
        assert (back.before[part], back.after[part]) == (action.after[part], action.before[part])
        assert action.before[part] != action.after[part]
    with pytest.raises(Conflict) as again:
        reverted(action, s.head.pk)
    assert again.value.code == "already_reverted"
    if name != "warn":
        reverted(back, s.head.pk)  # taken back in turn: done once more
        assert boards() == changed


def test_control_the_picture_notices_one_millisecond() -> None:
    s = season()
    before = boards()
    from leaderboards.models import Entry

    row = Entry.objects.filter(attempt=s.record, board__view="best").get()
    Entry.objects.filter(pk=row.pk).update(finished_ms=row.finished_ms + 1)
    assert boards() != before


def test_the_log_says_who_when_why_and_what_stood_before_and_after() -> None:
    s = season()
    action = disqualified(s, s.mod.pk)
    assert (action.moderator, action.at, action.reason_class, action.reason) == (s.mod, NOON, "copied", WHY["reason"])
    assert (action.player, action.attempt) == (s.alice, s.record)
    assert (action.before["exclusion"], action.after["exclusion"]["kind"]) == (None, "disqualified")
    stood = {(row["board"], row["view"], row["attempt"], row["moves"]) for row in action.before["entries"]}
    assert {(view, attempt, moves) for _board, view, attempt, moves in stood} == {
        ("best", s.record.public_id, 40),
        ("first", s.record.public_id, 40),
    }
    [stands] = action.after["entries"]
    assert (stands["view"], stands["player"], stands["moves"]) == ("best", s.alice.public_id, 44), "her second best"
    assert action.after["entries_changed"] == 2
    notice = Notice.objects.get(action=action)
    assert (notice.player, notice.kind, notice.reason_class, notice.words, notice.attempt) == (
        s.alice, "disqualified", "copied", WHY["words"], s.record,
    )  # fmt: skip
    assert s.daily.code not in str(ModeratorAction.objects.values_list("before", "after")), "R10.1"


def test_a_daily_in_the_log_is_named_by_its_date_and_never_by_its_code() -> None:
    s = season()
    action = hidden(s, s.head.pk)
    assert {row["board"] for row in action.before["entries"]} >= {s.daily.key}
    assert s.daily.code not in str([action.before, action.after])


# --- refusals ------------------------------------------------------------------------------------------------------


def code_of(call: Callable[[], object]) -> str:
    with pytest.raises(GameError) as refused:
        call()
    return refused.value.code


@pytest.mark.parametrize("name", ALL)
def test_a_repeat_changes_nothing_and_says_so(name: str) -> None:
    first, act, *_ = ALL[name]
    s = season()
    if first is not None:
        first(s, s.head.pk)
    act(s, s.head.pk)
    before, log = boards(), ModeratorAction.objects.count()
    code = code_of(lambda: act(s, s.head.pk))
    assert code == ("not_disqualified" if name == "reinstate" else "already_so")
    assert (boards(), ModeratorAction.objects.count()) == (before, log)


@pytest.mark.parametrize("name", ALL)
def test_no_action_without_a_reason(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    first, act, *_ = ALL[name]
    s = season()
    if first is not None:
        first(s, s.head.pk)
    for key, value, code in (("reason", " ", "reason_missing"), ("reason_class", "because", "reason_class")):
        with monkeypatch.context() as other:
            other.setitem(WHY, key, value)
            with pytest.raises(BadInput) as refused:
                act(s, s.head.pk)
        assert refused.value.code == code


def test_what_makes_no_sense_is_refused_in_so_many_words() -> None:
    s = season()
    assert code_of(lambda: reinstated(s, s.mod.pk)) == "not_disqualified"
    assert code_of(lambda: cleared(s, s.mod.pk)) == "already_so"
    disqualified(s, s.mod.pk)
    assert code_of(lambda: cleared(s, s.mod.pk)) == "not_held"
    assert code_of(lambda: held(s, s.mod.pk)) == "already_so"
    assert (
        code_of(lambda: actions.attempt_hold(attempt_id="0" * 16, moderator_id=s.mod.pk, now=NOON, **WHY))
        == "not_found"
    )
    past = NOON - dt.timedelta(seconds=1)
    refused = lambda: actions.player_ban(player_id=s.bob.public_id, moderator_id=s.head.pk, until=past, now=NOON, **WHY)  # noqa: E731
    assert code_of(refused) == "ban_until"


def test_only_persons_are_merged_and_only_directly() -> None:
    s = season()

    def merge(main: Player, second: Player) -> str:
        names = {"main_id": main.public_id, "second_id": second.public_id}
        return code_of(lambda: actions.accounts_merge(**names, moderator_id=s.head.pk, now=NOON, **WHY))

    assert merge(s.bob, s.bob) == "same_account"
    assert merge(s.bob, s.robot) == "persons_only"
    merged(s, s.head.pk)
    assert merge(s.alice, s.second) == "merged_elsewhere"
    assert merge(s.second, s.alice) == "main_is_merged"
    assert merge(s.alice, s.bob) == "second_has_others"


def test_nobody_moderates_themselves_their_bots_or_an_account_merged_with_theirs() -> None:
    s = season()
    own = bot("helper", s.head)
    for player in (s.head, own):
        with pytest.raises(Forbidden) as refused:
            actions.player_hide(player_id=player.public_id, moderator_id=s.head.pk, now=NOON, **WHY)
        assert refused.value.code == "own_case"
    actions.accounts_merge(main_id=s.alice.public_id, second_id=s.head.public_id, moderator_id=None, now=NOON, **WHY)
    assert code_of(lambda: disqualified(s, s.head.pk)) == "own_case"
    action = disqualified(s, s.mod.pk)
    assert code_of(lambda: reverted(action, s.head.pk)) == "own_case"


def test_roles_are_asked_at_every_action() -> None:
    s = season()
    auditor, nobody = staff("audrey", role="auditor"), staff("stan", role="staff")
    for who in (auditor, nobody, s.carol):
        for first, act, *_ in ALL.values():
            if first is None:
                assert code_of(lambda act=act, who=who: act(s, who.pk)) == "role_missing"  # type: ignore[misc]
    for act in (hidden, merged, shown, separated):
        assert code_of(lambda act=act: act(s, s.mod.pk)) == "role_missing"  # type: ignore[misc]
    for_good: dict[str, Any] = {"player_id": s.alice.public_id, "moderator_id": s.mod.pk, "now": NOON}
    assert code_of(lambda: actions.player_ban(**for_good, until=None, **WHY)) == "role_missing"
    action = hidden(s, s.head.pk)
    assert code_of(lambda: reverted(action, s.mod.pk)) == "role_missing"
    assert ModeratorAction.objects.count() == 1


def test_what_has_been_changed_since_is_not_set_back() -> None:
    s = season()
    hold = held(s, s.head.pk)
    disqualified(s, s.head.pk)
    before = boards()
    assert code_of(lambda: reverted(hold, s.head.pk)) == "changed_since"
    assert boards() == before
    with pytest.raises(NotFound):
        actions.action_revert(action_id="0" * 16, moderator_id=s.head.pk, reason="x", words="", now=NOON)


# --- players -------------------------------------------------------------------------------------------------------


def test_a_ban_ends_rights_at_once_and_its_way_back_brings_them_again() -> None:
    s = season()
    owner, machine = credential(s.carol), credential(s.robot)

    def rights() -> list[bool]:
        hashes = [bytes(who.credential.token_hash) for who in (owner, machine)]
        return [credential_find(token_hash=each, via="bearer", now=NOON) is not None for each in hashes]

    ban = actions.player_ban(player_id=s.carol.public_id, moderator_id=s.head.pk, until=None, now=NOON, **WHY)
    assert rights() == [False, False], "and the bot's"
    reverted(ban, s.head.pk)
    assert rights() == [True, True]


def test_a_hidden_player_is_found_by_nobody_but_the_player_and_staff() -> None:
    s = season()
    hidden(s, s.head.pk)
    for stranger in (None, s.bob.pk):
        with pytest.raises(NotFound):
            player_profile(public_id=s.alice.public_id, viewer_id=stranger, now=NOON)
    for inside in (s.alice.pk, s.mod.pk):
        found = player_profile(public_id=s.alice.public_id, viewer_id=inside, now=NOON)
        assert (found["dailies"]["played"], found["records"]["count"], found["best_runs"]) == (0, 0, [])
        assert found["results"]


def test_the_owner_and_staff_see_what_does_not_count_and_how_it_stands() -> None:
    s = season()
    disqualified(s, s.mod.pk)

    def listed(viewer: Player | None) -> dict[str, str]:
        found = player_profile(public_id=s.alice.public_id, viewer_id=viewer.pk if viewer else None, now=NOON)
        return {row["id"]: row["standing"] for row in found["results"]}

    assert listed(s.alice)[s.record.public_id] == listed(s.mod)[s.record.public_id] == "disqualified"
    assert s.record.public_id not in listed(s.bob) | listed(None)
    assert set(listed(None).values()) == {"counts"}
    reinstated(s, s.mod.pk)
    held(s, s.mod.pk)
    assert listed(s.alice)[s.record.public_id] == "held"


# --- cases ---------------------------------------------------------------------------------------------------------


def test_clearing_a_flagged_attempt_closes_its_case_and_tells_nobody() -> None:
    s = season()
    case = case_raise(attempt=s.record, player_id=s.alice.pk, severity=30, reasons=["same_line"], now=NOON)
    before = boards()
    action = cleared(s, s.mod.pk)
    case.refresh_from_db()
    assert (case.closed_at, boards() == before, Notice.objects.count()) == (NOON, True, 0)
    reverted(action, s.mod.pk)
    case.refresh_from_db()
    assert case.closed_at is None


def test_what_is_held_is_in_the_queue_whoever_holds_it() -> None:
    s = season()
    hold = held(s, s.mod.pk)
    assert Case.objects.get(attempt=s.record).closed_at is None
    clear = cleared(s, s.mod.pk)
    assert Case.objects.get(attempt=s.record).closed_at is not None
    reverted(clear, s.mod.pk)
    assert Case.objects.get(attempt=s.record).closed_at is None
    reverted(hold, s.mod.pk)
    assert Case.objects.get(attempt=s.record).closed_at is not None, "there was no case before"


def test_a_closed_case_opens_again_for_new_reasons_only() -> None:
    s = season()

    def raised(severity: int, *reasons: str, reported: bool = False) -> Case:
        return case_raise(
            attempt=s.record, player_id=s.alice.pk, severity=severity, reasons=reasons, now=NOON, reported=reported
        )

    assert raised(30, "same_line").closed_at is None
    cleared(s, s.mod.pk)
    assert raised(40, "same_line").closed_at is not None
    assert raised(0, "report", reported=True).closed_at is None
    case = Case.objects.get(attempt=s.record)
    assert (case.severity, case.reasons, case.reports) == (40, ["same_line", "report"], 1)
    cleared(s, s.mod.pk)
    assert raised(0, "report", reported=True).closed_at is not None
    assert raised(0, "appeal").closed_at is None
    cleared(s, s.mod.pk)
    assert raised(0, "appeal").closed_at is None, "each appeal is about something else"
    assert Case.objects.count() == 1


def test_a_player_has_a_case_apart_from_those_of_attempts() -> None:
    s = season()
    of_attempt = case_raise(attempt=s.record, player_id=s.alice.pk, severity=1, reasons=["report"], now=NOON)
    of_player = case_raise(attempt=None, player_id=s.alice.pk, severity=1, reasons=["report"], now=NOON)
    assert of_attempt.pk != of_player.pk
    assert case_raise(attempt=None, player_id=s.alice.pk, severity=2, reasons=["report"], now=NOON).pk == of_player.pk
