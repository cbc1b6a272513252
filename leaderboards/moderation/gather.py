"""From rows to `evidence.Evidence`: everything that one judgement looks at, as it was when the attempt ended."""

from __future__ import annotations

import datetime as dt
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, Final, cast

from django.db import connection

from games.clock import from_milliseconds
from games.engine.ranking import ELAPSED_SPAN, Result, key_bucket, rank_key
from games.engine.rulesets import find_ruleset
from games.models import Attempt
from games.selectors.clients import linked_players

from .evidence import Career, DailyResult, Evidence, Kind, Line, Link, Retries, Subject
from .lines import Fields, line_of, lines_of
from .verdict import OVER_TIME

Known = tuple[Sequence[float], bool]
"""Of a judgement: `Judged.knowledge` and `Judged.settles`."""
CAREER: Final = 200
"""Earlier competition attempts that count, the newest."""
FINISHED_MOST: Final = 1000
"""Nobody asks how many more an account has finished."""

_SUBJECT = """
SELECT p.kind, (extract(epoch FROM p.created_at) * 1000)::bigint,
       (SELECT count(*) FROM (SELECT FROM games_attempt b
                               WHERE b.player_id = p.id AND b.result_at < %(ended)s AND b.id <> %(attempt)s
                               LIMIT %(most)s) counted),
       (SELECT count(*) FROM games_attempt b
         WHERE b.player_id = p.id AND b.deal_id = %(deal)s AND b.id < %(attempt)s AND {given_up})
  FROM games_player p WHERE p.id = %(player)s
"""
# Resigned, expired, or left alone: no move since this one was begun.
_GIVEN_UP = """(b.outcome IN ('resigned', 'expired') OR (b.outcome IS NULL AND b.ply > 0 AND b.last_move_at < %(started)s))
           AND b.result_at IS NULL"""
_GIVEN_UP_BY = """
SELECT count(*) FROM games_attempt b
 WHERE b.player_id = ANY(%(players)s) AND b.deal_id = %(deal)s AND b.last_move_at < %(started)s AND {given_up}
"""
# Newest first; the newest judgement of each, whatever its version.
_CAREER = """
SELECT a.id, a.competition_key, a.ruleset, a.result_outcome, a.result_score, a.result_moves, a.result_peaks,
       a.result_cards_left, a.ranked, j.knowledge, coalesce(j.verdict <> 'nothing' AND j.signals -> 0 ->> 'name' = %(settling)s, false)
  FROM games_attempt a
  LEFT JOIN LATERAL (SELECT knowledge, verdict, signals FROM leaderboards_judgement
                      WHERE attempt_id = a.id ORDER BY version DESC, ply DESC LIMIT 1) j ON true
 WHERE a.player_id = %(player)s AND a.competition_key IS NOT NULL AND a.id < %(attempt)s
 ORDER BY a.id DESC LIMIT %(most)s
"""
_DAILIES = """
SELECT 'daily-' || to_char(d.date, 'YYYY-MM-DD'), d.ruleset, d.best_score, d.best_moves, d.final_at, b.id, b.entries
  FROM leaderboards_dailychallenge d
  JOIN leaderboards_board b ON b.scope = 'daily-' || to_char(d.date, 'YYYY-MM-DD') AND b.kind = 'people' AND b.view = 'best'
 WHERE d.date = ANY(%(dates)s) AND d.final_at <= %(now)s AND d.best_score IS NOT NULL AND d.best_moves IS NOT NULL
"""
_BEST = """
SELECT w.board, coalesce((SELECT sum(count) FROM leaderboards_scorebucket s
                           WHERE s.board_id = w.board AND s.bucket BETWEEN w.low AND w.high), 0)
  FROM unnest(%(boards)s::bigint[], %(lows)s::bigint[], %(highs)s::bigint[]) AS w(board, low, high)
"""


