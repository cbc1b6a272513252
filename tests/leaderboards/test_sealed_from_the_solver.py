"""While a daily is sealed, nothing that a player can reach asks the solver about it (issue B, 4).

A real server, and commands beside it, run with a solver that notes each touch and raises once the test arms it. Every
operation of the API, every page, every message of the sockets and the commands that take a deal are then tried on a
running day by its players, by others and by nobody. Controls: the note is taken where the solver may be asked.
"""

from __future__ import annotations

import datetime as dt
import itertools
import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from django.conf import settings

from games.api.docs import openapi_document
from games.client import Client
from games.engine.cards import cards_text
from games.engine.codes import composed_code, parse_code
from games.engine.deals import deal_cards
from leaderboards import dealing
from leaderboards.models import DailyChallenge
from leaderboards.services import dailies_prepare
from tests.client.cast import database, guest, person, play_badly, play_line
from tests.leaderboards.cast import NOON
from tests.processes import ServerProcess, live_server
from tests.realtime.sockets import open_link, play_link

# Python runs a module of this name at its start: before anybody can hold a function of the solver, each is wrapped.
GUARD = """
import functools, importlib.abc, importlib.machinery, os, sys, traceback, types

ARMED, TOUCHED = os.environ["SOLVER_ARMED"], os.environ["SOLVER_TOUCHED"]
GATES = {
    "sweeps": ["reached", "settled", "settled_runs"], "exact": ["solve", "winnable", "analyse"],
    "search": ["search", "find_win"], "playouts": ["difficulty", "play_out"],
}

def guarded(function):
    @functools.wraps(function)
    def call(*arguments, **named):
        if os.path.exists(ARMED):
            with open(TOUCHED, "a") as file:
                file.write(f"{function.__module__}.{function.__qualname__}\\n" + "".join(traceback.format_stack(limit=9)))
            raise RuntimeError("the solver was touched")
        return function(*arguments, **named)
    return call

class Guard(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        names = GATES.get(name.removeprefix("games.solver."))
        if not name.startswith("games.solver.") or names is None:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is None:
            return None
        run = spec.loader.exec_module
        def exec_module(module):
            run(module)
            for each in names:
                setattr(module, each, guarded(getattr(module, each)))
        spec.loader.exec_module = exec_module
        return spec

sys.meta_path.insert(0, Guard())
"""
UNTHROTTLED = {f"TRIPEAKS_THROTTLE_{scope.upper()}": "100000/60" for scope in settings.THROTTLES}


@dataclass
class Watch:
    """The files by which the test and the guards talk."""

    armed: Path
    touched: Path

    @property
    def touches(self) -> str:
        return self.touched.read_text() if self.touched.exists() else ""

    def forget(self) -> None:
        self.touched.unlink(missing_ok=True)


@dataclass
class Day:
    """A running daily: its secrets, and who plays it."""

    server: ServerProcess
    watch: Watch
    clock: Path
    code: str
    cards: str
    final_in: float
    players: dict[str, Client]
    running: str
    finished: list[str]
    open_finished: str
    open_practice: str

    @property
    def composed(self) -> str:
        """The same cards as a composed code, as somebody would enter them who knows them all."""
        return composed_code("E", deal_cards(parse_code(self.code))).text


@pytest.fixture
def day(tmp_path: Path) -> Iterator[Day]:
    (tmp_path / "sitecustomize.py").write_text(GUARD)
    watch, clock = Watch(tmp_path / "armed", tmp_path / "touched"), tmp_path / "clock"
    now = dt.datetime.now(dt.UTC)
    noon = (now + dt.timedelta(days=1)).replace(hour=12, minute=0)  # far from midnight, when another day is prepared
    clock.write_text(str((noon - now).total_seconds()))
    env = {
        **UNTHROTTLED,
        "PYTHONPATH": str(tmp_path),
        "SOLVER_ARMED": str(watch.armed),
        "SOLVER_TOUCHED": str(watch.touched),
        "TRIPEAKS_CLOCK_OFFSET_FILE": str(clock),
        "TRIPEAKS_DAILY_DAYS_AHEAD": "1",
    }
    with live_server(env=env) as server:
        alice, bob, mallory, visitor = (
            person(server.url, "alice"),
            person(server.url, "bob"),
            person(server.url, "mallory"),
            guest(server.url),
        )
        running = play_line(alice, alice.start_daily(), ["d", "d"])
        finished = [play_badly(each, each.start_daily())["id"] for each in (bob, visitor)]
        mine = alice.start(code="TP1-E-AAAAAAC")
        alice.resign(mine["id"])
        practice = mallory.start(code="TP1-E-AAAAAAB", practice=True)
        with database(server) as rows:
            row = rows.execute(
                "SELECT code, extract(epoch FROM final_at - now())::float FROM leaderboards_dailychallenge ORDER BY date"
            ).fetchone()
        assert row is not None
        code, final_in = str(row[0]), float(str(row[1]))
        watch.armed.touch()
        yield Day(
            server,
            watch,
            clock,
            code,
            cards_text(deal_cards(parse_code(code))),
            final_in,
            {"alice": alice, "bob": bob, "mallory": mallory, "visitor": visitor},
            running["id"],
            finished,
            mine["id"],
            practice["id"],
        )


