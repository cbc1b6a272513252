"""The AsyncAPI description holds for every frame that the server really sends, and for what it really takes."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from games import clock
from games.realtime.asyncapi import frame_schema
from leaderboards.services import account_delete
from tests.attempts.hand import Z_LINE, Hand, deck_code
from tests.factories import token
from tests.leaderboards.cast import RUNS, finish, person
from tests.processes import ServerProcess
from tests.realtime.sockets import Frame, open_link, play_link, rest
from tests.realtime.test_hostile_frames import HOSTILE


@pytest.fixture
def described(committed: ServerProcess) -> dict[str, Any]:
    status, document, _ = rest(committed, "GET", "/asyncapi.json")
    assert status == 200
    described: dict[str, Any] = document
    return described


def holds(described: dict[str, Any], channel: str, side: str, frame: Any) -> bool:
    return jsonschema.Draft202012Validator(frame_schema(described, channel, side)).is_valid(frame)


def play_frames(server: ServerProcess) -> list[Frame]:
    """Every kind of frame of the play socket, as really sent."""
    alice = Hand.of(person("alice"))
    attempts = [alice.start(deck_code("Z", "R"), key).public_id for key in ("a", "b")]
    frames: list[Frame] = []
    with play_link(server, alice.secret) as link, play_link(server, alice.secret) as tab:
        for ply, move in enumerate(["t18", "d", "u", *Z_LINE[1:]]):
            link.move(attempts[0], move, ply)
            link.hear("ack")
        for wrong in ("t0", "t27"):
            link.move(attempts[1], wrong, 0, "w")
            link.hear("error")
        link.move(attempts[1], "d", 9)  # stale, with the state
        link.hear("error")
        link.move(attempts[0], "d", 30)  # over, with the state
        link.hear("error")
        for attempt in attempts:
            link.ask(type="resume", attempt=attempt, ply=1)
        link.ask(type="resign", attempt=attempts[1], move_id="r")
        link.ask(type="ping", id="1")
        link.ask(type="ping")
        for hostile, _ in HOSTILE:
            link.connection.send(hostile)
            link.hear("error")
        link.hear("heartbeat")
        tab.hear("changed")
        alice.attempts.clear()
        frames += link.got + tab.got
    with open_link(server, "/ws/v1/play") as link:
        link.say(type="hello", token="wrong")
        link.closed()
        frames += link.got
    with play_link(server, token(alice.player, "read").secret) as link:
        link.ask(type="resign", attempt=attempts[0], move_id="r")
        frames += link.got
    return frames


def standings_frames(server: ServerProcess) -> list[Frame]:
    """Every kind of frame of the standings socket but the rollover, which needs midnight (test_rollover)."""
    with open_link(server, "/ws/v1/standings") as link:
        link.ask(type="subscribe", board=RUNS)
        players = [person(f"player {number}") for number in range(3)]
        for number, player in enumerate(players):
            finish(player, 100 + number)
            link.hear("event")
        account_delete(player_id=players[0].pk, now=clock.now())
        link.hear("event")
        link.ask(type="resync", board=RUNS)
        link.ask(type="subscribe", board="nonsense")
        link.ask(type="resync", board="TP1-E-AAAAAAB")
        link.ask(type="ping", id="2")
        link.connection.send("{")
        link.hear("error")
        link.hear("heartbeat")
        return link.got


def test_every_frame_the_server_sends_is_described(committed: ServerProcess, described: dict[str, Any]) -> None:
    for channel, frames, kinds in (
        ("play", play_frames(committed), {"welcome", "ack", "state", "changed", "error", "heartbeat", "pong"}),
        ("standings", standings_frames(committed), {"snapshot", "event", "error", "heartbeat", "pong"}),
    ):
        assert {frame["type"] for frame in frames} == kinds
        for frame in frames:
            jsonschema.Draft202012Validator(frame_schema(described, channel, "server")).validate(frame)


def test_the_description_refuses_what_it_should(committed: ServerProcess, described: dict[str, Any]) -> None:
    """The control: each frame spoiled in one field does not hold any more."""
    for channel, frames in (("play", play_frames(committed)), ("standings", standings_frames(committed))):
        for frame in {frame["type"]: frame for frame in frames}.values():
            assert holds(described, channel, "server", frame)
            assert not holds(described, channel, "server", frame | {"surprise": 1})
            assert not holds(described, channel, "server", frame | {"type": "surprise"})
            for field in set(frame) - {"type", "id", "move_id", "attempt_id", "board", "kind", "view"}:
                assert not holds(described, channel, "server", {k: v for k, v in frame.items() if k != field})
                assert not holds(described, channel, "server", frame | {field: object})


def test_what_the_description_allows_a_client_the_server_takes_and_the_rest_it_refuses(
    committed: ServerProcess, described: dict[str, Any]
) -> None:
    attempt, alice = "0" * 16, Hand.of(person("alice"))
    good: list[Frame] = [
        {"type": "move", "attempt": attempt, "move": "t18", "expected_ply": 0, "move_id": "m"},
        {"type": "resume", "attempt": attempt, "ply": 2000},
        {"type": "resign", "attempt": attempt, "move_id": "m"},
        {"type": "ping"},
        {"type": "ping", "id": "x"},
    ]
    nonsense = {"malformed_json", "bad_frame", "unknown_type", "bad_field", "not_text", "move_text"}
    with play_link(committed, alice.secret) as link:
        for frame in good:
            assert holds(described, "play", "client", frame)
            answer = link.ask(**frame)
            assert answer["type"] == "pong" or answer["error"]["code"] not in nonsense
        for raw, code in HOSTILE:
            if "1.0" in str(raw):
                continue  # to JSON Schema 1.0 is a whole number
            if isinstance(raw, str) and code in nonsense - {"malformed_json"}:
                assert (raw, holds(described, "play", "client", json.loads(raw))) == (raw, False)


def test_the_document_itself_is_whole(described: dict[str, Any]) -> None:
    assert described["asyncapi"] == "3.0.0"
    assert {channel["address"] for channel in described["channels"].values()} == {"/ws/v1/play", "/ws/v1/standings"}
    for channel in described["channels"].values():
        assert "4008" in channel["x-close-codes"]
        for reference in channel["messages"].values():
            assert reference["$ref"].removeprefix("#/components/messages/") in described["components"]["messages"]
    for message in described["components"]["messages"].values():
        assert message["summary"]
        jsonschema.Draft202012Validator.check_schema(message["payload"])
