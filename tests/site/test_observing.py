"""What operators see of running processes: metrics, log lines and reported faults. None of them holds a secret."""

from __future__ import annotations

import gzip
import http.server
import json
import os
import re
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import brotli
import psycopg
import pytest
from prometheus_client.parser import text_string_to_metric_families

from games.engine.cards import card_text
from games.engine.codes import parse_code
from games.engine.deals import deal_cards
from leaderboards.moderation.queue_metrics import Queue
from tests.attempts.hand import Z_LINE, deck_code
from tests.processes import ROOT, TIED_TO_US, ServerProcess, free_port, live_server, wait_until
from tests.realtime.sockets import open_link, play_link, rest

CODE = deck_code("Z", "R")
PASSWORD = "a pass phrase that nobody may read"


class Service(http.server.BaseHTTPRequestHandler):
    """The service that a DSN names: takes envelopes."""

    taken: list[bytes] = []

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        unpack: dict[str | None, Callable[[bytes], bytes]] = {"br": brotli.decompress, "gzip": gzip.decompress}
        self.taken.append(unpack.get(self.headers.get("Content-Encoding"), bytes)(body))
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *args: object) -> None:
        pass


@dataclass
class Told:
    """What was done to a server, and what it and the service were told of it."""

    server: ServerProcess
    metrics: str
    token: str = ""
    attempt: str = ""
    reports: list[str] = field(default_factory=list)
    broken: str = ""
    statuses: list[int] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)


def scraped(address: str) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    with urllib.request.urlopen(f"http://{address}/metrics", timeout=20) as answer:
        families = list(text_string_to_metric_families(answer.read().decode()))
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in families
        for sample in family.samples
    }


@pytest.fixture(scope="module")
def told() -> Iterator[Told]:
    """A server with everything on: played on, asked nonsense, and made to fail by a damaged log."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service) as service:
        threading.Thread(target=service.serve_forever, daemon=True).start()
        address = f"127.0.0.1:{free_port()}"
        env = {
            "TRIPEAKS_METRICS": address,
            "TRIPEAKS_LOG_FORMAT": "json",
            "TRIPEAKS_LOG_LEVEL": "DEBUG",
            "TRIPEAKS_SENTRY_DSN": f"http://{'a' * 32}@127.0.0.1:{service.server_port}/1",
        }
        with live_server(env=env) as server:
            done = Told(server, address)
            play(done)
            suspicious(done)
            damage(done)
            assert wait_until(lambda: bool(Service.taken))
            done.reports = [each.decode() for each in Service.taken]
            yield done
        service.shutdown()


def play(told: Told) -> None:
    server = told.server
    _, answer, _ = rest(server, "POST", "/guests", {"credential": "token"})
    told.token = answer["token"]
    rest(server, "POST", "/account/claim", {"name": "alice", "password": PASSWORD}, token=told.token)
    rest(server, "POST", "/login", {"name": "nobody", "password": PASSWORD, "credential": "token"})
    rest(server, "GET", "/daily")
    _, answer, _ = rest(server, "POST", "/attempts", {"code": CODE, "key": "k"}, token=told.token)
    told.attempt = answer["attempt"]["id"]
    with open_link(server, "/ws/v1/standings") as watching, play_link(server, told.token) as other:
        watching.ask(type="subscribe", board=CODE)
        for ply, move in enumerate(Z_LINE[:5]):
            body = {"move": move, "expected_ply": ply, "move_id": f"m{ply}"}
            told.statuses.append(rest(server, "POST", f"/attempts/{told.attempt}/moves", body, token=told.token)[0])
        other.hear("changed")
        for ply, move in enumerate(Z_LINE[5:], start=5):
            other.move(told.attempt, move, ply)
            assert other.hear("ack", "error")["type"] == "ack"
        other.move(told.attempt, "t0", 3, "late")
        other.hear("error")
        watching.hear("event")
    for path in ("/nothing/here", f"/attempts/{told.attempt}/moves?token={told.token}", "/api/v1/x"):
        request = urllib.request.Request(server.url + path, method="PROPFIND")
        with pytest.raises(urllib.error.HTTPError):
            urllib.request.urlopen(request, timeout=20)


def suspicious(told: Told) -> None:
    """What anybody can send without end: names of other hosts, to pages and the API, forms that are too large or forged."""
    for path, host, form, status in (
        ("/", "evil.example", None, 400),
        ("/api/v1/daily", "evil.example:80", None, 400),
        ("/", f"{'x' * 1000}.example", None, 400),
        ("/", r"b'" + r"\a" * 60, None, 400),
        ("/admin/login/", "localhost", b"username=" + b"x" * 70_000, 400),
        ("/boards/alice-the-secret", "localhost", b"x=1", 403),
    ):
        request = urllib.request.Request(
            told.server.url + path, form, {"Host": host, "Cookie": f"csrftoken={'c' * 32}"}
        )
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(request, timeout=20)
        assert refused.value.code == status


def damage(told: Told) -> None:
    """Break the log of an attempt behind the server's back, and ask for a move in it."""
    _, answer, _ = rest(told.server, "POST", "/attempts", {"code": CODE, "key": "k2"}, token=told.token)
    broken = told.broken = answer["attempt"]["id"]
    first = {"move": Z_LINE[0], "expected_ply": 0, "move_id": "m0"}
    assert rest(told.server, "POST", f"/attempts/{broken}/moves", first, token=told.token)[0] == 200
    with psycopg.connect(told.server.database_url) as row:
        row.execute(
            "UPDATE games_move SET move = 0 WHERE attempt_id = (SELECT id FROM games_attempt WHERE public_id = %s)",
            (broken,),
        )
    again = {"move": Z_LINE[1], "expected_ply": 1, "move_id": "m1"}
    request = urllib.request.Request(
        f"{told.server.url}/api/v1/attempts/{broken}/moves",
        json.dumps(again).encode(),
        {
            "Content-Type": "application/json",
            "Authorization": f"Bearer {told.token}",
            "X-Request-ID": "from-the-proxy-1",
        },
    )
    with pytest.raises(urllib.error.HTTPError) as failed:
        urllib.request.urlopen(request, timeout=20)
    told.statuses.append(failed.value.code)
    told.ids.append(failed.value.headers["X-Request-ID"])


