"""Parts fail under load: `manage.py bench faults`. What was acknowledged must be there, once, and all must come back.

One run of the load generator for each fault, over one topology. A part is broken in the middle of the run, returns, and
from then on the time counts until nobody notices anything any more: every answer within a second of its sending, nothing
refused, every spectator at the version that the database has.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol

import psycopg

from games.client import Client

from .fault_recovery import WATCHED, serves_again, version_of
from .fault_sockets import Deaf
from .load import drawn, latencies, percentiles, watched
from .load_generator import Generator, Stage
from .load_truth import Lags, moves_compared, standings_checked
from .usage import memory_mb

PLAYERS, SPECTATORS = 100, 300
BEFORE, DOWN, AFTER = 5.0, 3.0, 15.0
CUT_SECONDS: Final = 30.0
STEP_SECONDS: Final = 120.0
DEAF: Final = 50
TASK_SECONDS: Final = 15.0  # how long a worker may take to be caught in the middle of a task
SLOW_SECONDS: Final = 1.0
RECOVERY_SECONDS: Final = 10.0


class Part(Protocol):
    """One process."""

    @property
    def name(self) -> str: ...
    @property
    def host(self) -> object: ...
    @property
    def url(self) -> str: ...
    @property
    def pid(self) -> int: ...
    def kill(self) -> None: ...
    def start(self) -> None: ...


class Breakable(Stage, Protocol):
    """The site's Topology with its handles."""

    @property
    def webs(self) -> Sequence[Part]: ...
    @property
    def workers(self) -> Sequence[Part]: ...
    def stop_postgres(self) -> None: ...
    def start_postgres(self) -> None: ...
    def stop_redis(self) -> None: ...
    def start_redis(self) -> None: ...
    @property
    def cut_off(self) -> object: ...
    def cut_link(self) -> str: ...
    def mend_link(self) -> None: ...
    def small_buffers(self, host: Any) -> contextlib.AbstractContextManager[bool]: ...
    def step_clock(self, seconds: float) -> None: ...


@dataclass
class Broken:
    """What a fault tells of itself. Instants of the monotonic clock."""

    began: float = field(default_factory=time.monotonic)
    returned: float = 0.0
    recovered: list[float] = field(default_factory=list)
    """When further things, beside moves and spectators, were as before."""
    after: list[Callable[[], None]] = field(default_factory=list)
    """What else to look at, once the spectators have caught up."""
    skipped: str = ""
    told: dict[str, Any] = field(default_factory=dict)


Fault = Callable[[Breakable, Generator], Broken]


def web_killed(stage: Breakable, generator: Generator) -> Broken:
    """kill -9 of a web process."""
    broken = _restarted(stage.webs[0].kill, stage.webs[0].start)
    broken.after.append(lambda: _serves_again(broken, stage, stage.webs[0], generator))
    return broken


def worker_killed(stage: Breakable, generator: Generator) -> Broken:
    """kill -9 of a worker in the middle of a task; that is done by others or once it is back."""
    queue = "SELECT count(*) FROM procrastinate_jobs WHERE id <= %s AND status IN ('todo', 'doing')"
    doing = "SELECT count(*) FROM procrastinate_jobs WHERE status = 'doing'"
    with psycopg.connect(stage.database_url, autocommit=True) as connection, contextlib.ExitStack() as others:
        for other in stage.workers[1:]:
            os.kill(other.pid, signal.SIGSTOP)  # whatever is being done is then being done by the one to be killed
            others.callback(os.kill, other.pid, signal.SIGCONT)
        time.sleep(0.2)
        victim, waiting = stage.workers[0], time.monotonic() + TASK_SECONDS
        while time.monotonic() < waiting:
            if _number(connection, doing):
                os.kill(victim.pid, signal.SIGSTOP)
                if _number(connection, doing):  # still: it has not just ended
                    break
                os.kill(victim.pid, signal.SIGCONT)
        told = {"tasks_in_hand": _number(connection, doing)}
        victim.kill()
        others.close()
        broken = _restarted(victim.kill, victim.start)
        broken.told |= told
        newest = _number(connection, "SELECT coalesce(max(id), 0) FROM procrastinate_jobs")
        while _number(connection, queue, newest):
            if time.monotonic() - broken.returned > 120:
                broken.told["tasks_left"] = _number(connection, queue, newest)
                break
            time.sleep(0.2)
    broken.recovered.append(time.monotonic())
    return broken


