"""What the pages cost: bytes, requests and queries before anything is seen, then how the table and the lists hold up.

The first figures need no browser; the rest is measured in a real Chromium where there is one.
"""

from __future__ import annotations

import os
import re
import secrets
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from games import clock
from games.bench.processes import bench_server
from games.engine.cards import parse_cards
from games.engine.codes import GameCode, composed_code
from games.engine.rulesets import find_ruleset
from games.models import Attempt, Move, Player
from games.services import attempt_start
from games.services.credentials import credential_create

from . import page_browser
from .fanout import DECK
from .page_browser import QUICK, Seat

UNHURRIED: Final = {f"TRIPEAKS_THROTTLE_{scope}": "1000000/60" for scope in ("PAGE", "READ", "MOVE", "START", "SOCKET")}
ENCODINGS: Final = {"br": ".br", "gzip": ".gz"}
PLAY_MS: Final = 50.0  # all that a play costs the page, its answer and motion included; more is felt as a halt
NO_BROWSER: Final = "not measured: Chromium or Playwright is missing (Debian: apt-get install chromium-headless-shell)"


def run(serving: Sequence[str], updates: int = page_browser.UPDATES) -> dict[str, Any]:
    """Every figure with its target, their ratio, and whether it is reached. `serving`: see `bench_server`."""
    figure: dict[str, Any] = {"name": "page: what it costs to load, to play on and to watch"}
    with tempfile.TemporaryDirectory(prefix="tripeaks-bench-page-") as directory:
        static = Path(directory) / "static"
        env = {"TRIPEAKS_STATIC": str(static), **UNHURRIED}
        collect = [sys.executable, str(settings.BASE_DIR / "manage.py"), "collectstatic", "--noinput"]
        subprocess.run([*collect, "--verbosity", "0"], env={**os.environ, **env}, check=True)
        with bench_server(serving, env) as (server, _):
            figure["scripts_and_styles_kb"] = _sizes(static, f"http://{server}")
            figure["queries_signed_out"], figure["queries_signed_in"] = _queries()
            chromium = page_browser.find_chromium()
            if chromium is None:
                figure["browser"] = NO_BROWSER
            else:
                figure.update(_in_browser(chromium, server, updates))
    return figure


def judged(measured: float, target: float, **more: Any) -> dict[str, Any]:
    """A figure against the most it may be."""
    verdict = "ok" if measured <= target else "MISSED"
    return {"measured": measured, "target": target, "ratio": measured / target, "verdict": verdict, **more}


_MODERATORS = re.compile(r"/admin/|/desk\.[0-9a-f]{12}\.")
"""Files of the admin: no player loads them."""


# --- bytes ---------------------------------------------------------------------------------------------------------


def _sizes(static: Path, url: str) -> dict[str, Any]:
    """Every module and style sheet that a player can load, and the largest catalogue of words, as browsers get them over
    TLS (brotli); `by_gzip` is what they get without."""
    sums = {encoding: _sum(static, url, encoding) for encoding in ENCODINGS}
    scripts, styles, words = sums["br"]
    parts = {"scripts": scripts, "styles": styles, "largest_words": words}
    return judged(sum(sums["br"]), 80.0, **parts, by_gzip=sum(sums["gzip"]))


def _sum(static: Path, url: str, encoding: str) -> tuple[float, float, float]:
    """kB of scripts, style sheets, and the largest catalogue."""
    named = re.compile(r"\.[0-9a-f]{12}\.(js|css)$")
    found = {"js": 0, "css": 0}
    for app in ("games", "leaderboards"):
        for path in (static / app).rglob("*"):
            kind = named.search(path.name)
            if kind and not _MODERATORS.search(path.as_posix()):
                small = path.with_name(path.name + ENCODINGS[encoding])
                found[kind[1]] += (small if small.exists() else path).stat().st_size
    words = max(_words(url, code, encoding) for code, _ in settings.LANGUAGES)
    return found["js"] / 1000, found["css"] / 1000, words / 1000


