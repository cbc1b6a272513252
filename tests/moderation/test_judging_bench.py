"""The benchmark of judging runs, judges everything, and leaves nothing behind."""

from __future__ import annotations

import pytest
from procrastinate.contrib.django.models import ProcrastinateJob

from games.models import Attempt, Deal, Player
from leaderboards.bench import judging
from leaderboards.models import Board, DailyChallenge
from leaderboards.moderation.models import Judgement


@pytest.mark.django_db(transaction=True)
def test_a_small_run_judges_all_and_cleans_up() -> None:
    figure = judging.run(finishes=12, crowd=20, samples=4)
    for others in (12, 20):
        part = figure[f"after_{others}_finishes"]
        assert part["samples"] == 4
        assert 0 < part["cpu_ms"] <= part["cpu_p95_ms"]
        assert part["gather_ms"] > 0 < part["judge_ms"]
        assert part["ratio"] > 0
    assert figure["worker"]["judged"] == figure["worker"]["finishes"] == 11
    assert figure["worker"]["lag_p50_ms"] > 0
    left = (Board, DailyChallenge, Judgement, Attempt, Deal, Player, ProcrastinateJob)
    assert [model._default_manager.count() for model in left] == [0] * 7
