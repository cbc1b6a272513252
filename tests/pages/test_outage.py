"""A database that is away makes pages come later; it breaks none."""

from __future__ import annotations

import urllib.error
import urllib.request
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from psycopg import sql

from tests.processes import ServerProcess, _admin, live_server


@pytest.fixture(scope="module")
def away() -> Iterator[ServerProcess]:
    """A server whose database has just gone."""
    with live_server(env={"TRIPEAKS_THROTTLE_PAGE": "1000/60"}) as server:
        name = sql.Identifier(urlsplit(server.database_url).path.removeprefix("/"))
        with _admin() as admin:
            admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(name))
        yield server


@pytest.mark.parametrize(
    "path", ["/", "/boards/TP1-E-AAAAAAB?kind=bots", "/numbered", "/play/TP1-E-AAAAAAB", "/admin/"]
)
def test_a_page_asks_to_be_asked_for_again_while_the_database_is_away(away: ServerProcess, path: str) -> None:
    request = urllib.request.Request(
        away.url + path, headers={"Accept-Language": "fi", "Cookie": "tripeaks=somebody; sessionid=" + "a" * 32}
    )
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request, timeout=20)
    body = refused.value.read().decode()
    assert (refused.value.code, refused.value.headers["Retry-After"]) == (503, "5")
    assert refused.value.headers["Content-Security-Policy"]
    assert f'<html lang="{"en" if path == "/admin/" else "fi"}"' in body  # the admin speaks English to everybody
    assert f'href="{path}"' in body
