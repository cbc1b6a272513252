"""`manage.py serve`: ready only when it is of use, and an end that loses no move and that no player notices."""

from __future__ import annotations

import json
import signal
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from urllib.parse import urlsplit

import psycopg
import pytest
from websockets.exceptions import InvalidStatus

from games.client_sockets import PlaySocket
from tests.attempts.hand import Z_LINE, deck_code
from tests.processes import ServerProcess, database_url, live_server, run_manage, wait_until
from tests.realtime.sockets import open_link, play_link, rest

DRAIN = 4.0  # long enough for what the tests do meanwhile on a busy machine


@pytest.fixture(scope="module")
def one() -> Iterator[ServerProcess]:
    with live_server(drain_seconds=DRAIN) as server:
        yield server


@pytest.fixture
def serving(one: ServerProcess) -> ServerProcess:
    """One process after the other over the same database."""
    if one.process is None or one.process.poll() is not None:
        one.start()
    return one


def ask(server: ServerProcess, path: str, **headers: str) -> tuple[int, dict[str, object]]:
    try:
        with urllib.request.urlopen(urllib.request.Request(server.url + path, headers=headers), timeout=20) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def begin(server: ServerProcess) -> tuple[str, str]:
    """A guest's token and attempt."""
    _, answer, _ = rest(server, "POST", "/guests", {"credential": "token"})
    token: str = answer["token"]
    _, answer, _ = rest(server, "POST", "/attempts", {"code": deck_code("Z", "R"), "key": "k"}, token=token)
    return token, answer["attempt"]["id"]


def test_an_end_in_order(serving: ServerProcess) -> None:
    """Not ready at once, no new sockets, goodbyes within the drain time, requests served until then, exit 0."""
    assert ask(serving, "/readyz") == (200, {"ok": True, "redis": True})
    token, attempt = begin(serving)
    links = [open_link(serving, "/ws/v1/standings") for _ in range(4)]
    assert serving.process is not None
    gone: list[tuple[int, float]] = []
    readers = [
        threading.Thread(target=lambda link=link: gone.append((link.closed(20), time.monotonic()))) for link in links
    ]
    for reader in readers:
        reader.start()
    started = time.monotonic()
    serving.process.send_signal(signal.SIGTERM)
    assert wait_until(lambda: ask(serving, "/readyz") == (503, {"ok": False, "why": "draining"}), seconds=3)
    assert ask(serving, "/healthz") == (200, {"ok": True})
    with pytest.raises(InvalidStatus) as refused:
        open_link(serving, "/ws/v1/standings")
    assert refused.value.response.status_code == 503
    body = {"move": "t18", "expected_ply": 0, "move_id": "m"}
    assert rest(serving, "POST", f"/attempts/{attempt}/moves", body, token=token)[0] in {200, 422}
    for reader in readers:
        reader.join()
    assert [code for code, _ in gone] == [1012] * 4
    first, *_, last = sorted(at - started for _, at in gone)
    assert first < DRAIN * 2 / 3 < last < DRAIN + 3  # spread over the drain time
    assert serving.process.wait(20) == 0
    assert "Traceback" not in serving.logs()


def test_a_client_plays_on_at_the_next_process_and_a_move_at_hand_is_answered_before(serving: ServerProcess) -> None:
    """The client's own reconnecting: nothing is lost or doubled while the process is replaced in the middle of a move."""
    token, attempt = begin(serving)
    plies: list[int] = []

    def play() -> None:
        with PlaySocket(serving.url, token) as link:
            for ply, move in enumerate(Z_LINE):
                plies.append(link.move(attempt, move, ply)["ply"])
                time.sleep(0.05)

    playing = threading.Thread(target=play)
    with psycopg.connect(serving.database_url) as holder, play_link(serving, token) as other:
        playing.start()
        assert wait_until(lambda: len(plies) > 2)
        holder.execute("LOCK TABLE games_move IN EXCLUSIVE MODE")
        before = -1
        while before != len(plies):  # the answer to the last move before the lock may still be on its way
            before = len(plies)
            time.sleep(0.5)
        assert serving.process is not None
        serving.process.send_signal(signal.SIGTERM)
        assert other.closed(20) == 1012  # one that was idle does not wait
        assert len(plies) == before
        time.sleep(0.5)
        assert serving.process.poll() is None
        holder.rollback()
        assert serving.process.wait(20) == 0
        assert len(plies) > before
    serving.start()
    playing.join(30)
    assert plies == list(range(1, len(Z_LINE) + 1))
    _, answer, _ = rest(serving, "GET", f"/attempts/{attempt}", token=token)
    assert (answer["attempt"]["outcome"], answer["attempt"]["ply"]) == ("won", len(Z_LINE))


def test_a_second_term_ends_at_once(serving: ServerProcess) -> None:
    with open_link(serving, "/ws/v1/standings"), open_link(serving, "/ws/v1/standings"):
        assert serving.process is not None
        serving.process.send_signal(signal.SIGTERM)
        assert wait_until(lambda: ask(serving, "/readyz")[0] == 503)  # two signals that wait together are one
        assert serving.process.poll() is None
        serving.process.send_signal(signal.SIGTERM)
        assert serving.process.wait(20) == 128 + signal.SIGTERM


def test_not_ready_before_the_migrations_or_without_a_database(serving: ServerProcess) -> None:
    name = urlsplit(serving.database_url).path[1:]
    with psycopg.connect(serving.database_url, autocommit=True) as inside:
        last = inside.execute("DELETE FROM django_migrations WHERE app = 'games' RETURNING *").fetchall()
        with serving.another({"REDIS_URL": "redis://127.0.0.1:1"}) as other:
            assert ask(other, "/readyz") == (503, {"ok": False, "why": "migrations"})
            for row in last:
                inside.execute("INSERT INTO django_migrations VALUES (%s, %s, %s, %s)", row)
            assert ask(other, "/readyz", Host="10.0.0.7") == (200, {"ok": True, "redis": False})  # a probe by address
            with psycopg.connect(database_url("postgres"), autocommit=True) as outside:
                outside.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
                outside.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (name,))
                assert ask(other, "/readyz") == (503, {"ok": False, "why": "database"})
                assert ask(other, "/healthz") == (200, {"ok": True})
                outside.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
            assert ask(other, "/readyz")[0] == 200


def test_it_says_what_it_needs() -> None:
    done = run_manage("serve", env={"DATABASE_URL": ""}, check=False)
    assert (done.returncode, "DATABASE_URL" in done.stderr) == (1, True)


def test_the_collector_is_on_and_has_nothing_to_do_with_what_was_loaded() -> None:
    asked = "import gc, sys; import tripeaks_site.urls; before = gc.get_freeze_count(); import tripeaks_site.asgi; "
    asked += "print(gc.isenabled(), before, gc.get_freeze_count(), 'numba' in sys.modules)"
    enabled, kept, serving, compiler = run_manage("shell", "-v", "0", "-c", asked).stdout.split()
    assert enabled == "True"
    assert int(kept) > 50_000
    assert int(serving) > int(kept) + 5_000, "what only serving needs is loaded later"
    assert compiler == "False", "numba is loaded by the first question to the solver"
