"""Who acts on whom among staff, and on what a head has decided: no moderator locks a head out, and one head stays."""

from __future__ import annotations

import datetime as dt
import io
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client

from games import clock
from games.errors import GameError
from games.models import Attempt, Player
from leaderboards.moderation import actions, roles, selectors
from leaderboards.moderation.models import Exclusion, ModeratorAction
from leaderboards.moderation.roles import role_of, role_set
from leaderboards.services import account_delete
from tests.calls import call
from tests.factories import PASSWORD, bot, credential, person, token
from tests.staff import signed_in_moderator, staff

from .desk import REASON, do, do_path, flagged, page_of, player_page, read
from .playing import play

pytestmark = pytest.mark.django_db

DAY = dt.timedelta(days=1)
ROLES = ("moderator", "head", "auditor", "superuser")
ON_ATTEMPTS = ("clear", "hold", "disqualify", "reinstate")


def post(browser: Client, kind: str, subject: str, player: Player, **given: str) -> int:
    """Send an act's form past every page that leads to it."""
    body = {**REASON, **given, "step": "do", "seen": selectors.newest_action(player.pk)}
    return int(browser.post(do_path(kind, subject), body).status_code)


def code_of(call: Callable[[], object]) -> str:
    with pytest.raises(GameError) as refused:
        call()
    return refused.value.code


def ban(player: Player, by: Player | None, until: dt.datetime | None = None) -> ModeratorAction:
    moderator_id = by.pk if by else None
    return actions.player_ban(
        player_id=player.public_id, moderator_id=moderator_id, until=until, now=clock.now(), **REASON
    )


# --- whoever holds a role ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("whose", ["own", "bot's"])
def test_a_moderator_acts_on_nobody_who_holds_a_role_and_a_head_does(mod: Client, role: str, whose: str) -> None:
    owner = staff("stella", role=role)
    player = owner if whose == "own" else bot("stellar", owner=owner)
    attempt = play(token(player))
    case = flagged(attempt)
    for page in (read(mod, page_of(case)), read(mod, player_page(player))):
        assert "/do/" not in page
    for kind in (*ON_ATTEMPTS, "warn", "ban"):
        subject = attempt.public_id if kind in ON_ATTEMPTS else player.public_id
        assert mod.get(do_path(kind, subject)).status_code == 403, kind
        assert post(mod, kind, subject, player, length="1") == 403, kind
    me = Player.objects.get(name="mod")
    common: dict[str, Any] = {"moderator_id": me.pk, "now": clock.now(), **REASON}
    assert code_of(lambda: actions.attempt_hold(attempt_id=attempt.public_id, **common)) == "staff_case"
    assert code_of(lambda: actions.player_warn(player_id=player.public_id, **common)) == "staff_case"
    assert code_of(lambda: ban(player, me, clock.now() + DAY)) == "staff_case"
    assert not ModeratorAction.objects.exists()

    boss = Client()
    signed_in_moderator(boss, role="head", name="hilda")
    for kind in ("disqualify", "reinstate"):
        do(boss, kind, attempt.public_id)
    do(boss, "ban", player.public_id, length="1")
    assert role_of(owner) == (None if whose == "own" else {"superuser": "head"}.get(role, role))


def test_staff_without_a_role_are_players_like_others(mod: Client) -> None:
    do(mod, "ban", staff("cleaner", role="staff").public_id, length="1")


def test_a_role_is_beyond_a_moderator_while_its_ban_lasts(mod: Client) -> None:
    sleeper = staff("stella", role="auditor")
    ban(sleeper, None, clock.now() + 9 * DAY)
    assert post(mod, "ban", sleeper.public_id, sleeper, length="1") == 403


def test_a_moderator_takes_nothing_back_from_who_has_been_given_a_role(mod: Client) -> None:
    alice = person("alice")
    do(mod, "ban", alice.public_id, length="1")
    done = ModeratorAction.objects.get()
    Player.objects.filter(pk=alice.pk).update(is_staff=True, is_superuser=True)
    assert post(mod, "revert", done.public_id, alice) == 403
    me = Player.objects.get(name="mod")
    back: dict[str, Any] = {"action_id": done.public_id, "reason": "-", "words": "", "now": clock.now()}
    assert code_of(lambda: actions.action_revert(moderator_id=me.pk, **back)) == "staff_case"


def test_the_judge_holds_anybody() -> None:
    attempt: Attempt = play(token(staff("stella", role="head")))
    actions.attempt_hold(attempt_id=attempt.public_id, moderator_id=None, now=clock.now(), **REASON)
    assert Exclusion.objects.get().attempt == attempt


