"""Worked examples for the page of rules: played by the engine on the published deal, so that they cannot be wrong."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, Final

from games.engine.cards import CARD_TEXTS
from games.engine.codes import parse_code
from games.engine.deals import deal_cards
from games.engine.layout import SLOTS
from games.engine.moves import DRAW, parse_log
from games.engine.position import Position
from games.engine.replay import replay, replay_steps
from games.engine.rulesets import Ruleset, find_ruleset
from games.engine.scoring import SCORING

LETTERS: Final = "AAAAAAB"
"""The deal of R7.4."""
WON: Final = (
    "d d d d t20 d d t24 t23 t22 t18 t21 t19 d t9 t11 t14 t27 t25 t26 t16 t13 d t10 t12 t15 t17 d t8 d d t6 d t3 t5 t4"
    " t0 t7 d d d t2 d d d d d d d t1"
)
"""The line of R7.5."""
RUNS: Final = "t20 t23 t22 d t13 t25 t26 t16"


def position_after(ruleset: Ruleset, moves: str) -> Position:
    """The published deal under a ruleset after these moves; a move that is refused is a slip in a template."""
    cards = deal_cards(parse_code(f"TP1-{ruleset.letters}-{LETTERS}"))
    done = replay(ruleset, cards, parse_log(moves))
    if done.error is not None:
        raise ValueError(f"ply {done.error_ply} of this example is refused: {done.error}")
    return done.position


@dataclass(frozen=True, slots=True)
class Step:
    """One move of a worked example."""

    card: str
    drawn: bool
    run: int
    change: int
    score: int


@functools.cache
def run_steps() -> tuple[Step, ...]:
    """Two runs and the draw between them, with what each move is worth."""
    ruleset = find_ruleset("R")
    cards = deal_cards(parse_code(f"TP1-R-{LETTERS}"))
    log = parse_log(RUNS)
    positions = list(replay_steps(ruleset, cards, log))
    return tuple(
        Step(CARD_TEXTS[after.waste_index], move == DRAW, after.run, after.score - before.score, after.score)
        for move, before, after in zip(log, positions, positions[1:], strict=False)
    )


@functools.cache
def scoring_examples() -> dict[str, Any]:
    """The numbers of the section on scoring: every one from the registry or from a line that was played."""
    points, runs = SCORING["points500"], SCORING["runs"]
    won = position_after(find_ruleset("E"), WON)
    draws = won.line.count(DRAW)
    return {
        "points": points,
        "won": {"removes": SLOTS, "draws": draws, "moves": won.moves, "peaks": sum(points.peaks), "score": won.score},
        "most": points.start - SLOTS + sum(points.peaks),
        "runs": runs,
        "third": runs.peaks[2],
        "steps": run_steps(),
        "longest": SLOTS * (SLOTS + 1) // 2 * runs.run_step,
        "run_peaks": sum(runs.peaks),
        "most_runs": SLOTS * (SLOTS + 1) // 2 * runs.run_step + sum(runs.peaks),
        "code": f"TP1-E-{LETTERS}",
    }
