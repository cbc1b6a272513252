"""How many whole games one process can verify in a second, next to a bare loop of look-ups over the same logs."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from time import perf_counter_ns, thread_time_ns
from typing import Any, Final

from games.engine.cards import Card
from games.engine.codes import GameCode
from games.engine.deals import deal_cards
from games.engine.layout import COVERS
from games.engine.moves import DRAW, Move
from games.engine.position import start
from games.engine.replay import replay
from games.engine.rulesets import DEFAULT_RULESET

GAMES: Final = 200
PLIES: Final = 50
_SEED: Final = 20_261_129

Game = tuple[tuple[Card, ...], tuple[Move, ...]]


def games_to_replay(count: int = GAMES, plies: int = PLIES, seed: int = _SEED) -> list[Game]:
    """``count`` finished games of exactly ``plies`` removes and draws, each on another deal; always the same ones."""
    choose = random.Random(seed)
    found: list[Game] = []
    number = 0
    while len(found) < count:
        number += 1
        cards = deal_cards(GameCode("TP1", DEFAULT_RULESET.letters, number))
        for _ in range(4):
            log = _play_out(cards, choose)
            if len(log) == plies:
                found.append((cards, log))
                break
    return found


def _play_out(cards: tuple[Card, ...], choose: random.Random) -> tuple[Move, ...]:
    """One game to its end: mostly the card that turns up most, now and then any other move."""
    position = start(DEFAULT_RULESET, cards, undo_allowed=False)
    while moves := position.legal_moves():
        removes = [move for move in moves if move != DRAW]
        if removes and choose.random() < 0.97:
            gone = position.removed
            best = max(
                removes, key=lambda slot: (sum(not gone >> under & 1 for under in COVERS[slot]), choose.random())
            )
            position = position.play(best)
        else:
            position = position.play(choose.choice(moves))
    return position.line


def _floor_loop(cards: Sequence[Card], log: Sequence[Move], fits: dict[Card, list[bool]]) -> int:
    """The floor: per move one list look-up (the card), one dict look-up (what fits) and one list look-up (does it)."""
    top = cards[28]
    fitting = 0
    for move in log:
        card = cards[move]
        if fits[top][card]:
            fitting += 1
        top = card
    return fitting


def _timed(call: Callable[[Game], object], games: Sequence[Game], seconds: float) -> tuple[list[int], float]:
    """Nanoseconds of each call, going round the games until the time is up; and calls a second of this thread's CPU."""
    taken: list[int] = []
    end = perf_counter_ns() + int(seconds * 1e9)
    used = thread_time_ns()
    while perf_counter_ns() < end:
        for game in games:
            before = perf_counter_ns()
            call(game)
            taken.append(perf_counter_ns() - before)
    return taken, 1e9 * len(taken) / (thread_time_ns() - used)


def run(*, seconds: float = 3.0) -> dict[str, Any]:
    """Measure for about ``seconds``. Figures are games a second; ``ratio`` = floor / figure (1: the bare loop).

    ``cpu_figure`` and ``cpu_floor``: a second of CPU, the measuring included. The clock goes on when others compute.
    """
    games = games_to_replay()
    fits = {card: [(card - other) % 13 in (1, 12) for other in range(53)] for card in range(53)}
    for cards, log in games:  # what is timed must be the whole thing: every ply valid, every game over
        played = replay(DEFAULT_RULESET, cards, log, undo_allowed=False)
        if played.error is not None or len(played.valid) != PLIES or played.position.outcome is None:
            raise AssertionError("a bench game does not replay")
    floor, cpu_floor = _timed(lambda game: _floor_loop(*game, fits), games, seconds / 4)
    taken, cpu_figure = _timed(lambda game: replay(DEFAULT_RULESET, *game, undo_allowed=False), games, seconds * 3 / 4)
    taken.sort()
    figure = 1e9 * len(taken) / sum(taken)
    floor_figure = 1e9 * len(floor) / sum(floor)
    return {
        "name": "replay",
        "figure": round(figure, 1),
        "unit": "games/s",
        "cpu_figure": round(cpu_figure, 1),
        "floor": round(floor_figure, 1),
        "cpu_floor": round(cpu_floor, 1),
        "floor_is": "a bare loop over the same logs with three list or dict look-ups a move",
        "ratio": round(floor_figure / figure, 2),
        "samples": len(taken),
        "plies": PLIES,
        "p50_us": round(taken[len(taken) // 2] / 1000, 2),
        "p99_us": round(taken[len(taken) * 99 // 100] / 1000, 2),
        "target": 5000,
    }
