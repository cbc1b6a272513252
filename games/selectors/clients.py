"""Whence attempts were played, and who else plays from there: for fair play and its moderators alone."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Final

from django.conf import settings

from games.models import AttemptClient
from games.networks import NOWHERE
from games.statements import execute

LINKS_AT_MOST: Final = 20
CROWD: Final = 200
"""A network with more players than this (a school's, a carrier's) says nothing about any two of them."""
BROWSER_CROWD: Final = 8
"""Whoever shares browsers with more persons than this uses a school's or a library's, and is linked by none."""

_NETWORKS_AT_MOST: Final = 50
_PARTNERS_AT_MOST: Final = 1000


@dataclass(frozen=True, slots=True)
class LinkedPlayer:
    """Another account near a player's: from the same network or browser, or of the same owner."""

    player_id: int
    kind: str
    same_network: bool
    same_browser: bool
    """One has signed in where the other was signed in."""
    same_owner: bool
    """A bot and its owner, or two bots of one owner."""
    competitions_both: int
    """Competitions that both accounts have played."""
    competitions_after: int
    """Of those, how many the player began after the other account's last move."""
    attempt_id: int | None
    """The other account's attempt at the deal that had its last move before the player's began: that with most plies."""
    attempt_outcome: str
    """How that has ended (an Attempt.Outcome); empty while it has not, and without one."""

    @property
    def near(self) -> bool:
        """By network or browser."""
        return self.same_network or self.same_browser


# Distinct networks of a player, and distinct players of a network, are found by one look into an index each ("loose
# index scan"), however many rows there are. The comparison of pairs is what holds PostgreSQL to the right index.
_NETWORKS: Final = f"""
WITH RECURSIVE own (network, at) AS (
    (SELECT c.network, c.at FROM games_attemptclient c
      WHERE c.player_id = %(player)s AND c.network > %(nowhere)s AND c.at BETWEEN %(since)s AND %(until)s
      ORDER BY c.network DESC, c.at DESC LIMIT 1)
    UNION ALL
    SELECT next.network, next.at FROM own CROSS JOIN LATERAL (
        SELECT c.player_id, c.network, c.at FROM games_attemptclient c
         WHERE (c.player_id, c.network) < (%(player)s, own.network) AND c.at BETWEEN %(since)s AND %(until)s
         ORDER BY c.player_id DESC, c.network DESC, c.at DESC LIMIT 1
    ) next WHERE next.player_id = %(player)s AND next.network > %(nowhere)s
)
SELECT network FROM (SELECT * FROM own LIMIT 1000) first ORDER BY at DESC LIMIT {_NETWORKS_AT_MOST}
"""

_PLAYERS: Final = f"""
WITH RECURSIVE person (player_id) AS (
    (SELECT c.player_id FROM games_attemptclient c
      WHERE c.network = %(network)s AND c.at BETWEEN %(since)s AND %(until)s
      ORDER BY c.network DESC, c.player_id DESC LIMIT 1)
    UNION ALL
    SELECT next.player_id FROM person CROSS JOIN LATERAL (
        SELECT c.network, c.player_id FROM games_attemptclient c
         WHERE (c.network, c.player_id) < (%(network)s, person.player_id) AND c.at BETWEEN %(since)s AND %(until)s
         ORDER BY c.network DESC, c.player_id DESC LIMIT 1
    ) next WHERE next.network = %(network)s
)
SELECT player_id FROM person LIMIT {CROWD + 1}
"""

# Who shared a browser with somebody: two looks into an index.
_SHARED: Final = """
    SELECT second_id AS id, at FROM games_sharedbrowser
     WHERE first_id = {whose} AND first_at <= %(until)s AND at >= %(since)s
    UNION ALL
    SELECT first_id, at FROM games_sharedbrowser
     WHERE second_id = {whose} AND first_at <= %(until)s AND at >= %(since)s
"""
# Guests make no crowd: one person who looks as a new guest each day shares a browser with all of them.
_NO_CROWD: Final = (
    f"(SELECT count(*) FROM {{players}} JOIN games_player USING (id) WHERE kind = 'person') <= {BROWSER_CROWD}"
)

