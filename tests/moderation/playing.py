"""Attempts that were really played, move by move through the services, at times that the test names."""

from __future__ import annotations

import datetime as dt
import itertools
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import connection
from procrastinate.contrib.django.models import ProcrastinateJob

from games import clock
from games.bench.moves import LINE
from games.engine.codes import parse_code
from games.engine.deals import deal_cards
from games.engine.moves import format_log, parse_log
from games.engine.position import start
from games.engine.rulesets import find_ruleset
from games.models import Attempt, Player
from games.services import attempt_move, attempt_resign, attempt_start
from games.services.attempts import Competition
from games.solver.exact import solve
from leaderboards.moderation.evidence import Evidence
from leaderboards.moderation.signals import Signal
from leaderboards.moderation.verdict import Judged
from tests.factories import SignedIn, person, token

EASY = "TP1-E-AAAAAAB"
WON: Sequence[str] = LINE
"""A line that wins EASY at ply 50."""
STUCK: Sequence[str] = [*["d"] * 23, "t27", "t25", "t26", "t16", "t19", "t21", "t17", "t22", "t12"]
"""A line after which EASY offers no move at ply 32: a result, from which an undo may still go on."""
_serial = itertools.count()


def best_line(code: str = EASY) -> list[str]:
    """A best line, by the solver."""
    parsed = parse_code(code)
    found = solve(start(find_ruleset(parsed.ruleset), deal_cards(parsed)))
    return format_log(found.line).split()


def play(
    who: SignedIn,
    line: Sequence[str] = WON,
    *,
    code: str = EASY,
    competition: Competition | None = None,
    at: dt.datetime | None = None,
    pace_ms: int = 1500,
    uneven: bool = False,
    resign: bool = False,
    practice: bool = False,
) -> Attempt:
    """Start, play the whole line with `pace_ms` between moves so that it ends at `at` (now), and read the attempt back.

    `uneven`: as people do, some moves in half the time and some in three times as much.
    """
    end = at or clock.now()
    begun = end - dt.timedelta(milliseconds=pace_ms * len(line))
    dice = random.Random(pace_ms)
    weights = [dice.lognormvariate(0, 0.5) if uneven else 1.0 for _ in line]
    times = [round(sum(weights[: ply + 1]) / sum(weights) * pace_ms * len(line)) for ply in range(len(line))]
    key = f"m{next(_serial)}"
    attempt, _ = attempt_start(
        player_id=who.player.pk,
        code=parse_code(code),
        start_key=key,
        practice=practice,
        now=begun,
        competition=competition,
    )
    signed: dict[str, Any] = {"token_hash": bytes(who.credential.token_hash), "via": "bearer"}
    for ply, move in enumerate(parse_log(" ".join(line))):
        attempt_move(
            attempt_id=attempt.public_id,
            **signed,
            move=move,
            expected_ply=ply,
            move_id=f"{key}-{ply}",
            now=begun + dt.timedelta(milliseconds=times[ply]),
        )
    if resign:
        attempt_resign(attempt_id=attempt.public_id, **signed, move_id=f"{key}-resign", now=end)
    return Attempt.objects.select_related("player", "deal").get(pk=attempt.pk)


def play_on(who: SignedIn, attempt: Attempt, line: Sequence[str]) -> Attempt:
    """More moves in an attempt that is not closed, all of them now."""
    now = clock.now()
    for ply, move in enumerate(parse_log(" ".join(line)), start=attempt.ply):
        attempt_move(
            attempt_id=attempt.public_id,
            token_hash=bytes(who.credential.token_hash),
            via="bearer",
            move=move,
            expected_ply=ply,
            move_id=f"on{next(_serial)}",
            now=now,
        )
    return Attempt.objects.select_related("player", "deal").get(pk=attempt.pk)


def somebody(name: str = "") -> SignedIn:
    """A person with a token that may play."""
    return token(person(name))


def competition(now: dt.datetime, key: str = "daily-2020-01-01") -> Competition:
    """One whose deadline is an hour after `now`."""
    return Competition(
        key=key,
        deadline=now + dt.timedelta(hours=1),
        sealed_until=now + dt.timedelta(hours=2),
        undo_allowed=False,
        ranked=True,
    )


def queued() -> list[tuple[int, int]]:
    """(attempt, ply) of the tasks that wait."""
    return [(args["attempt_id"], args["ply"]) for args in jobs("todo")]


def jobs(status: str) -> list[dict[str, Any]]:
    """The arguments of the tasks of this status, in order."""
    return list(ProcrastinateJob.objects.filter(status=status).order_by("id").values_list("args", flat=True))


def signal(name: str = "machine_speed", points: int = 40, group: Any = "time") -> Signal:
    """A finding that a test makes up."""
    return Signal(name, group, points, "Made up by a test.", {"plies": [1]})


def judging(verdict: Any, *signals: Signal) -> Any:
    """A judge that always says the same."""

    def judge(evidence: Evidence, *, confirm: Any = None) -> Judged:
        return Judged(verdict, sum(each.points for each in signals), signals, (0.5, float(len(evidence.line.log))))

    return judge


def decide(service: Any, attempt: Attempt, moderator: Player) -> None:
    """An act of a moderator's on an attempt."""
    service(
        attempt_id=attempt.public_id,
        moderator_id=moderator.pk,
        reason_class="other",
        reason="looked at it",
        words="",
        now=clock.now(),
    )


@contextmanager
def refusing(table: str) -> Iterator[None]:
    """While it lasts the database takes no row of a table."""
    with connection.cursor() as cursor:
        cursor.execute(
            """CREATE FUNCTION test_refuse() RETURNS trigger LANGUAGE plpgsql AS
               $$ BEGIN RAISE EXCEPTION 'refused by the test'; END $$"""
        )
        cursor.execute(f"CREATE TRIGGER test_refuse BEFORE INSERT ON {table} EXECUTE FUNCTION test_refuse()")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DROP FUNCTION IF EXISTS test_refuse CASCADE")
