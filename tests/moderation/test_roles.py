"""What each role may do, and how one is given and taken away."""

from __future__ import annotations

import datetime as dt
import io
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser, Group
from django.core.management import CommandError, call_command
from django.test import Client

from games import clock
from games.models import Player
from games.services import player_ban
from leaderboards.moderation.desk.acts import ACTS
from leaderboards.moderation.models import ModeratorAction
from leaderboards.moderation.roles import (
    ROLES,
    groups_keep,
    may_act,
    may_answer,
    may_ban,
    may_read,
    may_revert,
    role_of,
)
from tests.factories import bot, guest, person
from tests.staff import signed_in_moderator, staff

pytestmark = pytest.mark.django_db

KINDS = {kind.value for kind in ModeratorAction.Kind}
MODERATORS = {"clear", "hold", "disqualify", "reinstate", "warn", "ban", "dismiss", "revert"}


@pytest.mark.parametrize(
    ("role", "kinds"),
    [("moderator", MODERATORS), ("head", KINDS), ("superuser", KINDS), ("auditor", set()), ("staff", set())],
)
def test_each_role_has_its_kinds_of_action(role: str, kinds: set[str]) -> None:
    player = staff(role=role)
    assert {kind for kind in KINDS if may_act(player, kind)} == kinds
    assert not may_act(player, "anything else")
    assert may_read(player) is (role != "staff")


def test_the_desk_has_a_page_for_every_kind_of_action() -> None:
    assert set(ACTS) == KINDS


LONG_AGO = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    "change", [{"is_staff": False}, {"is_active": False}, {"deleted_at": LONG_AGO}, {"banned_at": LONG_AGO}]
)
def test_the_group_alone_is_no_role(change: dict[str, Any]) -> None:
    player = staff(role="head")
    assert role_of(player) == "head"
    if "deleted_at" in change:
        change |= {"name": None, "name_key": None}
    Player.objects.filter(pk=player.pk).update(**change)
    assert role_of(player) is None  # whatever the object in hand says
    assert not may_act(player, "clear")


def test_a_role_sleeps_while_a_ban_lasts_and_wakes_by_itself() -> None:
    head, now = staff(role="head"), clock.now()
    for ends, role in ((now + dt.timedelta(minutes=1), None), (now - dt.timedelta(minutes=1), "head")):
        player_ban(player_id=head.pk, reason="-", until=ends, now=now - dt.timedelta(days=1))
        assert role_of(head) == role


def test_visitors_players_guests_and_bots_have_no_role() -> None:
    for somebody in (AnonymousUser(), person(), guest(), bot()):
        assert role_of(somebody) is None


def test_moderators_ban_for_thirty_days_at_most_and_heads_for_as_long_as_they_like() -> None:
    now = clock.now()
    until = [now + dt.timedelta(days=30), now + dt.timedelta(days=30, seconds=1), None]
    expected = {"moderator": [True, False, False], "head": [True] * 3, "auditor": [False] * 3, "staff": [False] * 3}
    for role, may in expected.items():
        player = staff(f"a {role}", role=role)
        assert [may_ban(player, until=each, now=now) for each in until] == may


def test_moderators_take_back_what_was_their_own_and_heads_everything() -> None:
    mod, head, auditor = (staff(f"a {role}", role=role) for role in ROLES)

    def done(by: Player | None, kind: str = "clear") -> ModeratorAction:
        return ModeratorAction(kind=kind, moderator=by)

    assert may_revert(mod, done(mod))
    assert not may_revert(mod, done(head))
    assert not may_revert(mod, done(None))
    assert not may_revert(mod, done(mod, "merge"))  # from a time as a head
    assert not may_revert(auditor, done(auditor))
    assert all(may_revert(head, done(by)) for by in (mod, head, None))


def test_a_head_answers_no_appeal_against_an_own_decision_while_there_is_another_head() -> None:
    mod, head = staff("a mod"), staff("a head", role="head")
    assert may_answer(head, decided_by=mod.pk)
    assert may_answer(head, decided_by=None)
    assert may_answer(head, decided_by=head.pk)  # the only one
    other = staff("another", role="superuser")
    assert not may_answer(head, decided_by=head.pk)
    assert may_answer(other, decided_by=head.pk)
    Player.objects.filter(pk=other.pk).update(is_active=False)
    assert may_answer(head, decided_by=head.pk)
    assert not may_answer(mod, decided_by=head.pk)


def is_in(browser: Client) -> bool:
    return browser.get("/admin/").status_code == 200


# --- the command and the groups ------------------------------------------------------------------------------------


def role_command(name: str, role: str) -> str:
    said = io.StringIO()
    call_command("staff_role", name, role, stdout=said)
    return said.getvalue()


def test_the_command_gives_exactly_one_role_and_takes_it_with_the_sessions() -> None:
    mallory = person("mallory")
    staff("hilda", role="head")
    browser, bystander = Client(), Client()
    signed_in_moderator(bystander, name="other")
    for role in ROLES:
        assert role_command("MALLORY", role) == f"mallory has the role {role}.\n"
        mallory.refresh_from_db()
        assert (role_of(mallory), mallory.is_staff) == (role, True)
        assert list(mallory.groups.values_list("name", flat=True)) == [role]
        assert not is_in(browser), "the session of the role before"
        signed_in_moderator(browser, player=mallory)
        role_command("mallory", role)  # again: nothing changes
        assert is_in(browser)
    assert role_command(mallory.public_id, "none") == "mallory has no role.\n"
    mallory.refresh_from_db()
    assert (role_of(mallory), mallory.is_staff, mallory.groups.count()) == (None, False, 0)
    Player.objects.filter(pk=mallory.pk).update(is_staff=True)
    assert not is_in(browser), "a session that wakes up"
    assert is_in(bystander)


def test_the_command_says_what_it_cannot_do() -> None:
    robot = bot("robot")
    staff("root", role="superuser")
    for name, role, words in (
        ("nobody else", "head", "There is no player"),
        (robot.name or "", "head", "Only accounts with a name and a password"),
        ("root", "none", "may do everything already"),
        ("root", "admiral", "invalid choice"),
    ):
        with pytest.raises(CommandError, match=words):
            role_command(name, role)


def test_every_migrate_gives_the_groups_the_right_to_see_what_there_is_to_see() -> None:
    Group.objects.all().delete()
    groups_keep()
    assert set(Group.objects.values_list("name", flat=True)) == set(ROLES)
    for group in Group.objects.all():
        seen = set(group.permissions.values_list("codename", flat=True))
        assert seen >= {"view_player", "view_attempt", "view_entry", "view_dailychallenge", "view_case"}
        assert all(codename.startswith("view_") for codename in seen)
    group.permissions.clear()
    groups_keep()
    assert group.permissions.count() == len(seen)