def ask(day: Day, method: str, path: str, body: Any = None, *, who: str | None = None) -> tuple[int, str]:
    """Status and text of any address of the server."""
    headers = {"Content-Type": "application/json"}
    if who is not None:
        headers["Authorization"] = f"Bearer {day.players[who].token}"
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(day.server.url + path, data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refusal:
        return refusal.code, refusal.read().decode()


# --- everything there is to try ------------------------------------------------------------------------------------

LEFT_OUT = {("delete", "/api/v1/account"), ("post", "/api/v1/logout")}  # they only end who asks
BODIES: dict[str, list[dict[str, Any]]] = {
    "/api/v1/attempts/{public_id}/moves": [{"move": "d", "expected_ply": 2, "move_id": "m9"}, {"move": "u"}],
    "/api/v1/daily/{which}/attempts": [{"key": "again"}],
}


def operations() -> list[tuple[str, str]]:
    """(method, path) of all that the API describes, resignations last: they change what the others find."""
    found = [(method, path) for path, methods in openapi_document()["paths"].items() for method in methods]
    return sorted(set(found) - LEFT_OUT, key=lambda each: (each[1].endswith("/resign"), each))


@dataclass(frozen=True)
class Tried:
    """One request and its answer."""

    method: str
    pattern: str
    path: str
    status: int
    text: str


def try_the_api(day: Day) -> list[Tried]:
    """Every operation by everybody."""
    places = {
        "public_id": [day.running, *day.finished],
        "which": ["today", "1", "2"],
        "board": [f"daily-{_date(day)}", day.code, day.composed],
        "number": ["17"],
    }
    starts = [
        {"key": f"k{at}", "code": code, "practice": practice}
        for at, (code, practice) in enumerate(itertools.product((day.code, day.composed), (True, False)))
    ]
    found = []
    for method, pattern in operations():
        name = next((name for name in places if f"{{{name}}}" in pattern), None)
        bodies: list[Any] = BODIES.get(pattern, starts if pattern == "/api/v1/attempts" else [{"key": "x"}])
        for place in places[name] if name else [""]:
            path = pattern.replace(f"{{{name}}}", quote(place))
            for who in ("alice", "bob", "mallory", "visitor", None):
                for body in bodies if method == "post" else [None]:
                    found.append(Tried(method, pattern, path, *ask(day, method.upper(), path, body, who=who)))
    return found


def _date(day: Day) -> str:
    with Client(day.server.url) as anybody:
        return str(anybody.daily()["date"])


def try_the_pages(day: Day) -> list[Tried]:
    """Every page, with and without the question for an analysis."""
    board = f"/boards/daily-{_date(day)}"
    found = []
    for path in ["/", "/boards", board, f"{board}?kind=bots", f"/boards/{day.code}", f"/boards?code={day.code}",
                 f"/boards/{day.composed}", "/numbered", "/numbered/17", "/numbered/random?unbeaten=1"]:  # fmt: skip
        found.append(Tried("get", "page", path, *ask(day, "GET", path, who="bob")))
    for attempt, query, method in itertools.product([day.running, *day.finished], ["", "?analysis=1"], ["GET", "POST"]):
        path = f"/attempts/{attempt}{query}"
        found += [Tried(method, "page", path, *ask(day, method, path, who=who)) for who in ("alice", "bob", None)]
    return found


def try_the_sockets(day: Day) -> list[str]:
    """The types of the answers to every message a client can send."""
    heard = []
    alice = day.players["alice"]
    with play_link(day.server, alice.token or "") as link:
        attempt = alice.resume(day.running)
        for frame in (
            {"type": "resume", "attempt": day.running, "ply": 0},
            {"type": "move", "attempt": day.running, "move": "d", "expected_ply": attempt["ply"], "move_id": "s1"},
            {"type": "move", "attempt": day.running, "move": "u", "expected_ply": attempt["ply"] + 1, "move_id": "s2"},
            {"type": "hint", "attempt": day.running},
            {"type": "resume", "attempt": day.finished[0], "ply": 0},
            {"type": "ping", "id": "p"},
        ):
            heard.append(link.ask(**frame)["type"])
    with open_link(day.server, "/ws/v1/standings") as link:
        for name in (f"daily-{_date(day)}", day.code, day.composed):
            for kind in ("subscribe", "resync", "unsubscribe"):
                link.say(type=kind, board=name, kind="people", view="best")
        heard.append(link.ask(type="ping", id="p")["type"])
    return heard


def try_the_commands(day: Day) -> list[tuple[int, str]]:
    """What takes a deal, and what looks after dailies: (exit code, output)."""
    found = []
    for arguments in [("solve", "--code", day.code), ("solve", "--cards", day.cards),
                      ("solve", "--code", day.code, "--after", "d", "--json"), ("maintenance",)]:  # fmt: skip
        done = day.server.manage(*arguments, check=False)
        found.append((done.returncode, done.stdout + done.stderr))
    return found


# --- the tests -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_no_way_in_leads_to_the_solver_while_the_deal_is_sealed(day: Day) -> None:
    status, _ = ask(day, "GET", f"/api/v1/attempts/{day.open_finished}/analysis", who="alice")
    assert (status, "exact.analyse" in day.watch.touches) == (500, True), "control: an open attempt's analysis"
    day.watch.forget()
    assert ask(day, "POST", f"/api/v1/attempts/{day.open_practice}/hint", who="mallory")[0] == 500, "control: a hint"
    assert "exact.solve" in day.watch.touches
    day.watch.forget()
    assert "RuntimeError" in day.server.manage("solve", "--code", "TP1-E-AAAAAAB", check=False).stderr, "control"
    assert "exact.solve" in day.watch.touches
    day.watch.forget()

    frames = try_the_sockets(day)
    answers = try_the_api(day)
    pages = try_the_pages(day)
    commands = try_the_commands(day)

    assert day.watch.touches == ""
    assert set(frames) == {"ack", "state", "error", "pong", "snapshot"}
    assert {(each.method, each.pattern) for each in answers} == set(operations())
    assert [each for each in answers + pages if each.status >= 500] == []
    helped = [each for each in answers if each.pattern.endswith(("/analysis", "/hint", "/winnable"))]
    assert len(helped) >= 60
    assert {each.status for each in helped} <= {401, 404, 409, 422}
    assert [done for done, _ in commands] == [1, 1, 1, 0]
    assert all("not over yet" in words for done, words in commands if done)

    read = [each for each in answers if each.pattern.startswith("/api/v1/daily") and each.method == "get"]
    told = [json.loads(each.text)["daily"] for each in read]
    assert {(daily["best"], daily["difficulty"]) for daily in told} == {(None, None)}
    secrets = [day.code.removeprefix("TP2-E-"), day.cards]
    unasked = [each for each in answers + pages if day.code not in each.path]  # an answer may repeat what was asked
    assert [each for each in unasked if any(secret in each.text for secret in secrets)] == []

    day.clock.write_text(str(day.final_in + 60))
    status, _ = ask(day, "GET", f"/api/v1/attempts/{day.finished[0]}/analysis", who="alice")
    assert (status, "exact.analyse" in day.watch.touches) == (500, True), "control: the same attempt, once it is final"


@pytest.mark.django_db
def test_only_deals_that_nobody_has_been_given_yet_are_shown_to_the_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests prepare dailies by themselves: what they show to the solver is never a committed deal."""
    shown: list[bytes] = []

    def watched(name: str) -> None:
        real = getattr(dealing, name)

        def call(ruleset: Any, cards: Any, *rest: Any, **named: Any) -> Any:
            assert not DailyChallenge.objects.filter(deal__cards=bytes(cards)).exists()
            shown.append(bytes(cards))
            return real(ruleset, cards, *rest, **named)

        monkeypatch.setattr(dealing, name, call)

    for name in ("winnable", "difficulty", "analyse"):
        watched(name)
    made = dailies_prepare(now=NOON)
    assert {bytes(daily.deal.cards) for daily in made} <= set(shown), "control: all were seen"
    seen = len(shown)
    assert dailies_prepare(now=NOON) == []
    assert len(shown) == seen