# --- the last head -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("role", ["head", "superuser"])
def test_nobody_bans_the_last_head_who_can_act(role: str) -> None:
    first, second = staff("first", role=role), staff("second", role="head")
    ban(second, None, clock.now() + DAY)
    for until in (None, clock.now() + DAY):
        assert code_of(lambda until=until: ban(first, None, until)) == "last_head"  # type: ignore[misc]
    with pytest.raises(CommandError, match="last head"):
        call_command("player_ban", "first", "--reason", "-", stdout=io.StringIO())
    assert role_of(first) == "head"
    ban(second, None)  # who cannot act anyway
    call_command("player_unban", "second", stdout=io.StringIO())
    ban(first, None)
    assert (role_of(first), role_of(second)) == (None, "head")


def test_a_ban_of_the_last_head_does_not_come_back() -> None:
    first, second = staff("first", role="head"), staff("second", role="head")
    done = ban(first, None)
    back: dict[str, Any] = {"moderator_id": None, "reason": "-", "words": "", "now": clock.now()}
    undone = actions.action_revert(action_id=done.public_id, **back)
    role_set(player_id=second.pk, role="auditor")
    assert code_of(lambda: actions.action_revert(action_id=undone.public_id, **back)) == "last_head"
    assert role_of(first) == "head"


def test_nobody_takes_the_role_from_the_last_head_who_can_act() -> None:
    first, second = staff("first", role="head"), staff("second", role="head")
    ban(second, None, clock.now() + DAY)
    for role in ("none", "moderator", "auditor"):
        with pytest.raises(CommandError, match="last head"):
            call_command("staff_role", "first", role, stdout=io.StringIO())
    assert role_of(first) == "head"
    role_set(player_id=first.pk, role="head")  # nothing is taken away
    role_set(player_id=second.pk, role=None)  # who cannot act anyway
    staff("third", role="superuser")
    role_set(player_id=first.pk, role=None)
    assert role_of(first) is None


@pytest.mark.parametrize("role", ["head", "superuser"])
def test_the_last_head_who_can_act_deletes_the_account_once_there_is_another(role: str) -> None:
    first = credential(staff("first", role=role, password=PASSWORD))
    second = staff("second", role="moderator")
    refused = call("DELETE", "/account", {"password": PASSWORD}, who=first)
    assert (refused.status, refused.code) == (409, "last_head")
    assert "Make somebody else one first." in refused.json["error"]["message"]
    first.player.refresh_from_db()
    assert (role_of(first.player), first.player.name, first.player.deleted_at) == ("head", "first", None)
    call_command("staff_role", "second", "head", stdout=io.StringIO())
    assert call("DELETE", "/account", {"password": PASSWORD}, who=first).status == 200
    assert (role_of(first.player), role_of(second)) == (None, "head")
    assert code_of(lambda: account_delete(player_id=second.pk, now=clock.now())) == "last_head"


def test_a_head_who_cannot_act_and_a_moderator_delete_their_accounts() -> None:
    first, second, mod = staff("first", role="head"), staff("second", role="head"), staff("mod")
    ban(second, None)
    for player in (second, mod):
        account_delete(player_id=player.pk, now=clock.now())
    assert role_of(first) == "head"


