"""Frames that are no messages get a coded error and change nothing; the connection lives, within limits."""

from __future__ import annotations

import contextlib
import json
import math
import time
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.attempts.hand import Hand, deck_code
from tests.factories import person
from tests.processes import ServerProcess
from tests.realtime.sockets import Link, open_link, play_link, resident_mb, settled_mb

MOVE: dict[str, Any] = {"type": "move", "attempt": "0" * 16, "move": "d", "expected_ply": 0, "move_id": "m1"}

HOSTILE: list[tuple[str | bytes, str]] = [
    ("", "malformed_json"),
    ("{", "malformed_json"),
    ('{"type":"move"', "malformed_json"),
    ("[" * 8000, "malformed_json"),
    ('{"type":' * 2000, "malformed_json"),
    (json.dumps(MOVE | {"expected_ply": math.nan}), "malformed_json"),
    (json.dumps(MOVE | {"expected_ply": math.inf}), "malformed_json"),
    ('{"type":"move","expected_ply":' + "9" * 5000 + "}", "malformed_json"),
    ("null", "bad_frame"),
    ("[]", "bad_frame"),
    ('"move"', "bad_frame"),
    ("{}", "bad_frame"),
    ('{"type":7}', "bad_frame"),
    ('{"type":["move"]}', "bad_frame"),
    ('{"type":"__class__"}', "unknown_type"),
    ('{"type":"welcome"}', "unknown_type"),
    ('{"type":"hello","token":"x"}', "unexpected_hello"),
    (json.dumps(MOVE | {"expected_ply": True}), "bad_field"),
    (json.dumps(MOVE | {"expected_ply": 1.0}), "bad_field"),
    (json.dumps(MOVE | {"expected_ply": "0"}), "bad_field"),
    (json.dumps(MOVE | {"expected_ply": -1}), "bad_field"),
    (json.dumps(MOVE | {"expected_ply": 2**70}), "bad_field"),
    (json.dumps(MOVE | {"move": 18}), "bad_field"),
    (json.dumps(MOVE | {"move": "t28"}), "move_text"),
    (json.dumps(MOVE | {"move": "t٣"}), "bad_field"),
    (json.dumps(MOVE | {"move_id": ""}), "bad_field"),
    (json.dumps(MOVE | {"move_id": "x" * 65}), "bad_field"),
    (json.dumps(MOVE | {"move_id": "a\u0000b"}), "bad_field"),
    (json.dumps(MOVE | {"attempt": "\ud800"}), "bad_field"),
    (json.dumps(MOVE | {"attempt": "'; drop table games_move; --"}), "bad_field"),
    (json.dumps(MOVE | {"attempt": None}), "bad_field"),
    ('{"type":"move"}', "bad_field"),
    (json.dumps(MOVE), "not_found"),
    (b"\x00\xff", "not_text"),
    (json.dumps(MOVE).encode(), "not_text"),
]


@pytest.fixture
def alice(committed: ServerProcess) -> Hand:
    return Hand.of(person("alice"))


def test_every_hostile_frame_gets_its_code_and_the_socket_lives(committed: ServerProcess, alice: Hand) -> None:
    for frame, code in HOSTILE:
        with play_link(committed, alice.secret) as link:
            link.connection.send(frame)
            assert (link.hear()["error"]["code"], frame) == (code, frame)
            assert link.ask(type="ping", id="still there") == {"type": "pong", "id": "still there"}


def test_a_game_goes_on_between_hostile_frames(committed: ServerProcess, alice: Hand) -> None:
    attempt = alice.start(deck_code("Z", "R")).public_id
    with play_link(committed, alice.secret) as link:
        for ply, (frame, code) in enumerate(HOSTILE[:8]):
            link.connection.send(frame)
            assert link.hear()["error"]["code"] == code
            link.move(attempt, f"t{18 + ply}", ply)
            assert link.hear("ack", "error")["ply"] == ply + 1


def test_a_frame_over_the_limit_is_refused_and_ends_the_socket_with_4009(committed: ServerProcess, alice: Hand) -> None:
    with play_link(committed, alice.secret) as link:
        link.connection.send("x" * 16 * 1024)  # the control: at the limit it is only nonsense
        assert link.hear()["error"]["code"] == "malformed_json"
        link.connection.send("x" * (16 * 1024 + 1))
        assert link.hear()["error"]["code"] == "too_large"
        assert link.closed() == 4009
    with play_link(committed, alice.secret) as link:
        link.connection.send("€" * 6000)  # 18,000 bytes
        assert link.hear()["error"]["code"] == "too_large"
        assert link.closed() == 4009


@pytest.mark.parametrize("path", ["/ws/v1/play", "/ws/v1/standings"])
def test_frames_of_10_mb_are_never_read_into_memory(committed: ServerProcess, alice: Hand, path: str) -> None:
    before = settled_mb(committed)
    for _ in range(5):
        with open_link(committed, path, token=alice.secret) as link:
            with contextlib.suppress(ConnectionClosed):
                link.connection.send("x" * 10_000_000)
            link.closed()
            assert link.connection.close_code in {1009, 1006}
    assert resident_mb(committed.pid) - before < 8
    with play_link(committed, alice.secret) as link:
        assert link.ask(type="ping")["type"] == "pong"


def test_a_flood_is_answered_throttled_and_ended_with_4008(committed: ServerProcess, alice: Hand) -> None:
    with play_link(committed, alice.secret) as link:
        for _ in range(100):  # a burst of twice the rate passes
            link.say(type="ping")
        assert {link.hear()["type"] for _ in range(100)} == {"pong"}
        for _ in range(3000):  # on a busy machine some of them come slowly enough to be allowed
            try:
                link.say(type="ping")
            except ConnectionClosed:
                break
        assert link.closed() == 4008
        throttled = [frame for frame in link.got if frame["type"] == "error"]
        assert {frame["error"]["code"] for frame in throttled} == {"throttled"}
        assert len(throttled) >= 90


def test_the_limit_comes_before_parsing_and_forgives_who_slows_down(committed: ServerProcess, alice: Hand) -> None:
    with play_link(committed, alice.secret) as link:
        for _ in range(190):  # refused are the last ninety, or fewer the longer it takes: not yet as many as end it
            link.connection.send("[" * 8000)
        codes = [link.hear()["error"]["code"] for _ in range(190)]
        assert codes[:100] == ["malformed_json"] * 100
        assert "throttled" in codes
        assert codes.count("throttled") <= 90
        time.sleep(1.2)
        assert link.ask(type="ping")["type"] == "pong"


def test_an_unknown_address_is_refused_like_a_missing_page(committed: ServerProcess) -> None:
    for path in ("/ws/v1/plays", "/ws/v1/play/", "/ws/", "/"):
        with pytest.raises(InvalidStatus) as refused:
            open_link(committed, path)
        assert refused.value.response.status_code == 403
    assert "ERROR" not in committed.logs()


def test_nothing_of_all_this_is_a_traceback_in_the_log(committed: ServerProcess, alice: Hand) -> None:
    with open_link(committed, "/ws/v1/play", token=alice.secret) as link:
        assert isinstance(link, Link)
    assert "Traceback" not in committed.logs()
