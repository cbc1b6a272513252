"""HTTP through the threads of the ASGI server: bodies of every kind arrive whole, or are refused whole."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

from tests.processes import ServerProcess, live_server

JSON = {"Content-Type": "application/json"}


def answer(server: ServerProcess, method: str, path: str, body: object = None, **headers: str) -> tuple[int, bytes]:
    link = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=20)
    link.request(method, path, body, headers={**JSON, **headers}, encode_chunked=not isinstance(body, bytes | None))  # type: ignore[arg-type]
    reply = link.getresponse()
    return reply.status, reply.read()


def chunks(text: bytes, size: int) -> Iterator[bytes]:
    for at in range(0, len(text), size):
        yield text[at : at + size]


def test_a_chunked_body_is_read_as_a_whole_one(server: ServerProcess) -> None:
    body = json.dumps({"credential": "token"}).encode()
    assert answer(server, "POST", "/api/v1/guests", body)[0] == 201
    assert answer(server, "POST", "/api/v1/guests", chunks(body, 5), **{"Transfer-Encoding": "chunked"})[0] == 201


def test_a_body_that_is_too_long_is_refused_with_and_without_a_length(server: ServerProcess) -> None:
    body = b'{"credential": "token", "x": "' + b"y" * 10_000_000 + b'"}'
    for sent, headers in ((body, {}), (chunks(body, 65536), {"Transfer-Encoding": "chunked"})):
        status, text = answer(server, "POST", "/api/v1/guests", sent, **headers)
        assert (status, json.loads(text)["error"]["code"]) == (413, "too_large")


def test_a_header_with_underscores_is_not_taken_for_the_one_that_our_proxy_wrote() -> None:
    env = {"TRIPEAKS_TRUSTED_PROXIES": "1", "TRIPEAKS_THROTTLE_GUEST": "2/3600"}
    body = json.dumps({"credential": "token"}).encode()
    with live_server(env=env) as behind:
        statuses = [
            answer(behind, "POST", "/api/v1/guests", body, **dict(headers))[0]
            for headers in (
                [("X-Forwarded-For", "192.0.2.1"), ("X_Forwarded_For", "192.0.2.2")],
                [("X_Forwarded_For", "192.0.2.3"), ("X-Forwarded-For", "192.0.2.1")],
                [("X-Forwarded-For", "192.0.2.1"), ("X_Forwarded_For", "192.0.2.4")],
                [("X-Forwarded-For", "192.0.2.5")],
            )
        ]
    assert statuses == [201, 201, 429, 201]


def test_head_has_no_body_and_static_files_are_whole(server: ServerProcess) -> None:
    status, page = answer(server, "GET", "/")
    assert (status, answer(server, "HEAD", "/")) == (200, (200, b""))
    sheet = page.decode().partition('rel="stylesheet" href="')[2].partition('"')[0]
    assert sheet
    status, css = answer(server, "GET", sheet)
    assert (status, css.rstrip()[-1:]) == (200, b"}")


def test_a_client_that_leaves_in_the_middle_of_its_body_disturbs_nobody(server: ServerProcess) -> None:
    address = urlsplit(server.url)
    for _ in range(20):
        with socket.create_connection((address.hostname, address.port)) as link:
            link.sendall(b"POST /api/v1/guests HTTP/1.1\r\nHost: localhost\r\nContent-Length: 500\r\n\r\n{")
    assert answer(server, "GET", "/healthz")[0] == 200
    assert "Traceback" not in server.logs()


def test_more_requests_than_threads_are_all_answered(server: ServerProcess) -> None:
    with ThreadPoolExecutor(40) as pool:
        assert {status for status, _ in pool.map(lambda _: answer(server, "GET", "/healthz"), range(200))} == {200}
