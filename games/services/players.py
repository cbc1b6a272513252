"""Accounts: guests, persons and their bots; bans and deletion. Passwords are next door, in `passwords`."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass

from django.conf import settings
from django.contrib.auth.hashers import check_password, make_password
from django.db import IntegrityError, transaction
from django.db.models import Q

from games.errors import BadInput, Conflict, Forbidden, NotFound, NotSignedIn
from games.events import CredentialsEnded, announce
from games.models import Attempt, CompactLog, Credential, Move, Player, RecoveryCode
from games.names import name_clean, name_key
from games.replica import player_wrote
from games.retry import repeat_once
from games.selectors.attempts import facts_of, recorded_history
from games.selectors.logs import log_read
from games.signals import attempt_finished

from .browsers import browser_record, browsers_forget
from .credentials import credentials_revoke, session_create
from .passwords import password_validate, recovery_codes_make
from .second_factor import second_factor_forget
from .staff import staff_sessions_end

BOTS_AT_MOST = 10


def _name_taken() -> Conflict:
    return Conflict("name_taken", "This name, or one that looks like it, is taken.", field="name")


@dataclass(frozen=True, slots=True)
class Claimed:
    """A guest that has become a person; the codes are nowhere else in clear."""

    player: Player
    recovery_codes: list[str]


@repeat_once
def guest_create(*, via: str, now: dt.datetime, browser: bytes | None = None) -> tuple[Player, Credential, str]:
    """A new guest, signed in, and the credential's secret. Locks nothing: nobody else knows the rows yet.

    `browser`: see `browser_record`.
    """
    with transaction.atomic(durable=True):
        player = Player(kind=Player.Kind.GUEST, created_at=now)
        player.set_unusable_password()
        player.save(force_insert=True)
        credential, secret = session_create(player=player, via=via, now=now)
        browser_record(player_id=player.pk, browser=browser, now=now)
    return player, credential, secret


def person_create(
    *, name: str, password: str, now: dt.datetime, is_staff: bool = False, is_superuser: bool = False
) -> Player:
    """A person's account from nothing, for commands and tests; players come by `guest_claim`.

    An empty password is none at all. Staff may have a reserved name and a password of their own judgement. Locks
    nothing; the unique name decides. Raises BadInput (names.name_clean, `password_weak`), Conflict `name_taken`.
    """
    clean = name_clean(name, reserved_too=is_staff or is_superuser)
    if password and not (is_staff or is_superuser):
        password_validate(password)
    player = Player(
        kind=Player.Kind.PERSON,
        name=clean,
        name_key=name_key(clean),
        password=make_password(password or None),
        created_at=now,
        is_staff=is_staff,
        is_superuser=is_superuser,
    )
    try:
        with transaction.atomic(durable=True):
            player.save(force_insert=True)
    except IntegrityError:
        raise _name_taken() from None
    return player


@repeat_once
def guest_claim(
    *, player_id: int, name: str, password: str, now: dt.datetime, keep_credential_id: int | None = None
) -> Claimed:
    """Make a guest a person who keeps the results (R8.6). Those on open codes enter the boards in this transaction.

    Locks the player row against starts (FOR NO KEY UPDATE: a finish takes a key share of it when it commits), then the
    guest's ranked open attempts by id, and only then changes the name: a finish that runs at the same time comes wholly
    before (and is sent from here) or after (and finds a person). The guest's other credentials end. After a lost answer
    the same call is safe: for the same name and password it succeeds again with new recovery codes.
    Raises BadInput (names.name_clean, `password_weak`), Conflict `name_taken` or `already_claimed`, NotSignedIn.
    """
    clean = name_clean(name)
    password_validate(password)
    encoded = make_password(password)  # slow on purpose, so not under a lock
    try:
        with transaction.atomic(durable=True):
            player = Player.objects.select_for_update(no_key=True).filter(pk=player_id, deleted_at=None).first()
            if player is None:
                raise NotSignedIn
            if player.kind == Player.Kind.GUEST:
                attempts = _results_lock(player)
                player.kind, player.name, player.name_key = Player.Kind.PERSON, clean, name_key(clean)
                player.password = encoded
                player.save(update_fields=["kind", "name", "name_key", "password"])
                player_wrote(player.pk)
                credentials_revoke(player_id=player.pk, except_id=keep_credential_id, now=now)
                for attempt in attempts:
                    attempt.player = player
                    _results_send(attempt, now)
            elif player.name != clean or not check_password(password, player.password):
                raise Conflict("already_claimed", "This account has a name already.")
            return Claimed(player, recovery_codes_make(player))
    except IntegrityError:
        raise _name_taken() from None


def _results_lock(player: Player) -> list[Attempt]:
    """The attempts whose results enter the boards with a claim. All ranked open ones are locked and read anew; whether
    there is a result is judged after the lock, not by the query, whose snapshot may be older.
    """
    attempts = (
        Attempt.objects.select_for_update(of=("self",))
        .select_related("deal")
        .filter(player=player, ranked=True, sealed_until=None)
        .order_by("id")
    )
    return [attempt for attempt in attempts if attempt.result_at is not None]


def _results_send(attempt: Attempt, now: dt.datetime) -> None:
    """Tell the boards all results that an attempt has recorded, as they came: one without undo may count as a first
    attempt (R8.1) although the same attempt was bettered by undo later.
    """
    if attempt.undos:
        history = recorded_history(facts_of(attempt), tuple(attempt.deal.cards), log_read(attempt))
        for earlier in history[:-1]:
            then = copy(attempt)
            for field in Attempt.RESULT_FIELDS:
                setattr(then, f"result_{field}", getattr(earlier, field))
            attempt_finished.send(sender=Attempt, attempt=then, now=now)
    attempt_finished.send(sender=Attempt, attempt=attempt, now=now)


@repeat_once
def bot_create(*, owner_id: int, name: str, now: dt.datetime) -> Player:
    """A bot of this person. It stays one, and on the bots' boards, whatever its name (R8.1, case C14).

    Locks the owner's row. Repeating it with the name of a bot of one's own returns that bot. Raises Forbidden
    `persons_only`, Conflict `name_taken` or `too_many_bots`, BadInput (names.name_clean).
    """
    clean = name_clean(name)
    key = name_key(clean)
    try:
        with transaction.atomic(durable=True):
            owner = Player.objects.select_for_update(no_key=True).filter(pk=owner_id, deleted_at=None).first()
            if owner is None or owner.kind != Player.Kind.PERSON:
                raise Forbidden("persons_only", "Bots belong to accounts with a name.")
            known = Player.objects.filter(owner=owner, name=clean).first()
            if known is not None:
                return known
            if Player.objects.filter(owner=owner, deleted_at=None).count() >= BOTS_AT_MOST:
                raise Conflict("too_many_bots", f"At most {BOTS_AT_MOST} bots.", most=BOTS_AT_MOST)
            bot = Player(kind=Player.Kind.BOT, owner=owner, name=clean, name_key=key, created_at=now)
            bot.set_unusable_password()
            bot.save(force_insert=True)
            return bot
    except IntegrityError:
        raise _name_taken() from None


def bots_list(*, owner_id: int) -> list[Player]:
    """A person's bots, oldest first."""
    return list(Player.objects.filter(owner_id=owner_id, deleted_at=None).order_by("id"))


