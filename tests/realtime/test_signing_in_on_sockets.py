"""Who may open a play socket: by cookie from our own pages, by header, by a hello frame; nobody else."""

from __future__ import annotations

import time

import pytest

from games.models import Player
from tests.factories import SignedIn, credential, guest, person, token
from tests.processes import ServerProcess, wait_until
from tests.realtime.sockets import open_link, play_link

PLAY = "/ws/v1/play"


@pytest.fixture
def alice(committed: ServerProcess) -> Player:
    return person("alice")


def by_cookie(player: Player) -> str:
    return "theme=dark; tripeaks=" + credential(player, via="cookie").secret


def test_a_cookie_with_our_origin_signs_in(committed: ServerProcess, alice: Player) -> None:
    with open_link(committed, PLAY, cookie=by_cookie(alice), origin=committed.url) as link:
        welcome = link.hear()
    assert welcome["player"] == {"id": alice.public_id, "name": "alice", "kind": "person"}
    assert welcome["heartbeat"] == 1
    assert welcome["limits"] == {"frame_bytes": 16384, "frames_per_second": 50}


@pytest.mark.parametrize("origin", [None, "https://evil.example", "null", "http://127.0.0.1:1", "http://127.0.0.1"])
def test_a_cookie_without_our_origin_is_refused_with_4003(
    committed: ServerProcess, alice: Player, origin: str | None
) -> None:
    with open_link(committed, PLAY, cookie=by_cookie(alice), origin=origin) as link:
        assert link.hear()["error"]["code"] == "origin_refused"
        assert link.closed() == 4003


def test_a_token_needs_no_origin_and_takes_ours(committed: ServerProcess, alice: Player) -> None:
    secret = token(alice).secret
    for origin in (None, committed.url):
        with open_link(committed, PLAY, token=secret, origin=origin) as link:
            assert link.hear()["type"] == "welcome"


def test_a_page_of_another_origin_may_not_play_even_with_a_token(committed: ServerProcess, alice: Player) -> None:
    with open_link(committed, PLAY, token=token(alice).secret, origin="https://evil.example") as link:
        assert link.closed() == 4003


def test_hello_signs_in_a_client_that_cannot_send_headers(committed: ServerProcess, alice: Player) -> None:
    with open_link(committed, PLAY) as link:
        assert link.ask(type="hello", token=token(alice).secret)["player"]["name"] == "alice"
        assert link.ask(type="ping", id="1")["type"] == "pong"


def test_guests_and_bearer_sessions_may_play(committed: ServerProcess) -> None:
    with open_link(committed, PLAY, token=credential(guest()).secret) as link:
        assert link.hear()["player"]["kind"] == "guest"


def test_no_hello_within_five_seconds_ends_with_4002(committed: ServerProcess) -> None:
    started = time.monotonic()
    with open_link(committed, PLAY) as link:
        assert link.closed(20) == 4002
    assert 4.5 < time.monotonic() - started < 15
    assert link.got[-1]["error"]["code"] == "not_signed_in"


@pytest.mark.parametrize("frame", ['{"type":"ping"}', "{", '{"type":"hello"}', '{"type":"hello","token":""}'])
def test_another_first_frame_ends_with_4002(committed: ServerProcess, frame: str) -> None:
    with open_link(committed, PLAY) as link:
        link.connection.send(frame)
        assert link.closed() == 4002


def test_wrong_secrets_end_with_4001_whatever_is_wrong_with_them(committed: ServerProcess, alice: Player) -> None:
    session = credential(alice, via="cookie")
    for secret in ("tpk_wrong", "x" * 5000, session.secret):  # a cookie's secret is no bearer token
        with open_link(committed, PLAY, token=secret) as link:
            assert (link.hear()["error"]["code"], link.closed()) == ("not_signed_in", 4001)
    with open_link(committed, PLAY, cookie="tripeaks=" + token(alice).secret, origin=committed.url) as link:
        assert link.closed() == 4001
    with open_link(committed, PLAY) as link:
        link.say(type="hello", token="tpk_wrong")
        assert link.closed() == 4001


def test_a_token_without_the_scope_may_watch_its_attempts_and_not_move(committed: ServerProcess, alice: Player) -> None:
    reader: SignedIn = token(alice, "read")
    with play_link(committed, reader.secret) as link:
        refusal = link.ask(type="move", attempt="0" * 16, move="d", expected_ply=0, move_id="m")
        assert (refusal["error"]["code"], refusal["error"]["data"]) == ("scope_missing", {"scope": "play"})
        assert link.ask(type="resume", attempt="0" * 16, ply=0)["error"]["code"] == "not_found"
    with play_link(committed, token(alice, "play").secret) as link:
        assert link.ask(type="resume", attempt="0" * 16, ply=0)["error"]["code"] == "scope_missing"


def test_one_player_has_at_most_a_hundred_sockets_in_a_process(committed: ServerProcess, alice: Player) -> None:
    secret = token(alice).secret
    links = [play_link(committed, secret) for _ in range(100)]
    with open_link(committed, PLAY, token=secret) as link:
        assert (link.hear()["error"]["code"], link.closed()) == ("throttled", 4008)
    links.pop().connection.close()

    def welcomed() -> bool:
        with open_link(committed, PLAY, token=secret) as link:
            return bool(link.hear()["type"] == "welcome")

    assert wait_until(welcomed), "once the server has noticed that one has gone"
    for each in links:
        each.connection.close()
