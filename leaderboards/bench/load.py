"""Paced players and spectators together, over the many-process form: `manage.py bench load`.

Players think like people, each on the API client over a socket of its own; spectators follow the daily that is played.
Every move has a planned time, and its latency counts from then (an open loop), so that a slow server is not hidden by
players who wait for it. All of it shares this machine: the generator's own CPU is shown beside the server's.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from .load_generator import Generator, Seen, Stage
from .load_truth import Lags, Moves, lags, moves_compared, standings_checked
from .plot import Chart, svg
from .usage import by_kind, cpu_seconds, memory_mb, waited_seconds

PLAYERS, SPECTATORS, SECONDS = 300, 2000, 60.0
ACK_MS: Final = 150.0
LAG_MS: Final = 1500.0


def run(
    stage: Stage,
    *,
    players: int = PLAYERS,
    spectators: int = SPECTATORS,
    seconds: float = SECONDS,
    plot: Path | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """Figures of a run; `missed` lists the targets that were not reached. `plot`: where to write a chart (SVG)."""
    say(f"{spectators:,} spectators connect, {players} players play into their games …")
    with Generator(stage, players=players, spectators=spectators, seconds=seconds) as generator:
        kinds = {**stage.pids(), "generator": generator.pids()}
        say(f"{seconds:.0f} s of play …")
        before, waited_before = by_kind(cpu_seconds, kinds), by_kind(waited_seconds, kinds)
        generator.go()
        time.sleep(0.8 * seconds)
        memory = by_kind(memory_mb, kinds)  # players end with the run, and with them their threads
        waited = {kind: after - waited_before[kind] for kind, after in by_kind(waited_seconds, kinds).items()}
        generator.players_end()
        used = {kind: after - before[kind] for kind, after in by_kind(cpu_seconds, kinds).items()}
        checked = standings_checked(generator.seen.board, stage.environment)
        behind = generator.settle(checked["version"])
        seen = generator.spectators_end()
    moves = moves_compared(stage.database_url, seen)
    news = lags(stage.database_url, seen)
    if plot is not None:
        plot.write_text(drawn(seen, news))
    figures: dict[str, Any] = {
        "name": f"load: {players} paced players and {spectators:,} spectators for {seconds:.0f} s",
        "accepted_moves_a_second": len(within(seen)) / seconds,
        "move_ack_ms": percentiles(latencies(seen)),
        "move_ack_from_sending_ms": percentiles([(move[6] - move[5]) * 1000 for move in within(seen)]),
        "start_ms": percentiles([(done - due) * 1000 for due, done in seen.starts]),
        "commit_to_socket_ms": percentiles(news.ms),
        "moves": vars(moves) | {"games_ended": seen.ended},
        "spectators": watched(seen) | {"behind_at_the_end": behind},
        "standings": {key: value for key, value in checked.items() if key != "top"},
        "errors": counted(seen),
        "sent_again": dict(seen.repeated),
        "cpu_seconds_per_1000_moves": {kind: 1000 * each / max(1, len(within(seen))) for kind, each in used.items()},
        "cpu_share_of_a_core": {kind: each / seconds for kind, each in used.items()},
        "waited_for_a_core": {kind: each / (0.8 * seconds) for kind, each in waited.items()},
        "memory_mb": memory,
        "processes": {kind: len(pids) for kind, pids in kinds.items()},
    }
    figures["missed"] = missed(figures, moves)
    return figures


def within(seen: Seen) -> list[list[Any]]:
    """The acknowledged moves that were due in the run (not those played ahead of it)."""
    return [move for move in seen.answered if move[4] >= seen.began]


def latencies(seen: Seen) -> list[float]:
    """Milliseconds from when each move was due to its answer."""
    return [(move[6] - move[4]) * 1000 for move in within(seen)]


def percentiles(values: Sequence[float]) -> dict[str, float]:
    """p50, p95, p99, the most, and of how many."""
    found = sorted(values)
    if not found:
        return {"samples": 0}
    at = {f"p{percent}": found[max(0, -(-len(found) * percent // 100) - 1)] for percent in (50, 95, 99)}
    return {**at, "max": found[-1], "samples": len(found)}


def watched(seen: Seen) -> dict[str, Any]:
    """What befell the spectators, summed up."""
    names = ("lost", "twice", "resyncs", "reconnects", "frames", "bytes")
    found = {name: sum(process[name] for process in seen.spectators) for name in names}
    return found | {"reconnects": found["reconnects"] - seen.connected_before}


def counted(seen: Seen) -> dict[str, int]:
    """Errors by code, of players and spectators."""
    found: dict[str, int] = {}
    for _at, code in seen.errors:
        found[code] = found.get(code, 0) + 1
    for process in seen.spectators:
        for code, count in process["errors"].items():
            found[f"spectator: {code}"] = found.get(f"spectator: {code}", 0) + count
    if seen.stuck_threads:
        found["players that did not end"] = seen.stuck_threads
    return found


def missed(figures: dict[str, Any], moves: Moves) -> list[str]:
    """The targets that were not reached."""
    spectators, standings = figures["spectators"], figures["standings"]
    reached = {
        f"p99 of a move's answer under {ACK_MS:.0f} ms": figures["move_ack_ms"].get("p99", ACK_MS) < ACK_MS,
        f"p99 from commit to socket under {LAG_MS:.0f} ms": figures["commit_to_socket_ms"].get("p99", LAG_MS) < LAG_MS,
        "no move lost": moves.lost == 0,
        "no move doubled": moves.doubled == 0,
        "every move answered": moves.unanswered == 0,
        "no event lost": spectators["lost"] == 0 and spectators["behind_at_the_end"] == 0,
        "no event doubled": spectators["twice"] == 0,
        "no spectator dropped": spectators["reconnects"] == 0,
        "standings as the attempts say": standings["different"] == 0 and standings["copy"] != "different",
        "every attempt as its log says": standings["verified"],
        "no errors": not figures["errors"],
        "nothing sent again": not figures["sent_again"],
    }
    return [name for name, is_so in reached.items() if not is_so]


def drawn(seen: Seen, news: Lags, notes: Sequence[tuple[float, str]] = ()) -> str:
    """The run as an SVG: moves a second, their answers, and how late news came."""
    moves = by_second([(move[4] - seen.began, (move[6] - move[4]) * 1000) for move in within(seen)])
    late = by_second([(at - seen.began_at, ms) for at, ms in zip(news.at, news.ms, strict=True)])
    charts = [
        Chart("Accepted moves", "/s", {"moves": [(second, float(len(each))) for second, each in moves.items()]}),
        Chart("Move to answer", "ms", lines(moves), ACK_MS),
        Chart("Commit to socket", "ms", lines(late), LAG_MS),
    ]
    return svg(charts, notes=notes)


def by_second(values: Sequence[tuple[float, float]]) -> dict[int, list[float]]:
    """Values by the whole second they fall in."""
    found: dict[int, list[float]] = {}
    for second, value in sorted(values):
        found.setdefault(int(second), []).append(value)
    return found


def lines(values: dict[int, list[float]]) -> dict[str, Sequence[tuple[float, float]]]:
    """A line for each percentile."""
    told = {second: percentiles(each) for second, each in values.items()}
    return {name: [(float(second), one[name]) for second, one in told.items()] for name in ("p50", "p95", "p99")}