def bot_id(*, owner_id: int, public_id: str) -> int:
    """The key of one's own bot; NotFound for others' alike."""
    found = Player.objects.filter(owner_id=owner_id, public_id=public_id, deleted_at=None).values_list("id", flat=True)
    if not found:
        raise NotFound
    return found[0]


@repeat_once
def player_language_set(*, player_id: int, language: str) -> None:
    """Keep the player's choice of language, one of settings.LANGUAGES; empty: as each browser asks. Safe to repeat.

    One statement, no lock. Raises BadInput `unknown_language`, NotFound.
    """
    known = [code for code, _ in settings.LANGUAGES]
    if language and language not in known:
        raise BadInput("unknown_language", "That language is not spoken here.", field="language", known=known)
    if not Player.objects.filter(pk=player_id, deleted_at=None).update(language=language):
        raise NotFound


@repeat_once
def name_check(*, name: str) -> str:
    """The name as it would be shown, if it could be taken now (taking it decides).

    Raises BadInput (names.name_clean), Conflict `name_taken`.
    """
    clean = name_clean(name)
    if Player.objects.filter(name_key=name_key(clean)).exists():
        raise _name_taken()
    return clean


def player_find(*, name: str) -> Player:
    """The account of that name as people type it (any case), or by public id. Raises NotFound."""
    key = name_key(name)
    found = Player.objects.filter(Q(name_key=key) & ~Q(name_key="") | Q(public_id=name), deleted_at=None).first()
    if found is None:
        raise NotFound(f"There is no player {name!r}.")
    return found


# --- bans ----------------------------------------------------------------------------------------------------------


