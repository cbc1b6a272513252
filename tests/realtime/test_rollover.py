"""C11, C24 on the sockets: a page open at midnight is told within five seconds, by the server's clock alone."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.processes import ServerProcess, live_server
from tests.realtime.sockets import open_link, play_link, rest
from tests.servers import temporary_directory


@dataclass
class Stepped:
    """Two processes whose clock the test steps: `at(12, 0)` sets the official time of the day it started on."""

    one: ServerProcess
    two: ServerProcess
    file: Path
    day: dt.date

    def at(self, days: int, hour: int, minute: int, second: int) -> None:
        wanted = dt.datetime.combine(self.day + dt.timedelta(days=days), dt.time(hour, minute, second), dt.UTC)
        fresh = self.file.with_suffix(".new")
        fresh.write_text(str((wanted - dt.datetime.now(dt.UTC)).total_seconds()))
        fresh.replace(self.file)


@pytest.fixture
def stepped() -> Iterator[Stepped]:
    file = temporary_directory() / "offset"
    day = dt.datetime.now(dt.UTC).date()
    file.write_text("0")
    env = {
        "TRIPEAKS_CLOCK_OFFSET_FILE": str(file),
        "TRIPEAKS_SOCKET_HEARTBEAT_SECONDS": "1",
        "TRIPEAKS_DAILY_DAY_ONE": day.isoformat(),
    }
    clock = Stepped(None, None, file, day)  # type: ignore[arg-type]
    clock.at(0, 12, 0, 0)
    with live_server(env=env) as one, one.another() as two:
        clock.one, clock.two = one, two
        yield clock


def guest(server: ServerProcess) -> str:
    status, answer, _ = rest(server, "POST", "/guests", {"credential": "token"})
    assert status == 201, answer
    token: str = answer["token"]
    return token


def test_C11_every_open_page_hears_of_the_new_date_within_five_seconds(stepped: Stepped) -> None:
    today, tomorrow = stepped.day, stepped.day + dt.timedelta(days=1)
    stepped.at(0, 23, 59, 0)  # not so late that a busy machine reaches midnight before its time
    with open_link(stepped.one, "/ws/v1/standings") as here, open_link(stepped.two, "/ws/v1/standings") as there:
        for link in (here, there):
            assert link.ask(type="subscribe", board=f"daily-{today}")["rows"] == []
            assert link.silent(1.5)
        stepped.at(1, 0, 0, 0)
        started = time.monotonic()
        for link in (here, there):
            rollover = link.hear("rollover", timeout=5)
            daily = rollover["daily"]
            assert (daily["date"], daily["number"], daily["status"]) == (str(tomorrow), 2, "open")
            assert (daily["code"], daily["deal"]) == (None, None)
        assert time.monotonic() - started < 5
        assert here.silent(1.5)  # said once
        assert here.ask(type="subscribe", board=f"daily-{tomorrow}")["rows"] == []


def test_C11_a_move_over_midnight_counts_for_the_day_it_started_on(stepped: Stepped) -> None:
    token = guest(stepped.one)
    stepped.at(0, 23, 59, 30)
    status, answer, _ = rest(stepped.one, "POST", "/daily/today/attempts", {"key": "k"}, token=token)
    assert status in {200, 201}, answer
    attempt = answer["attempt"]["id"]
    with play_link(stepped.two, token) as link:
        link.move(attempt, "d", 0)
        assert link.hear("ack", "error")["attempt"]["competition"] == f"daily-{stepped.day}"
        stepped.at(1, 0, 0, 45)
        link.move(attempt, "d", 1)
        state = link.hear("ack", "error")["attempt"]
        assert (state["competition"], state["ply"]) == (f"daily-{stepped.day}", 2)
        stepped.at(1, 0, 30, 1)  # after the grace time
        link.move(attempt, "d", 2)
        assert link.hear("ack", "error")["error"]["code"] == "game_over"
    status, answer, _ = rest(stepped.one, "POST", "/daily/today/attempts", {"key": "k2"}, token=token)
    assert status in {200, 201}, answer
    assert answer["attempt"]["competition"] == f"daily-{stepped.day + dt.timedelta(days=1)}"


def test_nobody_plays_a_daily_any_more_once_it_is_final(stepped: Stepped) -> None:
    status, answer, _ = rest(stepped.two, "POST", "/daily/today/attempts", {"key": "k"}, token=guest(stepped.two))
    assert status == 201, answer
    with open_link(stepped.one, "/ws/v1/standings") as link:
        snapshot = link.ask(type="subscribe", board=f"daily-{stepped.day}")
        assert snapshot["counts"] == {"players": 1, "playing": 1, "finished": 0}
        assert link.silent(2.5)
        stepped.at(1, 0, 31, 1)
        assert link.hear("snapshot", "event", timeout=5)["counts"] == {"players": 1, "playing": 0, "finished": 0}
        assert link.ask(type="resync", board=f"daily-{stepped.day}")["counts"]["playing"] == 0
        with open_link(stepped.one, "/ws/v1/standings") as late:
            assert late.ask(type="subscribe", board=f"daily-{stepped.day}")["counts"]["playing"] == 0


def test_C24_no_socket_shows_or_takes_anything_of_tomorrow(stepped: Stepped) -> None:
    tomorrow = stepped.day + dt.timedelta(days=1)
    with open_link(stepped.one, "/ws/v1/standings") as link:
        answer = link.ask(type="subscribe", board=f"daily-{tomorrow}")
        if answer["type"] == "snapshot":  # prepared ahead: an empty list, nothing else
            assert (answer["rows"], answer["entries"]) == ([], 0)
        else:
            assert answer["error"]["code"] == "not_found"
        assert "TP2" not in str(link.got)
    with play_link(stepped.one, guest(stepped.one)) as link:
        frame = {"type": "move", "attempt": f"daily-{tomorrow}", "move": "d", "expected_ply": 0, "move_id": "m"}
        assert link.ask(**frame, now=f"{tomorrow}T00:00:00Z")["error"]["code"] == "not_found"
