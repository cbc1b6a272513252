"""The benchmark of verify fills true rows, measures, and reports a difference as missed."""

from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command

from tests.processes import run_bench

SCRIPT = """
import json, django
django.setup()
from games.models import Attempt
from leaderboards.bench import capacity_rows, verifying
capacity_rows.DAYS, capacity_rows.GAMES = 2, 5
fill = verifying.fill
def damaged(entries, say):
    filled = fill(entries, say)
    Attempt.objects.filter(pk=Attempt.objects.order_by("pk")[0].pk).update(result_score={score})
    return filled
if {score}:
    verifying.fill = damaged
print(json.dumps(verifying.run(entries=400)))
"""


def test_all_that_was_filled_is_verified_and_true() -> None:
    figure = run_bench(SCRIPT.format(score=0))
    assert (figure["attempts"], figure["said"]) == (500, "No difference.")
    assert figure["floor"] > figure["figure"] > 0
    assert [name for name in figure["missed"] if "a second" not in name] == []


def test_a_difference_is_missed() -> None:
    figure = run_bench(SCRIPT.format(score=12_345))
    assert figure["said"].endswith((" difference.", " differences."))
    assert "no difference" in figure["missed"]


def test_benches_that_each_need_a_database_are_not_run_together() -> None:
    with pytest.raises(CommandError, match="one at a time"):
        call_command("bench", "capacity", "verify")
