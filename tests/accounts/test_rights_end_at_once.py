"""C21 on REST: whatever ends a right ends it for the very next request, and the sockets are told."""

from __future__ import annotations

import datetime as dt
import io
from collections.abc import Callable

import pytest
from django.core.management import CommandError, call_command
from pytest_django import DjangoCaptureOnCommitCallbacks

from games import clock, events
from games.models import Credential
from games.services import credential_find, player_ban, player_unban
from tests.calls import call
from tests.factories import PASSWORD, SignedIn, bot, credential, person, token

pytestmark = pytest.mark.django_db

Ending = Callable[[SignedIn, SignedIn], object]
ENDINGS: dict[str, Ending] = {
    "its token is revoked": lambda owner, robot: call(
        "DELETE", f"/account/tokens/{robot.credential.public_id}", who=owner
    ),
    "it is banned": lambda owner, robot: player_ban(
        player_id=robot.player.pk, reason="test", until=None, now=clock.now()
    ),
    "its owner is banned": lambda owner, robot: player_ban(
        player_id=owner.player.pk, reason="test", until=None, now=clock.now()
    ),
    "its owner changes the password": lambda owner, robot: call(
        "POST", "/account/password", {"old": PASSWORD, "new": "a much better one"}, who=owner
    ),
    "it logs out": lambda owner, robot: call("POST", "/logout", who=robot),
}


@pytest.mark.parametrize("ending", ENDINGS.values(), ids=list(ENDINGS))
def test_C21_a_bot_may_nothing_more_and_others_stay(
    ending: Ending,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[int] = []

    def hear(event: events.Event) -> None:
        if isinstance(event, events.CredentialsEnded):
            told.extend(event.credential_ids)

    monkeypatch.setattr(events.announcer, "put", hear)
    owner = credential(person("alice", password=PASSWORD))
    robot = token(bot("robot", owner=owner.player))
    bob = credential(person("bob"))
    started = call("POST", "/attempts", {"key": "k", "code": "TP1-E-AAAAAAB"}, who=robot)
    path = f"/attempts/{started.json['attempt']['id']}"
    move = {"move": "t20", "expected_ply": 0, "move_id": "m1"}
    assert call("GET", path, who=robot).status == 200, "control: until then it may"
    with django_capture_on_commit_callbacks(execute=True):
        ending(owner, robot)
    answers = [call("POST", f"{path}/moves", move, who=robot), call("GET", path, who=robot)]
    assert [(answer.status, answer.code) for answer in answers] == [(401, "not_signed_in")] * 2
    assert robot.credential.pk in told
    assert bob.credential.pk not in told
    assert call("GET", "/account", who=bob).status == 200


def test_a_ban_for_a_time_ends_by_itself_and_an_unban_ends_it_before() -> None:
    alice = credential(person("alice"))
    now = clock.now()

    def rights(at: dt.datetime) -> bool:
        return credential_find(token_hash=bytes(alice.credential.token_hash), via="bearer", now=at) is not None

    player_ban(player_id=alice.player.pk, reason="test", until=now + dt.timedelta(hours=1), now=now)
    assert [rights(now), rights(now + dt.timedelta(minutes=59)), rights(now + dt.timedelta(hours=1))] == [
        False,
        False,
        True,
    ]
    player_unban(player_id=alice.player.pk)
    assert rights(now)
    assert Credential.objects.get().revoked_at is None


def test_the_commands_ban_and_unban_by_name() -> None:
    alice = credential(person("alice"))
    out = io.StringIO()
    call_command("player_ban", "ALICE", "--reason", "many accounts", "--until", "2999-01-01", stdout=out)
    assert out.getvalue() == "alice is banned until 2999-01-01T00:00:00.000Z.\n"
    alice.player.refresh_from_db()
    assert (alice.player.ban_reason, alice.player.is_active) == ("many accounts", True), "the dates alone say it"
    assert call("GET", "/account", who=alice).status == 401
    call_command("player_unban", alice.player.public_id, stdout=out)
    assert call("GET", "/account", who=alice).status == 200


@pytest.mark.parametrize(
    "arguments",
    [("nobody", "--reason", "x"), ("alice", "--reason", "x", "--until", "tomorrow"),
     ("alice", "--reason", "x", "--until", "2001-01-01")],
)  # fmt: skip
def test_the_ban_command_refuses_nonsense(arguments: tuple[str, ...]) -> None:
    alice = person("alice")
    with pytest.raises(CommandError):
        call_command("player_ban", *arguments)
    alice.refresh_from_db()
    assert alice.banned_at is None
