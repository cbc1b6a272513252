"""Whatever happens to a board and to its copy, both ways of reading give what plain sorting gives (R8.2–R8.4, C13)."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from games.clock import milliseconds
from games.engine.ranking import Result, rank_all
from games.models import Attempt, Player
from leaderboards import standings
from leaderboards.models import Board, Entry, ScoreBucket
from leaderboards.scopes import parse_board
from leaderboards.selectors import board_me, board_page
from leaderboards.standings_check import order_check
from tests.leaderboards.cast import NOON, RUNS, TEN, copy_answers, exclude, finish, include, person, raw, reading_from

pytestmark = pytest.mark.django_db

PLAYERS = 5


@dataclass
class Played:
    """One attempt as it should count."""

    who: int
    score: int
    moves: int
    at: dt.datetime
    attempt: Attempt
    excluded: bool = False

    @property
    def place(self) -> tuple[int, int, int, int]:
        return (-self.score, self.moves, milliseconds(self.at), self.attempt.pk)


@dataclass
class Model:
    """What the board should be, kept the plainest way."""

    players: list[Player]
    played: list[Played] = field(default_factory=list)

    def finish(self, who: int, score: int, moves: int, minute: int, *, again: bool) -> None:
        """A new result, or (`again`) the latest attempt, counting or not, bettered by undoing."""
        at = TEN + dt.timedelta(minutes=minute)
        mine = [played for played in self.played if played.who == who]
        if not again:
            attempt = finish(self.players[who], score, moves=moves, at=at)
            self.played.append(Played(who, score, moves, at, attempt))
        elif mine and (-score, moves) < mine[-1].place[:2]:
            finish(self.players[who], score, moves=moves, at=at, attempt=mine[-1].attempt)
            mine[-1].score, mine[-1].moves, mine[-1].at = score, moves, at

    def standing(self, who: int) -> Played | None:
        mine = [played for played in self.played if played.who == who and not played.excluded]
        return min(mine, key=lambda played: played.place, default=None)

    def expected(self) -> list[tuple[int, int]]:
        """(rank, player) in the board's order."""
        rows = [row for who in range(len(self.players)) if (row := self.standing(who)) is not None]
        rows.sort(key=lambda row: row.place)
        ranks = rank_all("score", [Result("won", row.score, row.moves, 3, 0, 0, 0) for row in rows], timed=False)
        return [(rank, row.who) for rank, row in zip(ranks, rows, strict=True)]


WHO = st.integers(0, PLAYERS - 1)
FINISH = st.tuples(st.just("finish"), WHO, st.integers(100, 103), st.integers(30, 31), st.integers(0, 3), st.booleans())
STEP = st.one_of(
    FINISH,
    FINISH,
    FINISH,
    st.tuples(st.just("remove"), WHO),
    st.tuples(st.just("restore"), WHO),
    st.sampled_from([("flush",), ("rebuild",), ("read",), ("forget half",)]),
)


def take(step: tuple[object, ...], model: Model) -> None:
    match step:
        case ("finish", int(who), int(score), int(moves), int(minute), bool(again)):
            model.finish(who, score, moves, minute, again=again)
        case ("remove", int(who)):
            standing = model.standing(who)
            if standing is not None:
                assert exclude(standing.attempt) >= 1
                standing.excluded = True
        case ("restore", int(who)):
            for played in model.played:
                if played.who == who and played.excluded:
                    include(played.attempt)
                    played.excluded = False
        case ("flush",):
            raw().flushall()
        case ("rebuild",):
            for board in Board.objects.filter(scope=RUNS, view="best"):
                standings.rebuild(board.pk)
        case ("read",):
            with reading_from("cache"):
                board_page(parse_board(RUNS), cursor=None, limit=3, now=NOON)
        case ("forget half",):  # an eviction takes single keys, not whole boards
            for key in raw().keys("tripeaks:board:*:z"):
                raw().delete(key)


def check(model: Model) -> None:
    name = parse_board(RUNS)
    expected = [(rank, model.players[who].public_id) for rank, who in model.expected()]
    seen = []
    for way in ("database", "cache"):
        with reading_from(way):
            rows: list[tuple[int, str]] = []
            cursor = None
            while True:
                page = board_page(name, cursor=cursor, limit=2, now=NOON)
                rows += [(row["rank"], row["player"]["id"]) for row in page["rows"]]
                cursor = page["next"]
                if cursor is None:
                    break
            assert rows == expected, way
            seen.append([board_me(name, player_id=player.pk) for player in model.players])
    assert seen[0] == seen[1]
    for board in Board.objects.filter(scope=RUNS):
        active = Entry.objects.filter(board=board, active=True).count()
        assert board.entries == active
        assert sum(ScoreBucket.objects.filter(board=board).values_list("count", flat=True)) == active
    if expected:
        assert copy_answers(), "the copy was not what answered"


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(st.lists(STEP, max_size=14))
def test_any_mix_of_results_removals_flushes_and_rebuilds_reads_alike_both_ways(
    steps: list[tuple[object, ...]],
) -> None:
    with transaction.atomic():
        model = Model([person(f"player {number}") for number in range(PLAYERS)])
        for step in steps:
            take(step, model)
        check(model)
        transaction.set_rollback(True)


def test_control_a_copy_with_one_wrong_score_is_noticed_by_this_very_check() -> None:
    model = Model([person(f"player {number}") for number in range(PLAYERS)])
    for who in range(PLAYERS):
        model.finish(who, 100 + who, 30, who, again=False)
    raw().flushall()
    check(model)
    [key] = raw().keys("tripeaks:board:*:z")
    lowest = raw().zrange(key, 0, 0)[0]
    raw().zincrby(key, 1_000_000, lowest)
    with reading_from("cache"):
        ways = [[row["player"]["id"] for row in board_page(parse_board(RUNS), cursor=None, limit=9, now=NOON)["rows"]]]
    # The rows are read from PostgreSQL at the very places the copy names: a place that is none sends the reader back.
    assert ways[0] == [model.players[who].public_id for _rank, who in model.expected()]
    board = Board.objects.get(scope=RUNS, view="best")
    assert order_check(board.pk) == "different"
