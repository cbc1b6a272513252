"""Holding boards to the attempts: entries computed anew, counters and histograms counted, commitments, Redis copies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Final

from django.db import connection
from django.db.models import Max
from django.db.models.functions import Coalesce

from games.engine.codes import commitment, parse_code
from games.engine.deals import deal_cards
from games.engine.errors import EngineError
from games.engine.ranking import ELAPSED_QUANTUM
from games.models import Player
from games.selectors.verify import Difference
from leaderboards.models import Board, DailyChallenge, Entry
from leaderboards.standings_check import order_check

from .boards import boards_with_copies
from .ranks import snapshot
from .standing import Standing, groups_of, standing_of_entry, standings_wanted

BATCH: Final = 500

_COUNTED = """
SELECT b.scope || ' ' || b.kind || ' ' || b.view, b.entries, b.version, coalesce(e.active, 0), coalesce(e.newest, 0),
       (SELECT count(*)
          FROM (SELECT key / CASE WHEN b.timed THEN %(quantum)s ELSE 1 END AS bucket, count(*) AS n
                  FROM leaderboards_entry WHERE board_id = b.id AND active GROUP BY 1) counted
          FULL JOIN (SELECT bucket, count AS n FROM leaderboards_scorebucket WHERE board_id = b.id) kept USING (bucket)
         WHERE counted.n IS DISTINCT FROM kept.n)
  FROM leaderboards_board b
  LEFT JOIN LATERAL (SELECT count(*) FILTER (WHERE active) AS active, max(version) AS newest
                       FROM leaderboards_entry WHERE board_id = b.id) e ON true
 WHERE b.id > %(after)s AND b.id <= %(upto)s ORDER BY b.id"""
# At least those who are still there: what a deleted account started stays counted when its attempts have gone.
_COMPETITIONS = """
SELECT b.scope || ' ' || b.kind || ' ' || b.view, b.started, b.finished, a.started, a.ended
  FROM (SELECT competition_key, CASE WHEN p.kind = 'bot' THEN 'bots' ELSE 'people' END AS kind,
               count(*) AS started, count(outcome) AS ended
          FROM games_attempt JOIN games_player p ON p.id = player_id
         WHERE competition_key IS NOT NULL GROUP BY 1, 2) a
  JOIN leaderboards_board b ON b.scope = a.competition_key AND b.kind = a.kind AND b.view = 'best'
 WHERE b.started < a.started OR b.finished < a.ended"""


def players_span() -> tuple[int, int]:
    """(highest id, number) of the accounts."""
    accounts = Player.objects.exclude(kind="guest")
    return accounts.aggregate(highest=Coalesce(Max("pk"), 0))["highest"], accounts.count()


def boards_span() -> tuple[int, int]:
    """(highest id, number) of the boards."""
    return Board.objects.aggregate(highest=Coalesce(Max("pk"), 0))["highest"], Board.objects.count()


def players_verify(after: int, upto: int) -> tuple[int, list[Difference]]:
    """Compute the entries of the players with after < id <= upto anew; how many players, and what differs."""
    found: list[Difference] = []
    ids = Player.objects.filter(pk__gt=after, pk__lte=upto).exclude(kind="guest").order_by("pk")
    players = list(ids.values_list("pk", flat=True))
    for at in range(0, len(players), BATCH):
        with snapshot():
            found += _entries(players[at : at + BATCH])
    return len(players), found


def _entries(player_ids: list[int]) -> Iterator[Difference]:
    groups = [group for group in groups_of(player_ids) if group.player_id in set(player_ids)]
    names = dict(Player.objects.filter(pk__in=player_ids).values_list("pk", "public_id"))
    try:
        wanted = standings_wanted(groups, None, from_logs=True)
    except (EngineError, ValueError) as problem:  # a result, ruleset or log that cannot be
        if len(player_ids) > 1:
            for player_id in player_ids:
                yield from _entries([player_id])
        else:
            why = problem.code if isinstance(problem, EngineError) else str(problem)
            yield Difference(f"entries of {names[player_ids[0]]}", "entries_unknown", f"none was compared: {why}")
        return
    kind_of = {group.player_id: group.kind for group in groups}
    stored: dict[tuple[str, str, int], Standing] = {}
    for entry in Entry.objects.select_related("board").filter(player_id__in=player_ids, active=True):
        where = (entry.board.scope, entry.board.view, entry.player_id)
        if entry.board.kind != kind_of.get(entry.player_id):
            yield Difference(f"entry of {names[entry.player_id]} on {entry.board}", "wrong_board", "of another kind")
        stored[where] = standing_of_entry(entry)
    for where in sorted(stored.keys() | wanted.keys()):
        is_there, belongs = stored.get(where), wanted.get(where)
        if is_there == belongs:
            continue
        what = f"entry of {names[where[2]]} on {where[0]} {kind_of[where[2]]} {where[1]}"
        if is_there is None:
            yield Difference(what, "entry_missing", "no entry stands there")
        elif belongs is None:
            yield Difference(what, "entry_unfounded", "nothing has to stand there")
        else:
            for field in fields(Standing):
                have, want = getattr(is_there, field.name), getattr(belongs, field.name)
                if have != want:
                    yield Difference(what, f"entry_{field.name}", f"stored {have}, computed {want}")


def boards_verify(after: int, upto: int) -> tuple[int, list[Difference]]:
    """Count the entries and histograms of the boards with after < id <= upto; how many boards, and what differs."""
    with connection.cursor() as cursor:
        cursor.execute(_COUNTED, {"after": after, "upto": upto, "quantum": ELAPSED_QUANTUM})
        rows = cursor.fetchall()
    found: list[Difference] = []
    for name, entries, version, active, newest, buckets in rows:
        what = f"board {name}"
        if entries != active:
            found.append(Difference(what, "entries", f"stored {entries}, counted {active}"))
        if newest > version:
            found.append(Difference(what, "version", f"at {version}, but an entry has {newest}"))
        if buckets:
            found.append(Difference(what, "histogram", f"{buckets} buckets differ"))
    return len(rows), found


def competitions_verify() -> tuple[int, list[Difference]]:
    """Counters of competitions, and the dailies' deals and commitments; how many dailies, and what differs."""
    found: list[Difference] = []
    with connection.cursor() as cursor:
        cursor.execute(_COMPETITIONS)
        for name, started, finished, at_least, ended in cursor.fetchall():
            said = f"{started} started and {finished} finished, but there are {at_least} and {ended}"
            found.append(Difference(f"board {name}", "counters", said))
    dailies = list(DailyChallenge.objects.select_related("deal").order_by("date"))
    for daily in dailies:
        try:
            cards = deal_cards(parse_code(daily.code))
        except EngineError as problem:
            found.append(Difference(f"daily {daily.date}", "code", problem.code))
            continue
        if commitment(daily.code) != daily.commitment:
            found.append(Difference(f"daily {daily.date}", "commitment", "is not that of its code"))
        if bytes(cards) != bytes(daily.deal.cards):
            found.append(Difference(f"daily {daily.date}", "deal", "its code and its deal are different cards"))
    return len(dailies), found


def copies_verify() -> tuple[int, list[str], list[Difference]]:
    """The order of each board's Redis copy against PostgreSQL's. May raise REDIS_ERRORS.

    How many copies were compared, the boards that were played all the while so that theirs could not be, what differs.
    """
    count, busy, found = 0, [], []
    for board_id, name in boards_with_copies([]):
        order = order_check(board_id)
        count += order in {"same", "different"}
        if order == "busy":
            busy.append(name)
        elif order == "different":
            found.append(Difference(f"copy of {name}", "order", "not that of the database"))
    return count, busy, found