def player_ban(*, player_id: int, reason: str, until: dt.datetime | None, now: dt.datetime) -> None:
    """Stop a player, and the player's bots, at once: every credential gives no rights while the ban lasts.

    Credentials are not revoked: after the ban they work again. The dates alone say whether it lasts, to the admin site
    too (`games.backends`); `is_active` is no part of it, and would stay when the end has passed. The log, and what
    the player is told, are not this app's: `leaderboards.moderation.actions` calls this in its transaction. Locks the
    player row. Safe to repeat; a repeat replaces reason and end. Raises BadInput `ban_until` (an end that has passed), NotFound.
    """
    if until is not None and until <= now:
        raise BadInput("ban_until", "The end of a ban must be in the future.")
    with transaction.atomic():
        player = Player.objects.select_for_update(no_key=True).filter(pk=player_id, deleted_at=None).first()
        if player is None:
            raise NotFound
        player.is_active |= player.banned_at is not None  # earlier versions took it with a ban, for good
        player.banned_at, player.banned_until, player.ban_reason = now, until, reason
        player.save(update_fields=["banned_at", "banned_until", "ban_reason", "is_active"])
        credentials_end_for_now(player_id=player.pk)


def player_unban(*, player_id: int) -> None:
    """Let a player back. Locks the player row; safe to repeat; called like `player_ban`. Raises NotFound."""
    with transaction.atomic():
        player = Player.objects.select_for_update(no_key=True).filter(pk=player_id, deleted_at=None).first()
        if player is None:
            raise NotFound
        player.banned_at = player.banned_until = None
        player.ban_reason, player.is_active = "", True  # earlier versions took it with the ban
        player.save(update_fields=["banned_at", "banned_until", "ban_reason", "is_active"])


def credentials_end_for_now(*, player_id: int) -> None:
    """Tell the sockets of a player and the player's bots to look at their rights again, and end the player's sessions of
    the admin, which would wake up with the account. In the caller's transaction.
    """
    staff_sessions_end(player_id=player_id)
    mine = Q(player_id=player_id) | Q(player__owner_id=player_id)
    live = tuple(Credential.objects.filter(mine, revoked_at=None).order_by("id").values_list("id", flat=True))
    if live:
        announce(CredentialsEnded(live))


# --- deletion ------------------------------------------------------------------------------------------------------


def player_delete(*, player_id: int, now: dt.datetime) -> list[int]:
    """Take name, password, codes and every right from an account and its bots; the row stays, unnamed, for its moves.

    Board entries are not this app's: `leaderboards.services.account_delete` calls this in its transaction (so it is not
    durable) and removes them for the returned keys (the account's and its bots'). Locks the player rows, owner first.
    Safe to repeat. Raises NotFound.
    """
    with transaction.atomic():
        player = Player.objects.select_for_update().filter(pk=player_id).first()
        if player is None:
            raise NotFound
        bots = list(Player.objects.select_for_update().filter(owner=player).order_by("id"))
        for gone in [player, *bots]:
            if gone.deleted_at is None:
                if gone.is_staff:
                    gone.groups.clear()
                    second_factor_forget(player_id=gone.pk)
                gone.deleted_at, gone.name, gone.name_key, gone.language = now, None, None, ""
                gone.is_staff = gone.is_superuser = gone.is_active = False
                gone.ban_reason, gone.last_login = "", None
                gone.set_unusable_password()
                gone.save()
                RecoveryCode.objects.filter(player=gone).delete()
            credentials_revoke(player_id=gone.pk, now=now)
            browsers_forget(player_id=gone.pk)
            Credential.objects.filter(player=gone).exclude(name="").update(name="")
        return [player.pk, *(bot.pk for bot in bots)]


def deleted_purge(
    *, now: dt.datetime, batch: int = 200, on_purge: Callable[[Sequence[int]], None] = lambda attempt_ids: None
) -> int:
    """Delete the attempts and moves of accounts deleted more than settings.DELETED_MOVES_DAYS ago; how many attempts.

    One short transaction per batch, under the locks of its attempt rows; `on_purge` is called in it with their keys
    before they go, by `leaderboards.services.accounts_purge`. Safe to stop and repeat.
    """
    before = now - dt.timedelta(days=settings.DELETED_MOVES_DAYS)
    purged = 0
    while True:
        with transaction.atomic(durable=True):
            doomed = Attempt.objects.filter(player__deleted_at__lte=before).order_by("id")
            ids = list(doomed.select_for_update(of=("self",)).values_list("id", flat=True)[:batch])
            if not ids:
                return purged
            on_purge(ids)
            Move.objects.filter(attempt_id__in=ids).delete()
            CompactLog.objects.filter(attempt_id__in=ids).delete()
            Attempt.objects.filter(id__in=ids).delete()
            purged += len(ids)
