"""Everything that is kept about a player, for that player: one JSON object, written out piece by piece.

Not in it: secrets (only hashes are kept), cards that were never turned up and codes that are sealed (R10.1), what each
signal weighed of the player's attempts, what others wrote in reports, and the moderators' notes for each other (the
reasons in their log, of which the class is told). A judgement is told by its verdict and date, a case by the names
of its signals: the inner evidence compares with attempts of others, and points would teach how to pass the next time.
Who reported and who decided is told to nobody. The page /fair-play says the same.
"""

from __future__ import annotations

import datetime as dt
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, Final

from django.db.models import OuterRef, Q, Subquery

from games.clock import iso, milliseconds
from games.engine.moves import format_log
from games.models import Attempt, AttemptClient, Credential, DealExposure, Player, RecoveryCode, SharedBrowser
from games.selectors.attempts import summary_json
from games.selectors.logs import logs_read
from leaderboards.models import Entry

from .models import Case, Judgement, ModeratorAction, Notice, Report
from .notices import with_standing
from .player_selectors import notice_json

CHUNK: Final = 100
"""Attempts at a time: of 2,000 plies at most each."""


def player_export(*, player_id: int, now: dt.datetime) -> Iterator[str]:
    """The pieces of the object; each is read when it is asked for. Bots of a person are part of it.

    Not one snapshot: what changes meanwhile may be in it or not.
    """
    player = Player.objects.select_related("owner").get(pk=player_id)
    bots = list(player.bots.order_by("id"))
    whose = Q(player_id__in=[player.pk, *(bot.pk for bot in bots)])
    yield f'{{"exported_at":{_text(iso(now))}'
    yield f',"account":{_text(_account(player))}'
    yield f',"bots":{_text([_account(bot) for bot in bots])}'
    yield from _list("credentials", _credentials(whose))
    yield from _list("shared_browsers", _shared_browsers({player.pk: player, **{bot.pk: bot for bot in bots}}))
    yield from _list("attempts", _attempts(whose, now))
    yield from _list("deals_known", _exposures(whose))
    yield from _list("entries", _entries(whose))
    yield from _list("notices", _notices(whose, now))
    yield from _list("cases", _cases(whose))
    yield from _list("actions", _actions(whose))
    yield from _list("reports", _reports(player_id))
    yield "}"


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _list(name: str, rows: Iterable[dict[str, Any]]) -> Iterator[str]:
    yield f',"{name}":['
    for at, row in enumerate(rows):
        yield f"{',' if at else ''}{_text(row)}"
    yield "]"


def _account(player: Player) -> dict[str, Any]:
    return {
        "id": player.public_id,
        "kind": str(player.kind),
        "name": player.name,
        "language": player.language or None,
        "created_at": iso(player.created_at),
        "last_login": iso(player.last_login),
        "password": player.has_usable_password(),
        "recovery_codes_left": RecoveryCode.objects.filter(player=player, used_at=None).count(),
        "banned_at": iso(player.banned_at),
        "banned_until": iso(player.banned_until),
    }


def _credentials(whose: Q) -> Iterator[dict[str, Any]]:
    for row in Credential.objects.select_related("player").filter(whose).order_by("id").iterator(CHUNK):
        yield {
            "id": row.public_id,
            "player": row.player.public_id,
            "kind": str(row.kind),
            "via": str(row.via),
            "name": row.name,
            "scopes": sorted(row.scopes),
            "created_at": iso(row.created_at),
            "last_used_at": iso(row.last_used_at),
            "expires_at": iso(row.expires_at),
            "revoked_at": iso(row.revoked_at),
        }


def _shared_browsers(whose: dict[int, Player]) -> Iterator[dict[str, Any]]:
    """That somebody else has used a browser of the player's, and when; not who."""
    rows = SharedBrowser.objects.filter(Q(first_id__in=whose) | Q(second_id__in=whose)).order_by("id")
    for row in rows.iterator(CHUNK):
        for player_id in (row.first_id, row.second_id):
            if player_id in whose:
                yield {
                    "player": whose[player_id].public_id,
                    "first_at": iso(row.first_at),
                    "at": iso(row.at),
                }


# --- attempts ------------------------------------------------------------------------------------------------------


def _attempts(whose: Q, now: dt.datetime) -> Iterator[dict[str, Any]]:
    """Each with its moves and their times, where they came from (as long as that is kept), and what was judged."""
    last = 0
    while True:
        rows = list(Attempt.objects.select_related("player").filter(whose, id__gt=last).order_by("id")[:CHUNK])
        if not rows:
            return
        ids = [row.pk for row in rows]
        logs, clients, judgements = logs_read(ids), _clients(ids), _judgements(ids)
        for row in rows:
            log = logs[row.pk].upto(row.ply)
            started_ms = milliseconds(row.started_at)
            yield {
                **summary_json(row, now),
                "player": row.player.public_id,
                "log": format_log(log.moves),
                "times_ms": [max(0, at_ms - started_ms) for at_ms in log.at_ms],
                "clients": clients[row.pk],
                "judgements": judgements[row.pk],
            }
        last = ids[-1]


