"""Numbered games (R7.7, R8.5): solved by a command that can be killed, told over REST with records and filters."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from pytest_django import DjangoAssertNumQueries

from games.engine.codes import numbered_code
from games.engine.deals import deal_cards
from games.engine.position import start
from games.engine.replay import replay
from games.engine.rulesets import find_ruleset
from games.solver.exact import solve
from games.solver.numbered import NUMBERED_VERSION, GameFacts, game_facts, games_facts
from leaderboards.models import Board, NumberedGame
from leaderboards.selectors import numbered as numbered_selectors
from leaderboards.selectors import numbered_get, numbered_list, numbered_random
from leaderboards.services.numbered import numbered_write
from tests.calls import Answer, call
from tests.leaderboards.cast import TEN, bot, exclude, finish, person
from tests.processes import ROOT, fresh_database, run_manage

NUMBERED = find_ruleset("G")
UNWINNABLE = 103


# --- the facts -----------------------------------------------------------------------------------------------------


def test_the_facts_are_the_end_of_a_line_that_can_be_played() -> None:
    first = next(number for number in range(1, 500) if not game_facts(number).winnable)
    assert first == UNWINNABLE
    for number in (1, 17, 50_000, UNWINNABLE):
        facts = game_facts(number)
        cards = deal_cards(numbered_code(number))
        end = replay(NUMBERED, cards, solve(start(NUMBERED, cards)).line).position
        assert end.outcome == ("won" if facts.winnable else "stuck")
        assert (end.cards_left, end.moves) == (facts.fewest_left, facts.fewest_moves)


def test_known_facts() -> None:
    assert games_facts([1, 17, UNWINNABLE]) == [
        GameFacts(1, True, 0, 41),
        GameFacts(17, True, 0, 41),
        GameFacts(UNWINNABLE, False, 1, 51),
    ]


# --- the command ---------------------------------------------------------------------------------------------------


@pytest.fixture
def database() -> Iterator[str]:
    with fresh_database() as url:
        yield url


def rows(url: str) -> dict[int, tuple[Any, ...]]:
    """Number -> (winnable, fewest_left, fewest_moves, version, when the row was written)."""
    with psycopg.connect(url) as reading:
        found = reading.execute(
            "SELECT number, winnable, fewest_left, fewest_moves, solver_version, xmin::text FROM leaderboards_numberedgame"
        )
        return {row[0]: row[1:] for row in found.fetchall()}


def test_killed_it_goes_on_from_there_and_comes_to_the_same(database: str) -> None:
    command = [sys.executable, "manage.py", "solve_numbered", "--upto", "2000", "--processes", "2"]
    environment = {**os.environ, "DATABASE_URL": database}
    with psycopg.connect(database) as holding:  # the last game cannot be written before it is killed
        holding.execute("INSERT INTO leaderboards_numberedgame VALUES (2000, false, 5, 47, %s)", (NUMBERED_VERSION,))
        running = subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True)
        assert running.stderr is not None
        for line in running.stderr:
            if re.match(r" *[1-9]\d* %", line):
                break
        workers = children(running.pid)
        running.send_signal(signal.SIGKILL)
        running.communicate(timeout=60)
        holding.rollback()
    before = rows(database)
    assert 250 <= len(before) < 2000
    assert len(workers) >= 2
    deadline = time.monotonic() + 60
    while any(os.path.exists(f"/proc/{pid}") for pid in workers) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(os.path.exists(f"/proc/{pid}") for pid in workers), "the workers end with their parent"

    done = run_manage("solve_numbered", "--upto", "2000", "--processes", "2", env={"DATABASE_URL": database})
    after = rows(database)
    assert sorted(after) == list(range(1, 2001))
    assert all(after[number] == row for number, row in before.items()), "what was solved is left alone"
    assert f"{2000 - len(before):,} games solved. {len(before):,} were solved already." in done.stdout
    assert {number: row[:3] for number, row in after.items() if number % 500 in (0, 103)} == {
        number: tuple(game_facts(number)[1:]) for number in range(1, 2001) if number % 500 in (0, 103)
    }


def children(pid: int) -> list[str]:
    """The processes that this one has started."""
    found = subprocess.run(["ps", "--ppid", str(pid), "-o", "pid="], capture_output=True, text=True, check=True)
    return found.stdout.split()


def test_rows_of_an_older_solver_are_solved_again(database: str) -> None:
    with psycopg.connect(database, autocommit=True) as writing:
        writing.execute(
            "INSERT INTO leaderboards_numberedgame VALUES (1, false, 5, 47, %s), (2, false, 6, 46, %s)",
            (NUMBERED_VERSION - 1, NUMBERED_VERSION),
        )
    done = run_manage("solve_numbered", "--upto", "3", "--processes", "1", env={"DATABASE_URL": database})
    assert "2 games solved. 1 were solved already." in done.stdout
    found = rows(database)
    assert found[1][:4] == (*game_facts(1)[1:], NUMBERED_VERSION)
    assert found[2][:4] == (False, 6, 46, NUMBERED_VERSION), "control: the present solver's word is not doubted"
    again = run_manage("solve_numbered", "--upto", "3", env={"DATABASE_URL": database})
    assert "0 games solved. 3 were solved already." in again.stdout
    assert rows(database) == found


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--upto", "0"), "--upto 1 to 50000"),
        (("--upto", "50001"), "--upto 1 to 50000"),
        (("--processes", "0"), "--processes must be at least 1"),
    ],
)
def test_bad_options_are_refused(arguments: tuple[str, ...], words: str) -> None:
    with pytest.raises(CommandError, match=words):
        call_command("solve_numbered", *arguments)


def test_no_database_is_one_sentence() -> None:
    done = run_manage("solve_numbered", env={"DATABASE_URL": "postgresql://nobody@127.0.0.1:9/none"}, check=False)
    assert done.returncode == 1
    assert "The database cannot be used" in done.stderr
    assert "Traceback" not in done.stderr


# --- over REST -----------------------------------------------------------------------------------------------------


def get(path: str, **options: Any) -> Answer:
    return call("GET", f"/numbered{path}", **options)


def numbers(path: str) -> list[int]:
    return [game["number"] for game in get(path).json["games"]]


def record(number: int, left: int, moves: int, name: str, *, minute: int = 0, robot: bool = False) -> None:
    """A result of somebody new at a numbered game."""
    player = bot(name, person(f"{name} owner")) if robot else person(name)
    finish(
        player,
        left,
        at=TEN.replace(minute=minute),
        code=numbered_code(number).text,
        outcome="stuck" if left else "won",
        moves=moves,
        peaks=0 if left else 3,
        cards_left=left,
    )


@pytest.fixture
def played(db: None) -> None:
    """The first 110 games solved; 1 perfect, 2 won not perfectly, 3 and the unwinnable one lost, 4 by a bot."""
    numbered_write(facts=games_facts(range(1, 111)), version=NUMBERED_VERSION)
    record(1, 0, 41, "alice")
    record(1, 0, 41, "aline", minute=5)  # a tie: the earlier date holds the record
    record(2, 0, game_facts(2).fewest_moves + 3, "bob")
    record(2, 9, 43, "berta")
    record(3, 2, 50, "carol")
    record(UNWINNABLE, 1, 51, "dave")
    record(4, 0, 50, "robot", robot=True)


@pytest.mark.django_db
def test_a_game_tells_its_facts_its_record_and_how_far_that_is_from_perfect(played: None) -> None:
    one = get("/1").json["game"]
    assert {key: one[key] for key in one if key != "record"} == {
        "number": 1,
        "code": "TP1-G-AAAAAAB",
        "winnable": True,
        "fewest_left": 0,
        "fewest_moves": 41,
        "perfect": True,
        "from_perfect": {"cards": 0, "moves": 0},
        "previous": None,
        "next": 2,
    }
    assert (one["record"]["player"]["name"], one["record"]["rank"], one["record"]["moves"]) == ("alice", 1, 41)
    two, three, lost, four = (get(f"/{number}").json["game"] for number in (2, 3, UNWINNABLE, 4))
    assert (two["record"]["player"]["name"], two["from_perfect"], two["perfect"]) == (
        "bob",
        {"cards": 0, "moves": 3},
        False,
    )
    assert (three["from_perfect"], three["perfect"]) == ({"cards": 2, "moves": None}, False)
    assert (lost["winnable"], lost["from_perfect"], lost["perfect"]) == (False, {"cards": 0, "moves": 0}, True)
    assert (four["record"], four["from_perfect"], four["perfect"]) == (None, None, None)
    assert get("/4?kind=bots").json["game"]["record"]["player"]["name"] == "robot"
    last = get("/50000").json["game"]
    assert (last["previous"], last["next"], last["winnable"], last["fewest_moves"]) == (49_999, None, None, None)


@pytest.mark.django_db
def test_a_record_passes_on_with_the_next_ones_own_date(played: None) -> None:
    board = Board.objects.get(scope=numbered_code(1).text, kind="people", view="best")
    exclude(board.rows.get(player__name="alice").attempt)
    row = get("/1").json["game"]["record"]
    assert (row["player"]["name"], row["finished_at"]) == ("aline", "2026-11-29T10:05:00.000Z")


@pytest.mark.django_db
def test_filters_leave_exactly_what_they_name(played: None) -> None:
    assert numbers("") == list(range(1, 51))
    assert numbers("?filter=unplayed&limit=3") == [4, 5, 6], "bots have records of their own"
    assert numbers("?filter=unplayed&limit=3&kind=bots") == [1, 2, 3]
    assert numbers("?filter=unbeaten&limit=3") == [3, 4, 5]
    assert numbers("?filter=imperfect") == [2, 3]
    later = numbers("?filter=unbeaten&cursor=100&limit=15")
    assert UNWINNABLE not in later, "what nobody can win is no challenge"
    assert 111 in later, "what is not solved may be one"


@pytest.mark.django_db
def test_pages_follow_one_another_without_a_gap_to_the_very_end(played: None) -> None:
    first = get("?limit=40").json
    second = get(f"?limit=40&cursor={first['next']}").json
    found = [game["number"] for game in first["games"] + second["games"]]
    assert (found, second["next"]) == (list(range(1, 81)), "80")
    end = get("?limit=40&cursor=49970").json
    assert ([game["number"] for game in end["games"]], end["next"]) == (list(range(49_971, 50_001)), None)
    record(1500, 0, 52, "erin")
    record(49_990, 1, 52, "frank")
    NumberedGame.objects.create(number=1500, winnable=True, fewest_left=0, fewest_moves=40, solver_version=1)
    NumberedGame.objects.create(number=49_990, winnable=True, fewest_left=0, fewest_moves=40, solver_version=1)
    sparse = get("?filter=imperfect&limit=3").json
    assert ([game["number"] for game in sparse["games"]], sparse["next"]) == ([2, 3, 1500], "1500")
    rest = get("?filter=imperfect&limit=3&cursor=1500").json
    assert ([game["number"] for game in rest["games"]], rest["next"]) == ([49_990], None)


@pytest.mark.django_db
def test_the_number_of_queries_is_small_whatever_there_is(
    played: None, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for wanted, most in [("all", 1), ("unplayed", 1), ("unbeaten", 1), ("imperfect", 3)]:
        with django_assert_max_num_queries(most):
            numbered_list(wanted=wanted, kind="people", cursor=None, limit=100)
    with django_assert_max_num_queries(1):
        numbered_get(number=2)
    with django_assert_max_num_queries(0):
        numbered_random(unbeaten=False)
    with django_assert_max_num_queries(2):
        numbered_random(unbeaten=True)


@pytest.mark.django_db
def test_a_game_at_random_is_in_range_and_an_unbeaten_one_is_unbeaten(
    played: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = {get("/random").json["number"] for _ in range(30)}
    assert len(found) > 20
    assert all(1 <= number <= 50_000 for number in found)
    monkeypatch.setattr(numbered_selectors, "NUMBERED_GAMES", 204)  # few enough to see each come up
    for number in range(5, 205):
        if number not in (UNWINNABLE, 100, 200):
            _won(number)
    some = Counter(get("/random?unbeaten=1").json["number"] for _ in range(60))
    assert set(some) == {3, 4, 100, 200}
    for number in (3, 4, 100, 200):
        _won(number)
    none_left = get("/random?unbeaten=1")
    assert (none_left.status, none_left.code) == (404, "not_found")
    assert get("/random?unbeaten=1&kind=bots").status == 200


def _won(number: int) -> None:
    """A win straight into the rows: two hundred attempts would take a while."""
    with connection.cursor() as cursor:
        cursor.execute(
            """WITH b AS (INSERT INTO leaderboards_board
                            (scope, kind, view, ranking, timed, version, entries, started, finished)
                          VALUES (%s, 'people', 'best', 'cards_left', false, 1, 1, 0, 0)
                          ON CONFLICT (scope, kind, view) DO UPDATE SET version = 2 RETURNING id)
               INSERT INTO leaderboards_entry (board_id, player_id, attempt_id, key, finished_ms, outcome, score, moves,
                                               peaks, cards_left, elapsed_ms, version, active)
               SELECT b.id, e.player_id, e.attempt_id, 40, 1, 'won', 0, 40, 3, 0, 1, 1, true
                 FROM b, (SELECT * FROM leaderboards_entry ORDER BY id LIMIT 1) e""",
            [numbered_code(number).text],
        )


@pytest.mark.django_db
@pytest.mark.parametrize(
    "typed", ["0", "007", "50001", "-1", "+1", "1.0", "1_0", "٣", "１７", "²", "17a", "99999999999"]
)
def test_what_is_no_number_is_refused_in_words(typed: str) -> None:
    answer = get(f"/{quote(typed)}")
    assert (answer.status, answer.code) == (400, "game_number")
    assert answer.json["error"]["message"] == "Numbered games are 1 to 50000, in plain digits."


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("?filter=easy", "bad_filter"),
        ("?filter=", "bad_filter"),
        ("?kind=guests", "bad_kind"),
        ("?cursor=0", "bad_cursor"),
        ("?cursor=50000", "bad_cursor"),
        ("?cursor=x", "bad_cursor"),
        ("?limit=0", "bad_limit"),
        ("?limit=101", "bad_limit"),
        ("/1?kind=x", "bad_kind"),
        ("/random?unbeaten=yes", "bad_field"),
        ("/random?unbeaten=1&kind=x", "bad_kind"),
    ],
)
def test_what_makes_no_sense_is_refused_with_a_code(query: str, code: str) -> None:
    answer = get(query)
    assert (answer.status, answer.code) == (400, code)


@pytest.mark.django_db
def test_nothing_solved_and_nothing_played_is_an_answer_too() -> None:
    game = get("/17").json["game"]
    assert [game[key] for key in ("winnable", "fewest_left", "fewest_moves", "record", "perfect")] == [None] * 5
    assert get("?filter=imperfect").json == {"games": [], "next": None}
    assert re.fullmatch(r"[1-9]\d{0,4}", str(get("/random?unbeaten=1").json["number"]))