def _number(connection: psycopg.Connection[Any], query: str, *values: object) -> int:
    row = connection.execute(query, values).fetchone()
    return int(row[0]) if row else 0


def _restarted(stop: Callable[[], None], start: Callable[[], None]) -> Broken:
    broken = Broken()
    stop()
    time.sleep(DOWN)
    start()
    broken.returned = time.monotonic()
    return broken


def postgres_restarted(stage: Breakable, generator: Generator) -> Broken:
    """The database server ends at once, as in a crash, and recovers from its log."""
    return _restarted(stage.stop_postgres, stage.start_postgres)


def redis_restarted(stage: Breakable, generator: Generator) -> Broken:
    """Redis is killed and comes back empty."""
    return _restarted(stage.stop_redis, stage.start_redis)


def link_cut(stage: Breakable, generator: Generator) -> Broken:
    """A host with web processes and a worker loses its link for 30 s: no packet comes through, nobody is told."""
    broken = Broken()
    broken.skipped = stage.cut_link()
    if broken.skipped:
        return broken
    time.sleep(CUT_SECONDS)
    stage.mend_link()
    broken.returned = time.monotonic()
    cut_off = next(web for web in stage.webs if web.host == stage.cut_off)
    broken.after.append(lambda: _serves_again(broken, stage, cut_off, generator))
    return broken


def _serves_again(broken: Broken, stage: Breakable, web: Part, generator: Generator) -> None:
    again = serves_again(stage, web, generator.seen.board)
    broken.recovered += [again.played, again.watched]
    broken.told["its_players_after_s"] = round(again.played - broken.returned, 2)
    broken.told["its_spectators_after_s"] = round(max(0.0, again.watched - broken.returned), 2)


def readers_stopped(stage: Breakable, generator: Generator) -> Broken:
    """Spectators with a small buffer stop reading while the standings change, then read again."""
    broken = Broken()
    web = stage.webs[0]
    before = memory_mb([web.pid])
    with stage.small_buffers(web.host) as small, Deaf(web.url, generator.seen.board, DEAF) as deaf:
        with Client(web.url) as client:
            snapshot = len(json.dumps(client.board(generator.seen.board), separators=(",", ":")))
        deaf.ask(snapshot)
        time.sleep(AFTER)
        broken.told["web_memory_grew_mb"] = memory_mb([web.pid]) - before
        broken.returned = time.monotonic()
        behind, jumped = deaf.read_until(version_of(stage, generator.seen.board), RECOVERY_SECONDS)
        broken.told |= {"deaf_behind": behind, "deaf_got_a_snapshot": jumped, "none_was_filled": small and not jumped}
    broken.recovered.append(time.monotonic())
    return broken


def clock_stepped(stage: Breakable, generator: Generator) -> Broken:
    """Every process's clock leaps two minutes ahead, and back again a while later."""
    broken = Broken()
    stage.step_clock(STEP_SECONDS)
    time.sleep(AFTER / 2)
    stage.step_clock(0.0)
    broken.returned = time.monotonic()
    return broken


FAULTS: Final[dict[str, Fault]] = {
    "web": web_killed,
    "worker": worker_killed,
    "postgres": postgres_restarted,
    "redis": redis_restarted,
    "link": link_cut,
    "reader": readers_stopped,
    "clock": clock_stepped,
}


LASTS: Final = {
    "web": 2 * DOWN + WATCHED,
    "worker": 2 * DOWN + TASK_SECONDS / 2,
    "postgres": 2 * DOWN,
    "link": CUT_SECONDS + WATCHED,
    "reader": 2 * AFTER,
    "clock": AFTER / 2,
}
"""About how many seconds of play a fault takes."""


