"""How many stored attempts `manage.py verify` holds to their logs in a second, next to bare replays of such logs.

The command runs as a process of its own, over ten dailies of the past as in `bench capacity` (nearly all logs in their
compact form, half of those of the last day as rows), and as many practice attempts as a quarter of them, each with cards
of its own, with rows. It must find no difference. Needs a database that holds nothing.
"""

from __future__ import annotations

import datetime as dt
import random
import re
import resource
import subprocess
import sys
import tempfile
from time import perf_counter
from typing import Any, Final

from django.conf import settings

from games.compact import log_unpack
from games.engine.codes import numbered_code
from games.engine.deals import deal_cards
from games.engine.position import start
from games.engine.replay import replay
from games.engine.rulesets import DEFAULT_RULESET
from games.models import Attempt, CompactLog, Deal, Move, Player

from .capacity_rows import fill
from .judging_rows import ended, played

ENTRIES: Final = 40_000
FLOOR: Final = 2_000
AT_LEAST: Final = 3_000.0
"""Attempts a second in one process."""
_SEED: Final = 20_261_130
_TOLD = re.compile(r"([\d,]+) attempts; .*?([\d,]+) a second")


def run(*, entries: int = ENTRIES) -> dict[str, Any]:
    """`figure` and `floor` are attempts a second, ``ratio`` is floor / figure. `missed` names what was not reached.

    The database is left as it is filled: it is one of the benchmark's own.
    """
    if Player.objects.exists():
        raise RuntimeError("this needs an empty database: run it without --own")
    attempts = fill(entries, lambda said: None).rows["games_attempt"] + _practice(entries // 4)
    before = _children_cpu()
    with tempfile.TemporaryDirectory(prefix="tripeaks-bench-") as directory:
        command = [
            sys.executable,
            str(settings.BASE_DIR / "manage.py"),
            "verify",
            f"--progress={directory}/verify.jsonl",
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    told = _TOLD.search(done.stdout)
    if done.returncode not in (0, 1) or told is None:
        raise RuntimeError(f"verify did not come to its end: {done.stdout[-500:]}{done.stderr[-500:]}")
    verified, rate = (int(number.replace(",", "")) for number in told.groups())
    floor = _floor()
    reached = {
        f"{AT_LEAST:,.0f} attempts a second": rate >= AT_LEAST,
        "all attempts": verified == attempts,
        "no difference": done.returncode == 0,
    }
    return {
        "name": "verify: stored attempts held to their logs",
        "figure": float(rate),
        "unit": "attempts/s, one process",
        "floor": floor,
        "floor_is": "the engine's replay of such logs, nothing read or compared",
        "ratio": floor / rate,
        "attempts": verified,
        "cpu_s_of_the_command": _children_cpu() - before,
        "said": done.stdout.splitlines()[-1],
        "missed": [name for name, is_reached in reached.items() if not is_reached],
    }


def _practice(count: int) -> int:
    """Attempts with a deal each; how many."""
    choose = random.Random(_SEED)
    players = list(Player.objects.order_by("pk")[:100])
    at = dt.datetime.now(dt.UTC).replace(microsecond=0)
    for first in range(1, count + 1, 1_000):
        codes = [numbered_code(number) for number in range(first, min(first + 1_000, count + 1))]
        deals = Deal.objects.bulk_create(Deal(cards=bytes(deal_cards(code))) for code in codes)
        ends = [played(choose, start(DEFAULT_RULESET, tuple(deal.cards), undo_allowed=False)) for deal in deals]
        attempts = [
            ended(choose.choice(players), deal, code.text, None, end, at, elapsed_ms=end.ply * 1_000)
            for code, deal, end in zip(codes, deals, ends, strict=True)
        ]
        for attempt in attempts:
            attempt.ranked, attempt.start_key, attempt.number = False, attempt.code, attempt.deal_id
        Attempt.objects.bulk_create(attempts)
        Move.objects.bulk_create(
            Move(
                attempt=attempt,
                ply=ply,
                move=move,
                move_id=f"m{ply}",
                at=attempt.started_at + dt.timedelta(seconds=ply),
            )
            for attempt, end in zip(attempts, ends, strict=True)
            for ply, move in enumerate(end.line, start=1)
        )
    return count


def _children_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _floor() -> float:
    logs = CompactLog.objects.select_related("attempt__deal").order_by("pk")[:FLOOR]
    games = [(tuple(log.attempt.deal.cards), log_unpack(log.packed).moves) for log in logs]
    started = perf_counter()
    for cards, moves in games:
        replay(DEFAULT_RULESET, cards, moves, undo_allowed=False)
    return len(games) / (perf_counter() - started)
