"""The replay benchmark measures whole, finished games, says what its floor is, and reaches the figure asked for."""

from __future__ import annotations

from games.bench.replay import GAMES, PLIES, games_to_replay, run
from games.engine.replay import replay
from games.engine.rulesets import DEFAULT_RULESET


def test_bench_games_are_finished_different_and_always_the_same() -> None:
    games = games_to_replay()
    assert len({cards for cards, _ in games}) == GAMES == len(games)
    for cards, log in games:
        played = replay(DEFAULT_RULESET, cards, log, undo_allowed=False)
        assert (played.error, len(log)) == (None, PLIES)
        assert played.position.outcome is not None
    assert games_to_replay(count=5) == games[:5]


def test_replay_verifies_at_least_5000_games_a_second() -> None:
    told = run(seconds=0.8)
    assert {"name", "figure", "unit", "floor", "ratio", "samples", "p50_us", "p99_us"} <= set(told)
    assert (told["name"], told["unit"]) == ("replay", "games/s")
    assert told["cpu_figure"] > 5_000, "by CPU: the machine is shared, and its other work is not this one's"
    assert told["cpu_floor"] > told["cpu_figure"]
    assert min(told["figure"], told["floor"], told["ratio"]) > 0
    assert told["p50_us"] <= told["p99_us"]
