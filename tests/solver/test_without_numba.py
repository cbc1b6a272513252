"""Without numba the solver answers the same, by numpy alone; where its cache cannot be written it compiles anyway."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from games.engine.rulesets import RULESETS
from games.solver import kernels, plain, sweeps
from games.solver.exact import analyse, solve, winnable
from tests.solver.positions import opening

ROOT = Path(__file__).parents[2]
CODES = ["TP1-C-AAAAAAD", "TP1-T-AAAAAAB", "TP1-J-AAAAAAB"]

PROGRAM = """
import json, sys
{block}
from games.engine.codes import parse_code
from games.engine.deals import deal_cards
from games.engine.position import start
from games.engine.rulesets import find_ruleset
from games.solver.compiled import COMPILED
from games.solver.exact import analyse, solve, warm_up, winnable
warm_up()
told = []
for text in sys.argv[1:]:
    code = parse_code(text)
    ruleset, cards = find_ruleset(code.ruleset), deal_cards(code)
    found = solve(start(ruleset, cards))
    values = analyse(ruleset, cards, found.line[:4])
    told.append([repr(found), repr(winnable(ruleset, cards)), repr(values)])
print(json.dumps([COMPILED, told]))
"""


def told_by(block: str, codes: list[str], **environment: str) -> tuple[bool, list[list[str]]]:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(block=block), *codes],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    compiled, told = json.loads(done.stdout)
    return compiled, told


def expected(codes: list[str]) -> list[list[str]]:
    told = []
    for code in codes:
        position = opening(code)
        found = solve(position)
        values = analyse(position.ruleset, position.cards, found.line[:4])
        told.append([repr(found), repr(winnable(position.ruleset, position.cards)), repr(values)])
    return told


def test_blocked_numba_changes_nothing_but_the_time() -> None:
    compiled, told = told_by("sys.modules['numba'] = None", CODES)
    assert not compiled
    assert told == expected(CODES)


def test_a_cache_of_its_own_is_filled_and_used(tmp_path: Path) -> None:
    compiled, told = told_by("", CODES[:1], NUMBA_CACHE_DIR=str(tmp_path))
    assert compiled
    assert told == expected(CODES[:1])
    assert len(list(tmp_path.rglob("*.nbi"))) >= 3


@pytest.mark.parametrize("letters", RULESETS)
def test_both_forms_agree_on_whole_deals(letters: str, monkeypatch: pytest.MonkeyPatch) -> None:
    deals = [
        opening(f"TP1-{letters}-AAAAAA{last}") for last in ("F" if RULESETS[letters].scoring == "runs" else "FGHI")
    ]
    fast = [solve(position) for position in deals]
    assert sweeps._sweeps() is kernels
    monkeypatch.setattr(sweeps, "_sweeps", lambda: plain)
    assert [solve(position) for position in deals] == fast
