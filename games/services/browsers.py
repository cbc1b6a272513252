"""Players who use one browser in turn: evidence for fair play, kept settings.EVIDENCE_DAYS and shown to moderators only."""

from __future__ import annotations

import datetime as dt
from typing import Final

from django.db.models import Q

from games.models import SharedBrowser
from games.statements import execute

# SKIP LOCKED: the other player is being deleted or decided about, and whoever does that may wait for the row that the
# caller holds.
_RECORD: Final = """
INSERT INTO games_sharedbrowser (first_id, second_id, first_at, at)
SELECT least(p.id, %(player)s), greatest(p.id, %(player)s), %(now)s, %(now)s
  FROM games_credential c JOIN games_player p ON p.id = c.player_id
 WHERE c.token_hash = %(browser)s AND c.kind = 'session' AND c.via = 'cookie'
   AND p.id <> %(player)s AND p.deleted_at IS NULL
   FOR KEY SHARE OF p SKIP LOCKED
ON CONFLICT (first_id, second_id) DO UPDATE SET at = greatest(games_sharedbrowser.at, excluded.at)
"""


def browser_record(*, player_id: int, browser: bytes | None, now: dt.datetime) -> None:
    """Write down that the player who has just got a session uses the browser of whose session that one replaces.

    `browser`: the hash of the secret in the cookie, whether it is good for anything any more or not. Nothing is written
    without one (whoever signs out first has none, and is not linked), for the player's own, for a deleted account's, and
    while that account's row is locked. No other trace of a browser is looked at. To be called last in the transaction
    of the new session, under the player row's lock or for a new player; safe to repeat.
    """
    if browser is not None:
        execute(_RECORD, {"player": player_id, "browser": browser, "now": now})


def browsers_forget(*, player_id: int) -> None:
    """Delete what is known of the player's browsers. Assumes the player row's lock."""
    SharedBrowser.objects.filter(Q(first_id=player_id) | Q(second_id=player_id)).delete()
