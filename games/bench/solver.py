"""The exact solver on one core: the main question, the same deals by the reference, a whole analysis, best run scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter_ns, thread_time_ns
from typing import Any, Final

from games.bench.replay import games_to_replay
from games.engine.cards import Card
from games.engine.codes import GameCode
from games.engine.deals import deal_cards
from games.engine.position import start
from games.engine.rulesets import DEFAULT_RULESET, Ruleset, find_ruleset
from games.solver.compiled import COMPILED, kernel
from games.solver.exact import analyse, solve, warm_up, winnable
from games.solver.reference import fewest_draws
from games.solver.tables import Array, shapes

DEALS: Final = 10_000
REFERENCE_DEALS: Final = 3
ATTEMPTS: Final = 100
RUN_DEALS: Final = 100


@kernel
def _visit(first: Array, to: Array, slot: Array) -> int:
    """The floor: look at each of the 119,364 steps between shapes once."""
    total = 0
    for shape in range(len(first) - 1):
        for step in range(first[shape], first[shape + 1]):
            total += to[step] ^ slot[step]
    return total


def _deals(count: int) -> list[tuple[Card, ...]]:
    return [deal_cards(GameCode("TP1", "E", number)) for number in range(1, count + 1)]


def _timed(call: Callable[[Any], object], inputs: Sequence[Any]) -> tuple[list[int], list[int]]:
    """Nanoseconds of each call by the clock and of its CPU, both sorted: another process in the way costs no CPU."""
    clock, cpu = [], []
    for one in inputs:
        before, cpu_before = perf_counter_ns(), thread_time_ns()
        call(one)
        cpu.append(thread_time_ns() - cpu_before)
        clock.append(perf_counter_ns() - before)
    return sorted(clock), sorted(cpu)


def _milliseconds(times: tuple[list[int], list[int]]) -> dict[str, Any]:
    clock, cpu = times
    return {
        "samples": len(clock),
        "p50_ms": round(clock[len(clock) // 2] / 1e6, 3),
        "p99_ms": round(clock[len(clock) * 99 // 100] / 1e6, 3),
        "worst_ms": round(clock[-1] / 1e6, 3),
        "p50_cpu_ms": round(cpu[len(cpu) // 2] / 1e6, 3),
        "worst_cpu_ms": round(cpu[-1] / 1e6, 3),
    }


def _main_question(ruleset: Ruleset, deals: Sequence[tuple[Card, ...]]) -> tuple[dict[str, Any], int]:
    times = _timed(lambda cards: winnable(ruleset, cards), deals)
    return _milliseconds(times), sum(times[0])


def _reference(deals: Sequence[tuple[Card, ...]]) -> dict[str, Any]:
    """The same question for the first deals by the slow search, and that both answer the same."""
    slow = fast = 0
    for cards in deals:
        before = perf_counter_ns()
        told = fewest_draws(start(DEFAULT_RULESET, cards))
        between = perf_counter_ns()
        found = winnable(DEFAULT_RULESET, cards)
        slow, fast = slow + between - before, fast + perf_counter_ns() - between
        if found != (told is not None, told):
            raise AssertionError("the solver and its reference disagree")
    return {
        "deals": len(deals),
        "deals_per_s": round(len(deals) * 1e9 / slow, 3),
        "times_slower": round(slow / fast),
    }


def run(
    *,
    deals: int = DEALS,
    reference_deals: int = REFERENCE_DEALS,
    attempts: int = ATTEMPTS,
    run_deals: int = RUN_DEALS,
) -> dict[str, Any]:
    """Figures are deals a second (Easy and Classic together); ``ratio`` = floor / figure."""
    warm_up()
    cards = _deals(max(deals, run_deals, reference_deals))
    table = shapes()
    _visit(table.first, table.to, table.slot)
    floor, _ = _timed(lambda _: _visit(table.first, table.to, table.slot), range(200))
    easy, easy_time = _main_question(DEFAULT_RULESET, cards[:deals])
    classic, classic_time = _main_question(find_ruleset("C"), cards[:deals])
    figure = 2 * deals * 1e9 / (easy_time + classic_time)
    floor_figure = 1e9 * len(floor) / sum(floor)
    games = games_to_replay(attempts)
    runs = find_ruleset("R")
    return {
        "name": "solver",
        "figure": round(figure, 1),
        "unit": "deals/s, winnable and fewest draws, one core",
        "floor": round(floor_figure, 1),
        "floor_is": "a compiled loop that looks at each step between shapes once",
        "ratio": round(floor_figure / figure, 2),
        "compiled": COMPILED,
        "easy": easy,
        "classic": classic,
        "reference": _reference(cards[:reference_deals]),
        "analysis of a 50-move attempt, Easy": _milliseconds(
            _timed(lambda game: analyse(DEFAULT_RULESET, *game), games)
        ),
        "analysis of a 50-move attempt, Runs": _milliseconds(
            _timed(lambda game: analyse(runs, *game), games[: max(1, attempts // 5)])
        ),
        "best score of a deal, Runs": _milliseconds(_timed(lambda deal: solve(start(runs, deal)), cards[:run_deals])),
        "target": "p50 1 ms, worst 3 ms; analysis 20 ms (Easy); Runs p50 1,000 ms, worst 10,000 ms",
    }