def _words(url: str, language: str, encoding: str) -> int:
    """The bytes of a language's catalogue, by the address that a page in the language names."""
    with urllib.request.urlopen(urllib.request.Request(f"{url}/", headers={"Accept-Language": language})) as answer:
        page = answer.read().decode()
    address = re.search(r'src="(/words/[^"]+)"', page)
    if address is None:
        raise RuntimeError("the home page names no catalogue of words")
    request = urllib.request.Request(url + address[1], headers={"Accept-Encoding": encoding})
    with urllib.request.urlopen(request) as answer:
        if answer.headers.get("Content-Encoding") != encoding:
            raise RuntimeError("the catalogue of words is not compressed")
        return len(answer.read())


# --- queries -------------------------------------------------------------------------------------------------------


def _queries() -> tuple[dict[str, Any], dict[str, Any]]:
    """Of the home page, once today's daily is prepared: for a stranger, and for somebody signed in."""
    counts = []
    for cookie in ({}, _player("person")[1]):
        browser = Client(SERVER_NAME="localhost")
        browser.cookies.load({cookie["name"]: cookie["value"]} if cookie else {})
        browser.get("/")
        with CaptureQueriesContext(connection) as captured:
            status = browser.get("/").status_code
        if status != 200:
            raise RuntimeError(f"the home page answers {status}")
        counts.append(judged(len(captured), 6))
    return counts[0], counts[1]


def _player(kind: str) -> tuple[Player, dict[str, str]]:
    """Somebody with a browser, and its cookie."""
    named = {"name": f"bench {secrets.token_hex(4)}", "name_key": secrets.token_hex(8)} if kind == "person" else {}
    player = Player.objects.create(kind=kind, **named)
    _, token = credential_create(player=player, kind="session", via="cookie", name="", now=clock.now())
    return player, {"name": settings.CREDENTIAL_COOKIE, "value": token}


# --- in a browser --------------------------------------------------------------------------------------------------


def _code() -> GameCode:
    """Clears in one chain, the bottom row first."""
    return composed_code(find_ruleset("R").letters, parse_cards(DECK))


def _seat() -> tuple[Attempt, Seat]:
    code = _code()
    player, cookie = _player("guest")
    key = secrets.token_hex(4)
    attempt, _ = attempt_start(player_id=player.pk, code=code, start_key=key, practice=False, now=clock.now())
    return attempt, Seat(f"/play/{code.text}?attempt={attempt.public_id}", cookie)


def _in_browser(chromium: str, server: str, updates: int) -> dict[str, Any]:
    (_, tapped), (attempt, far) = _seat(), _seat()
    # A thread of its own: Playwright runs an event loop in it, beside which Django refuses to ask the database.
    with ThreadPoolExecutor(1) as thread:
        found = thread.submit(page_browser.measure, chromium, server, tapped=tapped, far=far, updates=updates).result()
    moves = list(Move.objects.filter(attempt=attempt).order_by("ply").values_list("move", flat=True))
    missing = len(QUICK) if moves != list(QUICK) else 0
    asked, tap, quick, news = found["requests"], found["tap"], found["quick"], found["updates"]
    return {
        "requests_of_first_view": judged(asked["http"], 10, and_sockets=asked["sockets"]),
        "frames_until_tap_is_drawn": judged(tap["frames"], 1, taps=tap["taps"], ms_p50=tap["ms"]),
        "quick_plays_not_in_order": {
            "measured": missing,
            "target": 0,
            "verdict": "MISSED" if missing else "ok",
            "plays": len(moves),
            "delay_each_way_ms": page_browser.FAR * 1000,
            "tapped_in_ms": quick["tapped_in_ms"],
        },
        # CPU: a busy machine makes the longest task longer than it is.
        "main_thread_ms_per_play": judged(quick["ms_per_play"], PLAY_MS, longest_task_ms=quick["longest_task_ms"]),
        "main_thread_ms_per_second": judged(
            news["ms_per_second"], 50.0, updates=news["sent"], seconds=news["seconds"], at_rest=news["at_rest"]
        ),
    }
