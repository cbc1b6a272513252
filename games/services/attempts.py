"""Starting, playing and ending attempts. Every write is safe to repeat."""

from __future__ import annotations

import datetime as dt
import logging
import re
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import DatabaseError, transaction
from django.db.models import Q

from games.engine import ENGINE_VERSION
from games.engine.cards import Card
from games.engine.codes import TP1_SPAN, GameCode
from games.engine.deals import DEAL_VERSION, deal_cards
from games.engine.errors import IllegalMove
from games.engine.moves import move_text
from games.engine.position import Position, start
from games.engine.rulesets import find_ruleset
from games.engine.scoring import SCORING
from games.errors import BadInput, Conflict, Forbidden, GameError, MoveRefused, NotFound, NotSignedIn
from games.events import AttemptMoved, announce
from games.metrics import move_counted
from games.models import Attempt, Deal, Player
from games.retry import repeat_once
from games.selectors.attempts import (
    STUCK_IDLE,
    Progress,
    Recorded,
    attempt_json,
    attempt_state,
    better_recorded,
    elapsed,
    recorded_history,
)
from games.selectors.deals import deal_looks_sealed
from games.selectors.exposure import deal_exposed
from games.selectors.logs import logs_read
from games.signals import attempt_finished

from .attempt_rows import Asked, AttemptRow, attempt_read, move_append
from .clients import Source, client_record
from .credentials import credential_find

