"""C17, C11, habit 8: the same move, start and end sent at once to two worker processes."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest

from tests.attempts.hand import Z_LINE, deck_code
from tests.processes import ServerProcess, live_server


@pytest.fixture(scope="module")
def pair() -> Iterator[tuple[ServerProcess, ServerProcess]]:
    with live_server() as one, one.another() as two:
        yield one, two


def call(server: ServerProcess, method: str, path: str, token: str = "", body: Any = None) -> tuple[int, Any]:
    request = urllib.request.Request(
        f"{server.url}/api/v1{path}",
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Content-Type": "application/json", **({"Authorization": f"Bearer {token}"} if token else {})},
    )
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as refused:
        return refused.code, json.load(refused)


def at_once(servers: tuple[ServerProcess, ...], times: int, path: str, token: str, body: Any) -> list[tuple[int, Any]]:
    with ThreadPoolExecutor(times) as pool:
        return list(pool.map(lambda n: call(servers[n % len(servers)], "POST", path, token, body), range(times)))


def new_guest(server: ServerProcess) -> str:
    status, answer = call(server, "POST", "/guests", body={"credential": "token"})
    assert status == 201, answer
    token: str = answer["token"]
    return token


def started(server: ServerProcess, token: str, code: str, key: str = "k") -> str:
    status, answer = call(server, "POST", "/attempts", token, {"code": code, "key": key})
    assert status == 201, answer
    public_id: str = answer["attempt"]["id"]
    return public_id


def test_C17_one_move_sent_ten_times_at_once_is_one_move(pair: tuple[ServerProcess, ServerProcess]) -> None:
    token = new_guest(pair[0])
    attempt = started(pair[0], token, deck_code("Z", "R"))
    body = {"move": "t18", "expected_ply": 0, "move_id": "m1"}
    answers = at_once(pair, 10, f"/attempts/{attempt}/moves", token, body)
    assert [status for status, _ in answers] == [200] * 10
    assert all(answer == answers[0][1] for _, answer in answers)
    assert (answers[0][1]["ply"], answers[0][1]["attempt"]["score"]) == (1, 1)
    other = {"move": "t19", "expected_ply": 0, "move_id": "m1"}
    status, answer = call(pair[1], "POST", f"/attempts/{attempt}/moves", token, other)
    assert (status, answer["error"]["code"]) == (409, "move_id_reused")


def test_ten_different_moves_for_one_ply_are_one_move_and_nine_refusals(
    pair: tuple[ServerProcess, ServerProcess],
) -> None:
    token = new_guest(pair[0])
    attempt = started(pair[0], token, deck_code("Z", "R"))

    def play(n: int) -> tuple[int, Any]:
        body = {"move": "d", "expected_ply": 0, "move_id": f"own{n}"}
        return call(pair[n % 2], "POST", f"/attempts/{attempt}/moves", token, body)

    with ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(play, range(10)))
    assert sorted(status for status, _ in answers) == [200] + [409] * 9
    assert {answer["error"]["code"] for status, answer in answers if status == 409} == {"stale_ply"}
    _, answer = call(pair[0], "GET", f"/attempts/{attempt}", token)
    assert answer["attempt"]["ply"] == 1


def test_C17_the_winning_move_sent_ten_times_is_one_result(pair: tuple[ServerProcess, ServerProcess]) -> None:
    token = new_guest(pair[0])
    attempt = started(pair[0], token, deck_code("Z", "R"))
    for ply, move in enumerate(Z_LINE[:-1]):
        status, answer = call(
            pair[ply % 2],
            "POST",
            f"/attempts/{attempt}/moves",
            token,
            {"move": move, "expected_ply": ply, "move_id": f"m{ply}"},
        )
        assert status == 200, answer
    body = {"move": Z_LINE[-1], "expected_ply": 27, "move_id": "last"}
    answers = at_once(pair, 10, f"/attempts/{attempt}/moves", token, body)
    assert [status for status, _ in answers] == [200] * 10
    assert all(answer == answers[0][1] for _, answer in answers)
    assert answers[0][1]["attempt"]["result"]["score"] == 466


def test_C17_one_start_sent_ten_times_at_once_is_one_attempt(pair: tuple[ServerProcess, ServerProcess]) -> None:
    token = new_guest(pair[0])
    answers = at_once(pair, 10, "/attempts", token, {"code": "TP1-E-AAAAAAB", "key": "same"})
    assert sorted(status for status, _ in answers) == [200] * 9 + [201]
    assert len({answer["attempt"]["id"] for _, answer in answers}) == 1
    random = at_once(pair, 10, "/attempts", token, {"random": "E", "key": "dice"})
    assert len({answer["attempt"]["id"] for _, answer in random}) == 1


def test_ten_starts_at_one_deal_are_numbered_without_gap_or_repeat(pair: tuple[ServerProcess, ServerProcess]) -> None:
    token = new_guest(pair[0])

    def begin(n: int) -> int:
        status, answer = call(pair[n % 2], "POST", "/attempts", token, {"code": "TP1-E-AAAAAAC", "key": f"n{n}"})
        assert status == 201, answer
        number: int = answer["attempt"]["number"]
        return number

    with ThreadPoolExecutor(10) as pool:
        assert sorted(pool.map(begin, range(10))) == list(range(1, 11))


def test_a_resignation_and_a_move_at_once_are_one_after_the_other(pair: tuple[ServerProcess, ServerProcess]) -> None:
    """The winning move and the one before it, each against a resignation: whoever comes second hears of the first."""
    token = new_guest(pair[0])
    seen = set()
    for turn, played in enumerate([26, 27] * 4):
        attempt = started(pair[0], token, deck_code("Z", "R"), f"race{turn}")
        for ply, text in enumerate(Z_LINE[:played]):
            body = {"move": text, "expected_ply": ply, "move_id": f"m{ply}"}
            assert call(pair[ply % 2], "POST", f"/attempts/{attempt}/moves", token, body)[0] == 200
        last = {"move": Z_LINE[played], "expected_ply": played, "move_id": "last"}
        one, two = pair if turn % 4 < 2 else pair[::-1]
        with ThreadPoolExecutor(2) as pool:
            move = pool.submit(call, one, "POST", f"/attempts/{attempt}/moves", token, last)
            resignation = pool.submit(call, two, "POST", f"/attempts/{attempt}/resign", token, {"move_id": "no"})
        moved, resigned = move.result()[0] == 200, resignation.result()[0] == 200
        state = call(pair[0], "GET", f"/attempts/{attempt}", token)[1]["attempt"]
        assert state["ply"] == played + moved
        assert (state["closed"], state["outcome"]) == (True, "resigned" if resigned else "won")
        assert (state["result"] is not None) == (state["outcome"] == "won")
        assert resigned or (moved and played == 27)
        assert moved or move.result()[1]["error"]["code"] == "game_over"
        seen.add((played, moved, resigned))
    assert (27, True, True) not in seen, "won and resigned"


def test_the_database_itself_refuses_what_the_races_would_do(pair: tuple[ServerProcess, ServerProcess]) -> None:
    """The control: without the lock's order the constraints still hold."""
    token = new_guest(pair[0])
    attempt = started(pair[0], token, deck_code("Z", "R"))
    with psycopg.connect(pair[0].database_url, autocommit=True) as link:
        row = link.execute(
            "SELECT id, player_id, deal_id FROM games_attempt WHERE public_id = %s", [attempt]
        ).fetchone()
        assert row is not None
        insert = "INSERT INTO games_move (attempt_id, ply, move, move_id, at) VALUES (%s, 1, 28, %s, now())"
        link.execute(insert, [row[0], "a"])
        for again, constraint in (("b", "games_move_pkey"), ("a", "move")):
            with pytest.raises(psycopg.errors.UniqueViolation, match=constraint):
                link.execute(insert, [row[0], again])
        with pytest.raises(psycopg.errors.CheckViolation, match="attempt_finished_iff_finished_at"):
            link.execute("UPDATE games_attempt SET outcome = 'resigned', closed_at = now() WHERE id = %s", [row[0]])