# What both have played is counted in an index for all of them, the times looked up for those that are told.
_LINKED: Final = f"""
WITH partner AS MATERIALIZED (
    SELECT id FROM ({_SHARED.format(whose="%(player)s")}) shared ORDER BY at DESC LIMIT {_PARTNERS_AT_MOST}
), browser AS MATERIALIZED (
    SELECT partner.id FROM partner
     WHERE {_NO_CROWD.format(players="partner")}
       AND {_NO_CROWD.format(players=f"({_SHARED.format(whose='partner.id')}) theirs")}
), own AS MATERIALIZED (
    SELECT competition_key, started_at FROM games_attempt
     WHERE player_id = %(player)s AND competition_key IS NOT NULL AND started_at BETWEEN %(since)s AND %(until)s
), family AS MATERIALIZED (
    SELECT other.id FROM games_player me JOIN games_player other
        ON other.owner_id = me.id OR other.id = me.owner_id OR other.owner_id = me.owner_id
     WHERE me.id = %(player)s AND other.id <> me.id
), candidate AS MATERIALIZED (
    SELECT unnest(%(near)s::bigint[]) AS id UNION SELECT id FROM browser UNION SELECT id FROM family
), told AS MATERIALIZED (
    SELECT candidate.id, seen.id AS attempt_id, seen.outcome, overlap.played
      FROM candidate
      LEFT JOIN LATERAL (
            SELECT a.id, a.outcome FROM games_attempt a
             WHERE a.player_id = candidate.id AND a.deal_id = %(deal)s AND a.last_move_at < %(began)s
             ORDER BY a.ply DESC, a.id DESC LIMIT 1
           ) seen ON true
      LEFT JOIN LATERAL (
            SELECT count(*) AS played FROM games_attempt a
             WHERE a.player_id = candidate.id AND a.competition_key = ANY (ARRAY(SELECT competition_key FROM own))
           ) overlap ON true
     ORDER BY seen.id IS NULL, seen.id IS NULL OR candidate.id NOT IN (SELECT id FROM family), overlap.played DESC, candidate.id
     LIMIT {LINKS_AT_MOST}
)
SELECT p.id, p.kind, p.id = ANY (%(near)s), p.id IN (SELECT id FROM browser), p.id IN (SELECT id FROM family), told.played,
       (SELECT count(*) FROM own JOIN games_attempt a USING (competition_key)
         WHERE a.player_id = told.id AND a.competition_key IS NOT NULL AND a.last_move_at < own.started_at),
       told.attempt_id, coalesce(told.outcome, '')
  FROM told JOIN games_player p USING (id)
 ORDER BY told.attempt_id IS NULL, told.played DESC, told.id
"""


def linked_players(*, player_id: int, deal_id: int, began: dt.datetime, until: dt.datetime) -> list[LinkedPlayer]:
    """Accounts near a player's that count for an attempt at this deal which `began` then, as known `until` its end.

    At most LINKS_AT_MOST: those first that had an attempt at the very deal (of them those of the same owner: these links
    are certain), then those with most competitions in common. A network with more than CROWD players links nobody, and so
    does none at all; nor does a browser where either of the two has shared one with more than BROWSER_CROWD persons. An
    attempt that was left without an end counts from its last move: whoever only looks need not resign. Two queries, one
    more a network.
    """
    window = {"since": until - dt.timedelta(days=settings.EVIDENCE_DAYS), "until": until}
    near: set[int] = set()
    for (network,) in execute(_NETWORKS, {"player": player_id, "nowhere": NOWHERE, **window}).fetchall():
        near.update(_players(network, window))
    near.discard(player_id)
    values = {"player": player_id, "deal": deal_id, "began": began, "near": list(near), **window}
    return [LinkedPlayer(*row) for row in execute(_LINKED, values)]


def _players(network: bytes, window: dict[str, dt.datetime]) -> list[int]:
    """Who played from a network; nobody when that is a crowd. A crowd is remembered for a day, for it costs most."""
    key = (network, window["until"].date())
    if key in _crowds:
        return []
    found = [player_id for (player_id,) in execute(_PLAYERS, {"network": network, **window})]
    if len(found) <= CROWD:
        return found
    if len(_crowds) >= _CROWDS_AT_MOST:
        _crowds.clear()
    _crowds.add(key)
    return []


_CROWDS_AT_MOST: Final = 10_000
_crowds: set[tuple[bytes, dt.date]] = set()


# --- for moderators, and for the player's own export ---------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ClientSeen:
    """One source of an attempt's moves, in words."""

    client: str
    """An AttemptClient.Client."""
    credential: str
    """Its public id."""
    network: str = field(repr=False)
    """A short name: the same for the same network."""
    first_ply: int
    at: dt.datetime


def clients_of(attempt_ids: Collection[int]) -> dict[int, list[ClientSeen]]:
    """The sources of each of these attempts, in the order of the plies, as long as they are kept. One query."""
    rows = AttemptClient.objects.filter(attempt_id__in=attempt_ids).order_by("first_ply", "id")
    found: dict[int, list[ClientSeen]] = defaultdict(list)
    for attempt_id, client, credential, network, ply, at in rows.values_list(
        "attempt_id", "client", "credential__public_id", "network", "first_ply", "at"
    ):
        found[attempt_id].append(ClientSeen(client, credential, network_label(bytes(network)), ply, at))
    return found


def network_label(network: bytes) -> str:
    """`network 3f2a`: enough to tell the few networks of an attempt apart, too little to be looked for elsewhere."""
    return "no network" if network == NOWHERE else f"network {network[:2].hex()}"
