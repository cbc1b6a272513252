"""People in front of a browser: signed in by the same cookie as their pages, and able to ask the API as them.

    alice = visitor(site.url, "Alice")            # or visitor(site.url): a guest
    attempt = alice.start(code=Z)                 # all of games.client.Client
    page = open_page(f"/play/{Z}?attempt={attempt['id']}", player=alice)

What the server wrote down is read from its database: `log_of`, and `winning_line` for what no page may know.
"""

from __future__ import annotations

import datetime as dt
import json
from http.cookies import SimpleCookie
from typing import Any, Self

from playwright.sync_api import BrowserContext

from games.client import Client, Json
from games.engine.cards import parse_cards
from games.engine.codes import composed_code
from games.engine.moves import MOVE_TEXTS
from tests.analysis import cast
from tests.attempts.hand import DECKS
from tests.client.cast import PASSWORD, database
from tests.processes import ServerProcess

COOKIE = "tripeaks"  # the name that settings give it without TLS


class Visitor(Client):
    """The client of the API with a browser's credential: the cookie, and the Origin of our own pages."""

    secret = ""

    def guest(self) -> Any:
        """Become a new guest by cookie."""
        return self.request("POST", "/guests", {"credential": "cookie"})["player"]

    def sign_in(self, name: str) -> Self:
        """Another session of an account of the tests."""
        self.request("POST", "/login", {"name": name, "password": PASSWORD, "credential": "cookie"})
        return self

    def _exchange(self, method: str, path: str, body: Json | None) -> tuple[int, float, object]:
        headers = {"Accept": "application/json", "Origin": self.url}
        if self.secret:
            headers["Cookie"] = f"{COOKIE}={self.secret}"
        content = None
        if body is not None:
            content = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        self._connection.request(method, f"/api/v1{path}", content, headers)
        response = self._connection.getresponse()
        raw = response.read()
        for value in response.headers.get_all("Set-Cookie", []):
            for name, morsel in SimpleCookie(value).items():
                if name == COOKIE:
                    self.secret = morsel.value
        return response.status, 0.0, json.loads(raw) if raw else None

    def enter(self, context: BrowserContext, url: str = "") -> None:
        """Make a browser context this person's (at `url`, where that is not the site itself)."""
        context.add_cookies(
            [{"name": COOKIE, "value": self.secret, "url": url or self.url, "httpOnly": True, "sameSite": "Lax"}]
        )


def visitor(url: str, name: str = "") -> Visitor:
    """A new guest with a cookie; with a name, a new account."""
    client = Visitor(url)
    client.guest()
    if name:
        client.claim(name, PASSWORD)
    return client


# --- deals ---------------------------------------------------------------------------------------------------------


def deck_code(deck: str, ruleset: str = "R") -> str:
    """The code of a fixture deck of the cases: Z (one chain), P (nothing fits until the last card), V."""
    return composed_code(ruleset, parse_cards(" ".join(DECKS[deck]))).text


def best_line(code: str) -> list[str]:
    """Moves to the best end of a deal."""
    return cast.best_line(code).split()


def losing_line(code: str) -> list[str]:
    """The whole stock first, then what fits, until nothing does."""
    return cast.stuck_log(code).split()


# --- what only the database knows ----------------------------------------------------------------------------------


def daily_code(site: ServerProcess, date: dt.date | str | None = None) -> str:
    """The sealed code of a daily (today's by the server's clock): known to the tests alone."""
    with Client(site.url) as anybody:  # the server prepares the day where that has not happened yet
        wanted = str(date or anybody.daily()["date"])
    with database(site) as connection:
        row = connection.execute("SELECT code FROM leaderboards_dailychallenge WHERE date = %s", (wanted,)).fetchone()
    assert row is not None, f"no daily of {wanted}"
    return str(row[0])


def log_of(site: ServerProcess, attempt_id: str) -> list[str]:
    """The plies of an attempt in the order in which the server accepted them."""
    with database(site) as connection:
        rows = connection.execute(
            "SELECT m.move FROM games_move m JOIN games_attempt a ON a.id = m.attempt_id"
            " WHERE a.public_id = %s ORDER BY m.ply",
            (attempt_id,),
        ).fetchall()
    return [MOVE_TEXTS[int(str(move))] for (move,) in rows]