logger = logging.getLogger(__name__)
CLIENT_KEY = re.compile(r"[A-Za-z0-9_-]{1,64}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Competition:
    """What an attempt needs to know of the competition it belongs to; `games` knows no more of it."""

    key: str
    deadline: dt.datetime
    sealed_until: dt.datetime
    undo_allowed: bool
    ranked: bool
    """For accounts: guests are never ranked on a sealed deal (R8.6)."""
    on_start: Callable[[Attempt], None] | None = None
    """Called inside the transaction that makes a new attempt, e.g. to count it."""


@dataclass(frozen=True, slots=True)
class MoveReply:
    """The answer to an accepted move, the same on REST and socket and for every repeat."""

    attempt: dict[str, Any]
    move: str
    ply: int
    move_id: str
    player_id: int

    def as_json(self) -> dict[str, Any]:
        return {"attempt": self.attempt, "move": self.move, "ply": self.ply, "move_id": self.move_id}


def check_client_key(value: str, field: str) -> str:
    """A move id or start key: 1–64 of `A–Z a–z 0–9 _ -`; raises BadInput `bad_field`."""
    if not CLIENT_KEY.fullmatch(value):
        raise BadInput("bad_field", f"{field} must be 1 to 64 letters, digits, - or _.", field=field)
    return value


def random_code(ruleset: str) -> GameCode:
    """A TP1 code drawn from all 26^7 deals (case C25: never the lowest free one)."""
    return GameCode("TP1", find_ruleset(ruleset).letters, secrets.randbelow(TP1_SPAN))


# --- start ---------------------------------------------------------------------------------------------------------


@repeat_once
def attempt_start(
    *,
    player_id: int,
    code: GameCode,
    start_key: str,
    practice: bool,
    now: dt.datetime,
    any_code: bool = False,
    competition: Competition | None = None,
    credential_id: int | None = None,
    source: Source | None = None,
) -> tuple[Attempt, bool]:
    """Start an attempt at a game code, or return the one that this key (or this competition) has already started.

    Locks the player's row, so that one player's starts queue up: the n-th attempt at a list of cards is counted under
    it (R8.1). `any_code` says that the code was drawn at random, so that a repeat of the key may bring another one.
    `credential_id` and `source` are whence a new attempt is asked for: evidence, written in the same transaction.
    Raises Conflict `key_reused` (the key has started something else), Conflict `sealed_deal` (it opens like a deal of a
    competition that is not final), NotSignedIn (banned or deleted meanwhile).
    """
    check_client_key(start_key, "key")
    ruleset = find_ruleset(code.ruleset)
    with transaction.atomic(durable=True):
        player = Player.objects.select_for_update(of=("self",)).filter(_may_play(now), pk=player_id).first()
        if player is None:
            raise NotSignedIn
        mine = Attempt.objects.select_related("deal").filter(player=player)
        if competition is not None:
            known = mine.filter(competition_key=competition.key).first()
            if known is not None:
                return known, False
        known = mine.filter(start_key=start_key).first()
        if known is not None:
            same = known.competition_key is None and known.ruleset == ruleset.letters
            if competition is not None or not same or not (any_code or known.code == code.text):
                raise Conflict("key_reused", "This key has already started another attempt.", key=start_key)
            return known, False
        cards = deal_cards(code)
        if competition is None and deal_looks_sealed(cards, now):
            raise Conflict("sealed_deal", "This deal looks like one of a competition that is not over yet.")
        deal = _deal_get(cards, now)
        open_code = competition is None and code.kind != "TP2" and deal.sealed_until is None
        shown = deal_exposed(player_id=player.pk, deal_id=deal.pk)  # hints or an analysis: practice from then on
        guest = player.kind == Player.Kind.GUEST  # by the locked row: a claim may have come since the request
        undo_allowed = competition.undo_allowed if competition else True
        opening = start(ruleset, cards, undo_allowed=undo_allowed)
        attempt = Attempt.objects.create(
            player=player,
            deal=deal,
            code=code.text,
            ruleset=ruleset.letters,
            competition_key=competition.key if competition else None,
            deadline=competition.deadline if competition else None,
            sealed_until=competition.sealed_until if competition else None,
            undo_allowed=undo_allowed,
            ranked=not shown and (competition.ranked and not guest if competition else open_code and not practice),
            number=mine.filter(deal=deal).count() + 1,
            start_key=start_key,
            engine_version=ENGINE_VERSION,
            deal_version=DEAL_VERSION,
            ruleset_version=ruleset.version,
            scoring_version=SCORING[ruleset.scoring].version,
            started_at=now,
            last_move_at=now,
            score=opening.score,
        )
        if competition is not None and competition.on_start is not None:
            competition.on_start(attempt)
        if credential_id is not None and source is not None:
            client_record(attempt_id=attempt.pk, credential_id=credential_id, source=source, ply=0, now=now)
        return attempt, True


def _may_play(now: dt.datetime) -> Q:
    """Neither the player nor a bot's owner is deleted or banned; the same conditions as `credential_find`."""
    player = Q(deleted_at=None) & (Q(banned_at=None) | Q(banned_until__lte=now))
    owner = Q(owner__deleted_at=None) & (Q(owner__banned_at=None) | Q(owner__banned_until__lte=now))
    return player & owner


def _deal_get(cards: Sequence[Card], now: dt.datetime) -> Deal:
    """The row of an ordered list of cards, made if need be; safe when two ask at once."""
    raw = bytes(cards)
    Deal.objects.bulk_create([Deal(cards=raw, created_at=now)], ignore_conflicts=True)
    return Deal.objects.get(cards=raw)


# --- move ----------------------------------------------------------------------------------------------------------


@move_counted
@repeat_once
def attempt_move(
    *,
    attempt_id: str,
    token_hash: bytes,
    via: str,
    move: int,
    expected_ply: int,
    move_id: str,
    now: dt.datetime,
    source: Source | None = None,
) -> MoveReply:
    """Play one move of the caller's attempt: replay the log, check, append, announce.

    Two round trips: one statement reads, one appends and holds only if nothing has changed since (the ply, the end, the
    rights), so it needs no lock of its own and no transaction around it. A `source` that this attempt has not been
    played from yet is written first, so a kept move always has its evidence. Whatever is not that simple (a move that ends
    the attempt, a repeat, a race, an expiry) goes the long way: one transaction under the attempt row's lock. A repeat
    of a move id gets the answer it got the first time, rebuilt from the log. Raises MoveRefused (the rules, R2.4),
    Conflict `stale_ply` (with the present state) or `move_id_reused`, NotFound (unknown and foreign alike), Forbidden
    `scope_missing`, NotSignedIn.
    """
    check_client_key(move_id, "move_id")
    asked = Asked(attempt_id, token_hash, via, move_id, now, source)
    row = attempt_read(asked, lock=False)
    if row is not None and _is_plain(row, expected_ply, now):
        after = _played(row, move)
        if after.outcome is None and move_append(row, asked, move=move, position=after):
            progress = Progress(None, None, False, elapsed(row.facts.started_at, now), row.recorded)
            return _reply(row, asked, move, after, progress)
    with transaction.atomic(durable=True):
        locked = attempt_read(asked, lock=True)
        if locked is None:
            raise _not_there(token_hash, via, now)
        outcome = _move_locked(locked, asked, move, expected_ply)
    if isinstance(outcome, GameError):
        raise outcome
    return outcome


def _is_plain(row: AttemptRow, expected_ply: int, now: dt.datetime) -> bool:
    """A new move of an attempt that goes on, for the ply it stands at."""
    facts = row.facts
    over = row.outcome is not None or (facts.deadline is not None and facts.deadline <= now)
    return row.repeat_ply is None and not over and row.ply == expected_ply


def _played(row: AttemptRow, move: int) -> Position:
    """The position after the move; raises MoveRefused."""
    try:
        return row.position().play(move)
    except IllegalMove as refusal:
        raise MoveRefused(refusal.code, refusal.message, **refusal.data, ply=row.ply) from refusal


def _reply(row: AttemptRow, asked: Asked, move: int, after: Position, progress: Progress) -> MoveReply:
    """Announce a move that has just been written, and answer it."""
    announce(AttemptMoved(player_id=row.player_id, attempt=row.facts.public_id, ply=after.ply))
    return MoveReply(attempt_json(row.facts, after, progress), move_text(move), after.ply, asked.move_id, row.player_id)


def _not_there(token_hash: bytes, via: str, now: dt.datetime) -> GameError:
    """Why the lock found nothing: no rights at all, not the right to play, or no such attempt of this player."""
    actor = credential_find(token_hash=token_hash, via=via, now=now)
    if actor is None:
        return NotSignedIn()
    if "play" not in actor.scopes:
        return Forbidden("scope_missing", "This token may not do that: it lacks the scope play.", scope="play")
    return NotFound()


def _move_locked(locked: AttemptRow, asked: Asked, move: int, expected_ply: int) -> MoveReply | GameError:
    """The move itself, under the lock. An error that comes with a write (an expiry) is returned, so that it commits."""
    now = asked.now
    if locked.repeat_ply is not None:
        return _repeat(locked, move, expected_ply, asked.move_id)
    expired = _expired(locked, now)
    if expired is not None:
        return expired
    over = locked.is_over(now)
    if over or expected_ply != locked.ply:
        taken = elapsed(locked.facts.started_at, locked.finished_at or now)
        progress = Progress(locked.outcome, locked.finished_at, over, taken, locked.recorded)
        state = attempt_json(locked.facts, locked.position(), progress)
        if over:
            return MoveRefused("game_over", "This attempt is over.", attempt=state)
        raise Conflict("stale_ply", "The attempt has moved on. Here is how it stands.", attempt=state)
    after = _played(locked, move)
    if not move_append(locked, asked, move=move, position=after):
        raise NotSignedIn  # nobody else holds the lock: it is the rights that ended between the two statements
    taken = elapsed(locked.facts.started_at, now)
    progress = Progress(None, None, False, taken, locked.recorded)
    if after.outcome is not None:
        closed = after.outcome == "won" or not locked.facts.undo_allowed
        bettered = better_recorded(locked.facts, locked.recorded, after, elapsed_ms=taken, at=now)
        _finish(locked.id, after.outcome, at=now, closed=closed, now=now, bettered=bettered)
        progress = Progress(after.outcome, now, closed, taken, bettered or locked.recorded)
    return _reply(locked, asked, move, after, progress)


def _reused(move_id: str) -> Conflict:
    return Conflict("move_id_reused", "This move id stands for another move.", move_id=move_id)


def _repeat(locked: AttemptRow, move: int, expected_ply: int, move_id: str) -> MoveReply:
    """The first answer to this move id, rebuilt from the log; Conflict when it then stood for another move."""
    ply = locked.repeat_ply
    if ply is None or locked.log[ply - 1] != move or expected_ply != ply - 1:
        raise _reused(move_id)
    log = logs_read([locked.id])[locked.id].upto(ply)
    at, history = log.at(ply), recorded_history(locked.facts, locked.cards, log)
    position = locked.position(ply)
    outcome = position.outcome
    closed = outcome == "won" or (outcome == "stuck" and not locked.facts.undo_allowed)
    taken = elapsed(locked.facts.started_at, at)
    progress = Progress(outcome, at if outcome else None, closed, taken, history[-1] if history else None)
    state = attempt_json(locked.facts, position, progress)
    return MoveReply(state, move_text(move), ply, move_id, locked.player_id)


# --- end -----------------------------------------------------------------------------------------------------------


def _finish(
    pk: int, outcome: str, *, at: dt.datetime, closed: bool, now: dt.datetime, bettered: Recorded | None = None
) -> Attempt:
    """Write the outcome of an attempt and the result it recorded with it, if any. Assumes the attempt row's lock."""
    attempt = Attempt.objects.select_related("player", "deal").get(pk=pk)
    attempt.outcome, attempt.finished_at = outcome, at
    attempt.closed_at = now if closed else None
    if bettered is not None:
        for field in Attempt.RESULT_FIELDS:
            setattr(attempt, f"result_{field}", getattr(bettered, field))
    attempt.save()
    attempt_finished.send(sender=Attempt, attempt=attempt, now=now)
    return attempt


def _end(pk: int, outcome: str, *, at: dt.datetime, now: dt.datetime) -> Attempt:
    """Close an attempt as resigned or expired; its recorded result stands (R3.3). Assumes the attempt row's lock."""
    attempt = _finish(pk, outcome, at=at, closed=True, now=now)
    announce(AttemptMoved(player_id=attempt.player_id, attempt=attempt.public_id, ply=attempt.ply, ended=True))
    return attempt


def _expired(locked: AttemptRow, now: dt.datetime) -> MoveRefused | None:
    """Close an attempt whose deadline has passed; the refusal, to be raised once that is committed."""
    deadline = locked.facts.deadline
    if locked.outcome is not None or deadline is None or deadline > now:
        return None
    expired = _end(locked.id, "expired", at=deadline, now=now)
    return MoveRefused("game_over", "The time for this attempt is over.", attempt=attempt_state(expired, now))


@repeat_once
def attempt_resign(*, attempt_id: str, token_hash: bytes, via: str, move_id: str, now: dt.datetime) -> MoveReply:
    """Give the caller's attempt up; a repeat gets the same answer, whatever its `move_id`.

    Under the attempt row's lock. Raises MoveRefused `game_over` when it has ended otherwise, Conflict `move_id_reused`
    when the id stands for a move, Forbidden `scope_missing`, NotFound, NotSignedIn.
    """
    check_client_key(move_id, "move_id")
    with transaction.atomic(durable=True):
        locked = attempt_read(Asked(attempt_id, token_hash, via, move_id, now), lock=True)
        if locked is None:
            raise _not_there(token_hash, via, now)
        if locked.repeat_ply is not None:
            raise _reused(move_id)
        refusal = _expired(locked, now)
        attempt = Attempt.objects.select_related("deal").get(pk=locked.id)
        if refusal is None and not locked.is_over(now):
            attempt = _end(locked.id, "resigned", at=now, now=now)
        elif refusal is None and locked.outcome != "resigned":
            refusal = MoveRefused("game_over", "This attempt is over.", attempt=attempt_state(attempt, now))
        state = attempt_state(attempt, now)
    if refusal is not None:
        raise refusal
    return MoveReply(state, "resign", attempt.ply, move_id, attempt.player_id)


def attempts_expire(*, now: dt.datetime, batch: int = 500) -> int:
    """Write down what time alone has ended: deadlines passed (R9.2) and stuck attempts idle for 24 hours (R3.3).

    Nothing depends on when this runs: readers and moves judge by the clock themselves. Locks each row, skipping those
    that a move holds. Returns how many were closed.
    """
    closed = 0
    idle = Q(finished_at__lte=now - STUCK_IDLE) | Q(deadline__lte=now)
    over = Q(outcome=None, deadline__lte=now) | Q(outcome="stuck", closed_at=None) & idle
    for pk in Attempt.objects.filter(over).order_by("id").values_list("id", flat=True)[:batch]:
        try:
            closed += _expire_one(pk, over, now)
        except DatabaseError:  # one row that cannot be ended must not keep all later ones from it
            logger.exception("attempt %s could not be ended", pk)
    return closed


def _expire_one(pk: int, over: Q, now: dt.datetime) -> bool:
    """End one attempt if it is still over once its row is locked."""
    with transaction.atomic(durable=True):
        attempt = Attempt.objects.select_for_update(skip_locked=True, no_key=True).filter(over, pk=pk).first()
        if attempt is None:
            return False
        if attempt.outcome is None:
            assert attempt.deadline is not None
            _end(pk, "expired", at=attempt.deadline, now=now)
        else:
            attempt.closed_at = now
            attempt.save(update_fields=["closed_at"])
        return True