def _fetch(statement: str, **values: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows


@dataclass(frozen=True, slots=True)
class Gathered:
    """The evidence on one attempt."""

    evidence: Evidence
    career: list[int]
    """The attempts of `evidence.career.knowledge`, in its order."""
    release: Callable[[], None]
    """Give the field back before the block ends: it is not to be looked at after that."""


@contextmanager
def evidence_of(
    *, attempt: Attempt, ply: int, fields: Fields, judged: Mapping[int, Known] | None = None
) -> Iterator[Gathered | None]:
    """The evidence on an attempt (with its deal) as it ended at `ply`.

    None when its moves are gone. The field is this thread's while the block lasts. `judged`: attempts that were judged
    anew and whose judgements are not written (a look at what a new version would change).
    """
    line = line_of(attempt_id=attempt.pk, ply=ply)
    if line is None:
        yield None
        return
    ended = from_milliseconds(line.ended_ms)
    assert ended is not None
    subject, own_given_up = _subject(attempt, line, ended)
    career, earlier = _career(attempt, subject.kind, ended, judged or {})
    links, linked_given_up = _links(attempt, line, ended)
    sealed = attempt.competition_key is not None
    with ExitStack() as stack:
        field = stack.enter_context(
            fields.hold(deal_id=attempt.deal_id, cards=tuple(attempt.deal.cards), ruleset=line.ruleset)
        )
        evidence = Evidence(
            line=line,
            subject=subject,
            sealed=sealed,
            field=field,
            career=career,
            links=links,
            retries=Retries(own_given_up=0 if sealed else own_given_up, linked_given_up=linked_given_up),
        )
        yield Gathered(evidence, earlier, stack.close)


def _subject(attempt: Attempt, line: Line, ended: dt.datetime) -> tuple[Subject, int]:
    row = _fetch(
        _SUBJECT.format(given_up=_GIVEN_UP),
        player=attempt.player_id,
        attempt=attempt.pk,
        deal=attempt.deal_id,
        started=attempt.started_at,
        ended=ended,
        most=FINISHED_MOST,
    )[0]
    kind, created_ms, finished, given_up = row
    return Subject(kind=kind, age_ms=max(0, line.ended_ms - created_ms), finished_before=finished), given_up


# --- career --------------------------------------------------------------------------------------------------------


def _career(attempt: Attempt, kind: str, ended: dt.datetime, judged: Mapping[int, Known]) -> tuple[Career, list[int]]:
    rows = _fetch(_CAREER, player=attempt.player_id, attempt=attempt.pk, most=CAREER, settling=OVER_TIME)[::-1]
    known: dict[int, tuple[float, ...]] = {}
    settled = 0
    for row in rows:
        found, settles = judged.get(row[0], row[9:11])
        if found:
            known[row[0]] = tuple(found)
        if settles:
            settled = len(known)
    finished = [row for row in rows if row[3] is not None]
    dailies = final_dailies([row[1] for row in finished], now=ended)
    results = []
    for row in finished:
        daily = dailies.get(row[1])
        if daily is not None:
            reached = _key(row[2], row[3], *row[4:8]) == daily.best_key
            counted = row[8] and kind == "person"
            results.append(
                DailyResult(
                    reached_best=reached,
                    others=max(0, daily.entries - counted),
                    others_best=max(0, daily.reached_best - (counted and reached)),
                )
            )
    return Career(knowledge=tuple(known.values()), settled=settled, results=tuple(results)), list(known)


def _key(ruleset: str, outcome: str, score: int, moves: int, peaks: int, cards_left: int) -> int:
    """The rank key with no time taken: equal means as good."""
    result = Result("won" if outcome == "won" else "stuck", score, moves, peaks, cards_left, 0, 0)
    return rank_key(find_ruleset(ruleset).ranking, result, timed=True)


class FinalDaily:
    """A final daily's exact best, and how many people finished it and reached that."""

    def __init__(self, best_key: int, entries: int, reached_best: int, final_at: dt.datetime) -> None:
        self.best_key = best_key
        self.entries = entries
        self.reached_best = reached_best
        self.final_at = final_at


_final: OrderedDict[str, FinalDaily] = OrderedDict()
"""Kept for good: what a removal changes of it later decides nothing."""
_FINAL_MOST: Final = 1000


def final_dailies(keys: Sequence[str], *, now: dt.datetime) -> dict[str, FinalDaily]:
    """Those of the competitions that are dailies and were final by `now`."""
    kept = {key: _final.get(key) for key in keys}
    unknown = [key for key in keys if kept[key] is None and key.startswith("daily-")]
    if unknown:
        kept |= _read_final(unknown, now)
    return {key: daily for key, daily in kept.items() if daily is not None and daily.final_at <= now}


def _read_final(keys: Sequence[str], now: dt.datetime) -> dict[str, FinalDaily]:
    dates = [dt.date.fromisoformat(key.removeprefix("daily-")) for key in keys]
    rows = _fetch(_DAILIES, dates=dates, now=now)
    bests = [_key(row[1], "won", row[2], row[3], 3, 0) for row in rows]
    widths = [key_bucket(find_ruleset(row[1]).ranking, True) for row in rows]
    counted = dict(
        _fetch(
            _BEST,
            boards=[row[5] for row in rows],
            lows=[best // width for best, width in zip(bests, widths, strict=True)],
            highs=[(best + ELAPSED_SPAN - 1) // width for best, width in zip(bests, widths, strict=True)],
        )
        if rows
        else ()
    )
    found = {}
    for row, best in zip(rows, bests, strict=True):
        found[row[0]] = FinalDaily(best, row[6], int(counted.get(row[5], 0)), row[4])
    _final.update(found)
    while len(_final) > _FINAL_MOST:
        _final.popitem(last=False)
    return found


# --- linked accounts -----------------------------------------------------------------------------------------------


def _links(attempt: Attempt, line: Line, ended: dt.datetime) -> tuple[tuple[Link, ...], int]:
    """Accounts near this one's, and how many attempts at these cards those that are nobody's own bots gave up before."""
    near = linked_players(player_id=attempt.player_id, deal_id=attempt.deal_id, began=attempt.started_at, until=ended)
    seen = lines_of([other.attempt_id for other in near if other.attempt_id is not None])
    links = tuple(
        Link(
            player_id=other.player_id,
            kind=cast(Kind, other.kind),
            same_network=other.same_network,
            same_browser=other.same_browser,
            same_owner=other.same_owner,
            dailies_both=other.competitions_both,
            dailies_after=other.competitions_after,
            line=None if other.attempt_id is None else seen.get(other.attempt_id),
            line_ended=other.attempt_outcome,
        )
        for other in near
    )
    strangers = [
        other.player_id for other in near if other.attempt_id is not None and other.near and not other.same_owner
    ]
    if not strangers:
        return links, 0
    count = _fetch(
        _GIVEN_UP_BY.format(given_up=_GIVEN_UP), players=strangers, deal=attempt.deal_id, started=attempt.started_at
    )[0][0]
    return links, count
