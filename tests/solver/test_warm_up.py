"""After `warm_up` nothing is left to compile: the first question of a request is answered at once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

PROGRAM = """
from games.engine.cards import JOKER
from games.engine.position import start
from games.engine.rulesets import RULESETS
from games.solver import kernels
from games.solver.exact import analyse, solve, warm_up, winnable
said = []
warm_up(said.append)
def compiled():
    return [len(getattr(kernels, name).signatures) for name in ("reach", "settle", "settle_runs")]
before = compiled()
for ruleset in RULESETS.values():
    opening = start(ruleset, range(ruleset.deck_size))
    winnable(ruleset, opening.cards)
    solve(opening)
    solve(opening.play(opening.legal_moves()[0]))
    analyse(ruleset, opening.cards, opening.legal_moves()[:1])
print(said, before, compiled())
"""


def test_no_kernel_is_compiled_after_warm_up() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stdout.strip() == "['Preparing the solver …'] [1, 1, 1] [1, 1, 1]"