def secrets_of(told: Told) -> set[str]:
    """What must be in no line and no report: the token, the password, the code, any run of its cards, its attempt's moves."""
    texts = [card_text(card) for card in deal_cards(parse_code(CODE))]
    runs = {sep.join(texts[at : at + 3]) for at in range(len(texts) - 2) for sep in (" ", ", ", "', '")}
    return {told.token, PASSWORD, CODE, " ".join(Z_LINE[:6]), *runs}


def test_metrics_count_what_happened(told: Told) -> None:
    assert told.statuses == [200] * 5 + [500]
    found = scraped(told.metrics)

    def value(name: str, **labels: str) -> float:
        return found.get((name, tuple(sorted(labels.items()))), 0.0)

    assert value("tripeaks_moves_total", over="rest", code="accepted") == 6
    assert value("tripeaks_moves_total", over="socket", code="accepted") == len(Z_LINE) - 5
    assert value("tripeaks_moves_total", over="socket", code="game_over") == 1
    assert value("tripeaks_moves_total", over="rest", code="fault") == 1
    route = "api/v1/attempts/<str:public_id>/moves"
    assert value("tripeaks_requests_total", route=route, method="POST", status="200") == 6
    assert value("tripeaks_requests_total", route=route, method="POST", status="500") == 1
    assert value("tripeaks_request_seconds_count", route=route, method="POST") == 7
    assert value("tripeaks_replay_seconds_count") >= len(Z_LINE)
    lags = ("tripeaks_event_lag_seconds_count", (("kind", "standings"),))
    assert wait_until(lambda: scraped(told.metrics).get(lags, 0.0) >= 1)  # maybe only when its hint has come
    found = scraped(told.metrics)
    assert 0 <= value("tripeaks_event_lag_seconds_sum", kind="standings") < 30
    assert value("tripeaks_event_lag_seconds_count", kind="play") >= 1
    assert value("tripeaks_thread_wait_seconds_count", pool="http") > 10
    assert value("tripeaks_thread_wait_seconds_count", pool="socket") > 10
    assert value("tripeaks_cache_misses_total", cache="addresses") > 0
    assert wait_until(lambda: scraped(told.metrics)["tripeaks_open_sockets", (("kind", "play"),)] == 0)


def test_no_label_comes_from_outside(told: Told) -> None:
    labels = {value for _name, labels in scraped(told.metrics) for _label, value in labels}
    assert {"other", "none"} <= labels  # the method PROPFIND and an address that is none
    assert not any(
        text in label for label in labels for text in ("PROPFIND", "nothing", told.attempt, told.token, CODE)
    )


def test_metrics_are_not_on_the_public_port(told: Told) -> None:
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(f"{told.server.url}/metrics", timeout=20)
    assert refused.value.code == 404