def run(
    stage: Breakable,
    *,
    players: int = PLAYERS,
    spectators: int = SPECTATORS,
    seconds: float = AFTER,
    faults: Sequence[str] = tuple(FAULTS),
    plot: Path | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """Figures of every fault; `missed` lists what was not held. `seconds`: of play after each part's return."""
    figures: dict[str, Any] = {"name": f"faults: under {players} paced players and {spectators} spectators"}
    missed: list[str] = []
    for name in faults:
        say(f"{name}: {(FAULTS[name].__doc__ or '').splitlines()[0]}")
        figures[name] = _one(stage, name, players, spectators, seconds, plot)
        missed += [f"{name}: {what}" for what in figures[name].pop("missed", [])]
        say(f"  {figures[name]}")
    return {**figures, "missed": missed}


def _one(
    stage: Breakable, name: str, players: int, spectators: int, seconds: float, plot: Path | None
) -> dict[str, Any]:
    whole = BEFORE + LASTS.get(name, DOWN)
    with Generator(stage, players=players, spectators=spectators, seconds=whole + seconds, processes=1) as generator:
        generator.go()
        time.sleep(BEFORE)
        broken = FAULTS[name](stage, generator)
        if broken.skipped:
            return {"skipped": broken.skipped}
        behind = _caught_up(stage, generator, broken)
        for look in broken.after:
            look()
        generator.players_end()
        checked = standings_checked(generator.seen.board, stage.environment)
        left_behind = generator.settle(checked["version"])
        seen = generator.spectators_end()
    moves = moves_compared(stage.database_url, seen)
    slow = [move[6] for move in seen.answered if move[6] - move[5] > SLOW_SECONDS and move[6] > broken.began]
    refused = [at for at, _code in seen.errors]
    recovered = max([broken.returned, *slow, *refused, *broken.recovered]) - broken.returned
    if plot is not None:
        notes = [(broken.began - seen.began, name), (broken.returned - seen.began, "back")]
        plot.with_stem(f"{plot.stem}-{name}").write_text(drawn(seen, Lags([], []), notes))
    figures = {
        "acknowledged": moves.acknowledged,
        "lost": moves.lost,
        "doubled": moves.doubled,
        "unanswered": moves.unanswered,
        "recovered_after_s": round(max(recovered, behind), 2),
        "down_s": round(broken.returned - broken.began, 2),
        "slowest_answer_ms": round(percentiles(latencies(seen)).get("max", 0.0)),
        "spectators_reconnected": watched(seen)["reconnects"],
        "spectators_resynced": watched(seen)["resyncs"],
        "spectators_behind": left_behind,
        "standings_different": checked["different"],
        "redis_copy": checked["copy"],
        "verified": checked["verified"],
        "refusals": _told(Counter(code for _at, code in seen.errors)),
        "sent_again": _told(seen.repeated),
        **broken.told,
    }
    held = {
        "an acknowledged move was lost": moves.lost == 0,
        "a move was doubled": moves.doubled == 0,
        f"recovery took more than {RECOVERY_SECONDS:.0f} s": max(recovered, behind) < RECOVERY_SECONDS,
        "the standings are not as the attempts say": checked["different"] == 0,
        "an attempt is not as its log says": checked["verified"],
        "the copy in Redis has another order": checked["copy"] in {"same", "busy"},
        "a spectator stayed behind": left_behind == 0 and not broken.told.get("deaf_behind"),
        "a player did not end": seen.stuck_threads == 0,
        "a move was never answered": moves.unanswered == 0,
        "a player was refused something": not seen.errors,
        "no task was in the killed worker's hands": broken.told.get("tasks_in_hand") != 0,
        "no buffer was filled": not broken.told.get("none_was_filled"),
        "tasks were left": not broken.told.get("tasks_left"),
    }
    return {**figures, "missed": [what for what, is_so in held.items() if not is_so]}


def _caught_up(stage: Breakable, generator: Generator, broken: Broken) -> float:
    """Seconds from the return until every spectator had at least the version of the moment."""
    while True:
        wanted = version_of(stage, generator.seen.board)
        began = time.monotonic()
        while time.monotonic() - began < 2.0:
            if min(generator.versions(), default=wanted) >= wanted:
                return max(0.0, time.monotonic() - broken.returned)
            time.sleep(0.1)
        if time.monotonic() - broken.returned > 60:
            return time.monotonic() - broken.returned


def _told(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{code} {count}" for code, count in sorted(counts.items())) or "none"
