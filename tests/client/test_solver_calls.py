"""The client's calls of the solver, against a real server: hints to a perfect win, then its analysis."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from games.client import ApiError, Client, Game
from tests.client.cast import UNHURRIED, guest, play_badly
from tests.processes import ServerProcess, live_server

CODE = "TP1-E-AAAAAAB"


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    with live_server(env=UNHURRIED) as running:
        yield running


@pytest.fixture
def client(server: ServerProcess) -> Client:
    return guest(server.url)


def test_hints_lead_to_a_perfect_win(client: Client) -> None:
    game = Game(client, client.start(code=CODE, practice=True))
    while game.attempt["outcome"] is None:
        hint = client.hint(game.attempt["id"])
        assert hint["winnable"]
        assert client.winnable(game.attempt["id"])
        assert hint["move"] is not None
        game.play(hint["move"])
    told = client.analysis(game.attempt["id"])
    assert (told["accuracy"], told["lost_at"], told["kept"]) == (1, None, told["moves"])
    assert told["plies"][-1]["best"] is not None
    assert told["plies"][-1]["best"]["score"] == 760


def test_opening_the_analysis_ends_a_stuck_attempt(client: Client) -> None:
    stuck = play_badly(client, client.start(code=CODE))
    assert not stuck["closed"]
    with pytest.raises(ApiError, match="nothing here"):
        client.analysis(stuck["id"])
    told = client.open_analysis(stuck["id"])
    assert told["lost_at"] is not None
    assert told["plies"][told["lost_at"]]["cost"] == {"of": "win", "amount": None}
    assert client.resume(stuck["id"])["closed"]
    assert not client.start(code=CODE)["ranked"]


def test_a_ranked_attempt_gets_no_hint(client: Client) -> None:
    attempt = client.start(code=CODE)
    with pytest.raises(ApiError) as refused:
        client.hint(attempt["id"])
    assert refused.value.code == "hint_not_allowed"