def test_every_line_of_the_log_is_json_and_holds_no_secret(told: Told) -> None:
    lines = [json.loads(line) for line in told.server.logs().splitlines()]
    assert len(lines) > 20
    assert all({"time", "level", "logger", "message"} <= line.keys() for line in lines)
    text = told.server.logs()
    assert [secret for secret in secrets_of(told) if secret in text] == []
    requests = [line for line in lines if line["logger"] == "tripeaks.requests"]
    assert all(re.fullmatch(r"[0-9a-f]{32}|from-the-proxy-1", line["request_id"]) for line in requests)
    assert {"method", "route", "status", "ms"} <= requests[0].keys()
    [fault] = [line for line in lines if line["level"] == "ERROR"]
    assert fault["request_id"] == "from-the-proxy-1" == told.ids[0]
    assert fault["message"] == "Internal Server Error: api/v1/attempts/<str:public_id>/moves"  # its route
    assert f"/attempts/{told.broken}" not in text
    assert "attempt_rows.py" in fault["exception"]
    assert "RuntimeError" in fault["exception"]


def test_what_is_suspicious_is_a_warning_of_one_short_line(told: Told) -> None:
    lines = [json.loads(line) for line in told.server.logs().splitlines()]
    refused = [line for line in lines if line["logger"].startswith("django.security.")]
    kinds = [line["logger"].removeprefix("django.security.") for line in refused]
    assert kinds == ["DisallowedHost"] * 4 + ["RequestDataTooBig", "csrf"]
    assert {line["level"] for line in refused} == {"WARNING"}
    assert not any("exception" in line for line in refused)
    assert "'evil.example'" in refused[0]["message"]
    assert all(len(line["message"]) <= 200 for line in refused)
    assert "alice-the-secret" not in told.server.logs()
    assert "boards/<" in refused[-1]["message"]


def envelope_items(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines() if line.startswith('{"') and '"exception"' in line]


def test_a_fault_is_reported_without_values(told: Told) -> None:
    [event] = [item for report in told.reports for item in envelope_items(report)]
    problem = event["exception"]["values"][-1]
    assert problem["type"] == "RuntimeError"
    frames = problem["stacktrace"]["frames"]
    assert any(frame["function"] == "attempt_move" for frame in frames)
    assert all("vars" not in frame for frame in frames)
    assert event["tags"] == {"request_id": "from-the-proxy-1"}
    assert not {"request", "user", "extra", "breadcrumbs", "contexts", "server_name", "modules"} & event.keys()
    everything = "\n".join(told.reports)
    address = f"/attempts/{told.broken}"
    assert [secret for secret in (*secrets_of(told), address, "m1", "alice") if secret in everything] == []


def test_a_request_id_is_taken_only_where_it_is_well_formed(told: Told) -> None:
    for given, taken in (("abc-123.DEF_456", True), ("short", False), ("x" * 65, False), ("a b c d e f g h", False)):
        request = urllib.request.Request(f"{told.server.url}/api/v1/daily", headers={"X-Request-ID": given})
        with urllib.request.urlopen(request, timeout=20) as answer:
            assert (answer.headers["X-Request-ID"] == given) is taken


def test_a_worker_exports_the_queue_and_its_tasks(told: Told) -> None:
    address = f"127.0.0.1:{free_port()}"
    worker = subprocess.Popen(
        [*TIED_TO_US, sys.executable, str(ROOT / "manage.py"), "worker"],
        env={**os.environ, **told.server.environment, "TRIPEAKS_METRICS": address},
        stderr=subprocess.DEVNULL,
    )
    try:

        def done() -> float:
            try:
                return scraped(address).get(("tripeaks_tasks_total", (("outcome", "done"),)), 0)
            except OSError:
                return 0

        assert wait_until(lambda: done() >= 1, seconds=120)  # the solver may have to be compiled first
        found = scraped(address)
        assert found["tripeaks_queue_tasks", (("status", "todo"),)] == 0
        assert found["tripeaks_queue_oldest_seconds", ()] == 0
        worker.terminate()
        assert worker.wait(20) == 0
    finally:
        worker.kill()
        worker.wait()


def test_every_metric_of_the_dashboard_exists(told: Told) -> None:
    [path] = (ROOT / "tripeaks_site/deploy/dashboards").glob("*.json")
    board = json.loads(path.read_text())
    assert len({panel["id"] for panel in board["panels"]}) == len(board["panels"]) > 10
    used = {
        name
        for panel in board["panels"]
        for target in panel["targets"]
        for name in re.findall(r"\b(?:tripeaks|process)_\w+", target["expr"])
    }
    with urllib.request.urlopen(f"http://{told.metrics}/metrics", timeout=20) as answer:
        types = dict(re.findall(r"^# TYPE (\w+) (\w+)$", answer.read().decode(), re.MULTILINE))
    types |= {family.name: "gauge" for family in Queue().describe()}
    exist = {name + end for name, kind in types.items() for end in (("", "_bucket") if kind == "histogram" else ("",))}
    assert used - exist == set()
    ours = {name for name in types if name.startswith("tripeaks_") and not name.endswith("_created")}
    assert {name for name in ours if not any(each.startswith(name) for each in used)} <= {"tripeaks_request_seconds"}