LEAVING: dict[str, Callable[[Player], object]] = {
    "ban": lambda head: ban(head, None),
    "role": lambda head: role_set(player_id=head.pk, role=None),
    "deletion": lambda head: account_delete(player_id=head.pk, now=clock.now()),
}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("ways", [("role", "role"), ("deletion", "deletion"), ("ban", "deletion"), ("ban", "ban")])
def test_of_two_heads_who_go_at_once_one_does(ways: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The first is slow between the question and the end of its transaction, and the second asks meanwhile."""
    heads = [staff("first", role="head"), staff("second", role="head")]
    asked, real = threading.Event(), roles._heads
    said: list[str] = []

    def slow() -> Any:
        found = list(real().values_list("pk", flat=True))
        if asked.is_set():
            return real()
        asked.set()
        time.sleep(0.5)
        return Player.objects.filter(pk__in=found)

    monkeypatch.setattr(roles, "_heads", slow)

    def leave(head: Player, way: str) -> None:
        try:
            LEAVING[way](head)
            said.append("done")
        except GameError as refusal:
            said.append(refusal.code)
        finally:
            connection.close()

    first, second = (threading.Thread(target=leave, args=pair) for pair in zip(heads, ways, strict=True))
    first.start()
    assert asked.wait(10)
    second.start()
    for each in (first, second):
        each.join()
    assert sorted(said) == ["done", "last_head"]
    assert sorted(filter(None, map(role_of, heads))) == ["head"]


@pytest.mark.django_db(transaction=True)
def test_of_two_heads_who_ban_each_other_at_once_one_does() -> None:
    first, second = staff("first", role="head"), staff("second", role="superuser")
    start = threading.Barrier(2, timeout=60)
    said: list[str] = []

    def act(by: Player, on: Player) -> None:
        start.wait()
        try:
            ban(on, by)
            said.append("done")
        except GameError as refusal:
            said.append(refusal.code)
        finally:
            connection.close()

    both = [threading.Thread(target=act, args=pair) for pair in ((first, second), (second, first))]
    for each in both:
        each.start()
    for each in both:
        each.join()
    assert sorted(said) == ["done", "role_missing"]
    assert sorted(filter(None, (role_of(first), role_of(second)))) == ["head"]


# --- bans that stand -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("days", [None, 31])
def test_a_moderator_does_not_cut_a_ban_short_that_only_a_head_gives(mod: Client, days: int | None) -> None:
    alice, hilda = person("alice"), staff("hilda", role="head")
    until = None if days is None else clock.now() + days * DAY
    ban(alice, hilda, until)
    assert "/do/ban/" not in read(mod, player_page(alice))
    assert post(mod, "ban", alice.public_id, alice, length="1") == 403
    me = Player.objects.get(name="mod")
    assert code_of(lambda: ban(alice, me, clock.now() + 30 * DAY)) == "role_missing"
    alice.refresh_from_db()
    assert (alice.banned_until, ModeratorAction.objects.count()) == (until, 1)
    ban(alice, hilda, clock.now() + DAY)


def test_a_moderator_replaces_a_ban_within_thirty_days_and_one_that_is_over(mod: Client) -> None:
    alice, bob = person("alice"), person("bob")
    ban(alice, None, clock.now() + 29 * DAY)
    assert post(mod, "ban", alice.public_id, alice, length="1") == 302
    long_ago = clock.now() - 99 * DAY
    common: dict[str, Any] = {"reason_class": "other", "reason": "-", "words": "", "moderator_id": None}
    actions.player_ban(player_id=bob.public_id, until=long_ago + 60 * DAY, now=long_ago, **common)
    assert "/do/ban/" in read(mod, player_page(bob))
    do(mod, "ban", bob.public_id, length="1")


# --- rows of the log from before -----------------------------------------------------------------------------------


def old(action: ModeratorAction, player: Player, *, shut: bool) -> None:
    """As earlier versions wrote it: `is_active` went and came with the ban."""
    for name in ("before", "after"):
        state = getattr(action, name)
        if state["ban"] is not None:
            state["ban"]["is_active"] = False
    action.save()
    Player.objects.filter(pk=player.pk).update(is_active=not shut)


def test_a_ban_of_an_earlier_version_is_taken_back() -> None:
    hilda, stella = staff("hilda", role="head"), staff("stella")
    done = ban(stella, hilda, clock.now() + DAY)
    old(done, stella, shut=True)
    actions.action_revert(action_id=done.public_id, moderator_id=hilda.pk, reason="-", words="", now=clock.now())
    stella.refresh_from_db()
    assert (stella.banned_at, stella.is_active, role_of(stella)) == (None, True, "moderator")


def test_a_ban_of_an_earlier_version_that_comes_back_ends_by_itself() -> None:
    hilda, stella = staff("hilda", role="head"), staff("stella")
    begun = clock.now() - 2 * DAY
    common: dict[str, Any] = {"player_id": stella.public_id, "moderator_id": hilda.pk, "now": begun, **REASON}
    actions.player_ban(**common, until=begun + DAY)
    undone = actions.player_unban(**common)
    old(undone, stella, shut=False)
    back: dict[str, Any] = {"moderator_id": hilda.pk, "reason": "-", "words": "", "now": begun}
    again = actions.action_revert(action_id=undone.public_id, **back)
    stella.refresh_from_db()
    assert stella.banned_until == begun + DAY
    assert (stella.is_active, role_of(stella)) == (True, "moderator")
    actions.action_revert(action_id=again.public_id, **back)


def test_a_ban_of_an_earlier_version_that_has_run_out_can_be_ended_or_replaced(head: Client) -> None:
    stella, vera = staff("stella"), staff("vera")
    begun = clock.now() - 2 * DAY
    Player.objects.filter(pk__in=[stella.pk, vera.pk]).update(
        banned_at=begun, banned_until=begun + DAY, is_active=False
    )
    assert role_of(stella) is None
    assert "/do/unban/" in read(head, player_page(stella))
    do(head, "unban", stella.public_id)
    assert role_of(stella) == "moderator"
    ban(vera, None, clock.now() + DAY)
    Player.objects.filter(pk=vera.pk).update(banned_at=begun, banned_until=begun + DAY)
    assert role_of(vera) == "moderator"