def _clients(ids: list[int]) -> dict[int, list[dict[str, Any]]]:
    """`network` is a short label: the same one is the same part of the network; no address can be had from it."""
    found: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in (
        AttemptClient.objects.select_related("credential").filter(attempt_id__in=ids).order_by("first_ply", "id")
    ):
        found[row.attempt_id].append(
            {
                "client": str(row.client),
                "credential": row.credential.public_id,
                "network": bytes(row.network).hex()[:8],
                "first_ply": row.first_ply,
                "at": iso(row.at),
            }
        )
    return found


def _judgements(ids: list[int]) -> dict[int, list[dict[str, Any]]]:
    found: dict[int, list[dict[str, Any]]] = defaultdict(list)
    rows = Judgement.objects.filter(attempt_id__in=ids).order_by("judged_at", "id")
    for attempt_id, verdict, at in rows.values_list("attempt_id", "verdict", "judged_at"):
        found[attempt_id].append({"verdict": verdict, "at": iso(at)})
    return found


# --- the rest ------------------------------------------------------------------------------------------------------


def _exposures(whose: Q) -> Iterator[dict[str, Any]]:
    """Cards at which hints were asked for: named by an attempt at them, for the cards themselves may be sealed."""
    for row in DealExposure.objects.select_related("player").filter(whose).order_by("id").iterator(CHUNK):
        attempt = Attempt.objects.filter(player_id=row.player_id, deal_id=row.deal_id).order_by("id").first()
        yield {
            "player": row.player.public_id,
            "attempt": attempt.public_id if attempt else None,
            "at": iso(row.at),
        }


def _entries(whose: Q) -> Iterator[dict[str, Any]]:
    """Entries of boards. A sealed code is no board's name: those boards are named by their day."""
    rows = Entry.objects.select_related("board", "player", "attempt").defer("attempt__code").filter(whose)
    for row in rows.order_by("id").iterator(CHUNK):
        yield {
            "player": row.player.public_id,
            "board": row.board.scope,
            "kind": str(row.board.kind),
            "view": str(row.board.view),
            "attempt": row.attempt.public_id,
            "active": row.active,
        }


def _notices(whose: Q, now: dt.datetime) -> Iterator[dict[str, Any]]:
    rows = Notice.objects.select_related("player", "attempt", "action", "appeal").defer("attempt__code").filter(whose)
    for row in with_standing(rows).order_by("id").iterator(CHUNK):
        yield {**notice_json(row, now), "read_at": iso(row.read_at)}


def _cases(whose: Q) -> Iterator[dict[str, Any]]:
    """What moderators were asked to look at, without who asked."""
    rows = Case.objects.select_related("player", "attempt").defer("attempt__code").filter(whose)
    for row in rows.order_by("id").iterator(CHUNK):
        yield {
            "player": row.player.public_id,
            "attempt": row.attempt.public_id if row.attempt else None,
            "reasons": row.reasons,
            "opened_at": iso(row.opened_at),
            "closed_at": iso(row.closed_at),
        }


def _actions(whose: Q) -> Iterator[dict[str, Any]]:
    """What was decided, also where no notice tells of it: never by whom, nor the other accounts of a decision."""
    told = Notice.objects.filter(action=OuterRef("pk"), player=OuterRef("player")).order_by("id").values("words")[:1]
    rows = ModeratorAction.objects.select_related("player", "attempt", "reverts").defer("attempt__code").filter(whose)
    for row in rows.annotate(words=Subquery(told)).order_by("id").iterator(CHUNK):
        yield {
            "id": row.public_id,
            "player": row.player.public_id,
            "attempt": row.attempt.public_id if row.attempt else None,
            "kind": str(row.kind),
            "reason_class": str(row.reason_class),
            "words": row.words or "",
            "takes_back": row.reverts.public_id if row.reverts else None,
            "at": iso(row.at),
        }


def _reports(player_id: int) -> Iterator[dict[str, Any]]:
    """What the player has reported. Reports about the player are others' words, and stay with the moderators."""
    rows = Report.objects.select_related("case__player", "case__attempt").defer("case__attempt__code")
    for row in rows.filter(reporter_id=player_id).order_by("id").iterator(CHUNK):
        yield {
            "player": row.case.player.public_id,
            "attempt": row.case.attempt.public_id if row.case.attempt else None,
            "reason": str(row.reason_class),
            "text": row.text,
            "at": iso(row.at),
        }
