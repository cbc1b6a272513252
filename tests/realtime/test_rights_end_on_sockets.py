"""C21: what ends a credential ends its open sockets, at once and in every process; others stay."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from games import clock
from games.models import Attempt, Credential, Player
from games.services import (
    account_logout,
    bot_create,
    credential_revoke,
    password_change,
    player_ban,
)
from tests.attempts.hand import deck_code
from tests.factories import PASSWORD, SignedIn, credential, person, token
from tests.processes import ServerProcess, live_server
from tests.realtime.conftest import QUICK
from tests.realtime.sockets import Link, open_link, play_link, rest
from tests.servers import start_servers

SECONDS = 5.0


def ended_within(link: Link, seconds: float = SECONDS) -> float:
    """How long it took until the socket was closed with 4001."""
    started = time.monotonic()
    assert link.closed(seconds) == 4001
    return time.monotonic() - started


def started(server: ServerProcess, who: SignedIn) -> str:
    status, answer, _ = rest(server, "POST", "/attempts", {"code": deck_code("Z", "R"), "key": "k"}, token=who.secret)
    assert status == 201, answer
    public_id: str = answer["attempt"]["id"]
    return public_id


def test_C21_revoking_a_token_ends_its_sockets_everywhere_and_no_others(committed: ServerProcess) -> None:
    alice = person("alice")
    doomed, other = token(alice), credential(alice)
    attempt = started(committed, doomed)
    with ExitStack() as stack:
        second = stack.enter_context(committed.another())
        links = [stack.enter_context(play_link(server, doomed.secret)) for server in (committed, second, second)]
        stays = stack.enter_context(play_link(second, other.secret))
        credential_revoke(player_id=alice.pk, public_id=doomed.credential.public_id, now=clock.now())
        for link in links:
            link.move(attempt, "t18", 0)
        assert max(ended_within(link) for link in links) < SECONDS
        assert not [frame for link in links for frame in link.got if frame["type"] == "ack"]
        assert stays.ask(type="ping", id="1")["type"] == "pong"
        stays.move(attempt, "t18", 0)
        assert stays.hear("ack", "error")["ply"] == 1
        with open_link(committed, "/ws/v1/play", token=doomed.secret) as again:
            assert again.closed() == 4001


def test_C21_a_ban_ends_every_socket_of_the_player_and_of_the_players_bots(committed: ServerProcess) -> None:
    alice, bob = person("alice"), person("bob")
    bot = bot_create(owner_id=alice.pk, name="alicebot", now=clock.now())
    with (
        play_link(committed, credential(alice).secret) as hers,
        play_link(committed, token(bot).secret) as its,
        play_link(committed, credential(bob).secret) as his,
    ):
        player_ban(player_id=alice.pk, until=None, reason="test", now=clock.now())
        assert ended_within(hers) < SECONDS
        assert ended_within(its) < SECONDS
        assert his.ask(type="ping")["type"] == "pong"


def test_C21_changing_the_password_ends_the_other_sessions(committed: ServerProcess) -> None:
    alice = person("alice", password=PASSWORD)
    here, elsewhere = credential(alice), credential(alice)
    with play_link(committed, here.secret) as this, play_link(committed, elsewhere.secret) as that:
        password_change(
            player_id=alice.pk,
            keep_credential_id=here.credential.pk,
            old=PASSWORD,
            new="another long password",
            now=clock.now(),
        )
        assert ended_within(that) < SECONDS
        assert this.ask(type="ping")["type"] == "pong"


def test_C21_logging_out_in_the_browser_ends_its_socket(committed: ServerProcess) -> None:
    alice = person("alice")
    tab, other = credential(alice, via="cookie"), credential(alice, via="cookie")
    with (
        open_link(committed, "/ws/v1/play", cookie=f"tripeaks={tab.secret}", origin=committed.url) as link,
        open_link(committed, "/ws/v1/play", cookie=f"tripeaks={other.secret}", origin=committed.url) as stays,
    ):
        assert link.hear()["type"] == stays.hear()["type"] == "welcome"
        status, _, _ = rest(committed, "POST", "/logout", cookie=f"tripeaks={tab.secret}")
        assert status in {200, 204}
        assert ended_within(link) < SECONDS
        assert stays.ask(type="ping")["type"] == "pong"


def test_C21_a_credential_that_ends_without_any_announcement_is_found_by_the_recheck(
    committed: ServerProcess,
) -> None:
    alice = person("alice")
    expiring, doomed = credential(alice), token(alice)
    with play_link(committed, expiring.secret) as one, play_link(committed, doomed.secret) as two:
        Credential.objects.filter(pk=expiring.credential.pk).update(expires_at=clock.now())
        Credential.objects.filter(pk=doomed.credential.pk).update(revoked_at=clock.now())
        assert ended_within(one) < SECONDS
        assert ended_within(two) < SECONDS


@pytest.fixture
def without_redis(committed: ServerProcess) -> Iterator[ServerProcess]:
    """A second process whose Redis is gone."""
    servers = start_servers(postgres=False, redis=True)
    with live_server(env=QUICK, database=committed.database_url, redis=servers.urls.redis_url) as server:
        servers.stop()
        yield server


def test_C21_it_takes_no_redis(without_redis: ServerProcess) -> None:
    alice = person("alice")
    doomed, other = token(alice), token(alice)
    attempt = started(without_redis, other)
    with play_link(without_redis, doomed.secret) as link, play_link(without_redis, other.secret) as stays:
        credential_revoke(player_id=alice.pk, public_id=doomed.credential.public_id, now=clock.now())
        assert ended_within(link) < SECONDS
        stays.move(attempt, "t18", 0)
        assert stays.hear("ack", "error")["ply"] == 1


@pytest.mark.parametrize(
    "act",
    [
        lambda who: credential_revoke(player_id=who.player.pk, public_id=who.credential.public_id, now=clock.now()),
        lambda who: player_ban(player_id=who.player.pk, until=None, reason="", now=clock.now()),
        lambda who: account_logout(credential_id=who.credential.pk, player_id=who.player.pk, now=clock.now()),
    ],
    ids=["revoke", "ban", "logout"],
)
def test_C21_a_move_right_after_the_end_is_refused_and_changes_nothing(
    committed: ServerProcess, act: Callable[[SignedIn], object]
) -> None:
    who = credential(person("alice"))
    attempt = started(committed, who)
    with play_link(committed, who.secret) as link:
        link.move(attempt, "t18", 0, "before")  # the control
        assert link.hear("ack", "error")["ply"] == 1
        act(who)
        link.move(attempt, "t19", 1, "after")
        ended_within(link)
        assert not [frame for frame in link.got if frame.get("move_id") == "after" and frame["type"] == "ack"]
    assert Attempt.objects.get(public_id=attempt).ply == 1
    assert isinstance(who.player, Player)
