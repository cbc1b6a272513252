"""Signing in and out, passwords, one-time recovery codes. Hashing is slow on purpose, so never under a lock."""

from __future__ import annotations

import datetime as dt

from django.contrib.auth.hashers import check_password, make_password
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import transaction

from games.errors import BadInput, Forbidden
from games.ids import hash_secret, new_public_id
from games.models import Credential, Player, RecoveryCode
from games.names import name_key
from games.retry import repeat_once

from .browsers import browser_record
from .credentials import credentials_revoke, session_create

RECOVERY_CODES = 10
_READ_AS = str.maketrans({"i": "1", "l": "1", "o": "0", "-": None, " ": None})


def password_validate(password: str) -> None:
    """Raises BadInput `password_weak` with the reasons (settings.AUTH_PASSWORD_VALIDATORS)."""
    try:
        validate_password(password)
    except ValidationError as problem:
        raise BadInput("password_weak", " ".join(problem.messages), field="password") from None


def _person(name: str) -> Player | None:
    key = name_key(name)
    return Player.objects.filter(name_key=key, kind=Player.Kind.PERSON, deleted_at=None).first() if key else None


def _password_right(player: Player | None, password: str) -> bool:
    """Whether it fits; the same work when there is no such player."""
    if player is None or not player.has_usable_password():
        make_password(password)
        return False
    return check_password(password, player.password)


def _locked(player: Player) -> Player:
    """The row again, locked, its password still the one that was checked; Forbidden `wrong_password` otherwise."""
    again = Player.objects.select_for_update(no_key=True).filter(pk=player.pk, deleted_at=None).first()
    if again is None or again.password != player.password:
        raise Forbidden("wrong_password", "The password is wrong.")
    return again


def is_banned(player: Player, now: dt.datetime) -> bool:
    """Whether a ban of the player's own lasts."""
    return player.banned_at is not None and (player.banned_until is None or player.banned_until > now)


def _refuse_banned(player: Player, now: dt.datetime) -> None:
    if is_banned(player, now):
        until = player.banned_until.isoformat() if player.banned_until else None
        raise Forbidden("banned", "This account is banned.", until=until)


@repeat_once
def account_login(
    *, name: str, password: str, via: str, now: dt.datetime, banned_too: bool = False, browser: bytes | None = None
) -> tuple[Player, Credential, str]:
    """A new session of a person; returns the credential and its secret. Never merges a guest (R8.6).

    Locks the player row after the password was checked. Raises Forbidden `wrong_login` (unknown names alike, with the
    same work) or `banned` (only to who knows the password). `banned_too`: a banned person gets a session, too, good
    for what a ban leaves (`credential_find_banned`) and for nothing else while it lasts. `browser`: see `browser_record`.
    """
    player = _person(name)
    if not _password_right(player, password):
        raise Forbidden("wrong_login", "Name or password is wrong.")
    assert player is not None
    with transaction.atomic(durable=True):
        player = _locked(player)
        if not banned_too:
            _refuse_banned(player, now)
        player.last_login = now
        player.save(update_fields=["last_login"])
        credential, secret = session_create(player=player, via=via, now=now)
        browser_record(player_id=player.pk, browser=browser, now=now)
    return player, credential, secret


def account_logout(*, player_id: int, credential_id: int, now: dt.datetime) -> None:
    """End the session that asks. Safe to repeat."""
    credentials_revoke(player_id=player_id, ids=[credential_id], now=now)


def password_confirm(*, player_id: int, password: str | None) -> None:
    """Raises Forbidden `wrong_password` unless it is the account's; an account without one (a guest) needs none."""
    player = Player.objects.filter(pk=player_id, deleted_at=None).first()
    if player is not None and not player.has_usable_password():
        return
    if not _password_right(player, password or ""):
        raise Forbidden("wrong_password", "The password is wrong.")


@repeat_once
def password_change(
    *, player_id: int, old: str, new: str, now: dt.datetime, keep_credential_id: int | None = None
) -> Player:
    """Set a new password. All sessions and tokens end, the bots' too, but for the one that asked.

    Locks the player row after the old password was checked. After a lost answer the same call succeeds again (the new
    password is then the account's). Raises Forbidden `wrong_password`, BadInput `password_weak`.
    """
    password_validate(new)
    player = Player.objects.filter(pk=player_id, deleted_at=None).first()
    if not _password_right(player, old) and not _password_right(player, new):
        raise Forbidden("wrong_password", "The password is wrong.")
    assert player is not None
    encoded = make_password(new)
    with transaction.atomic(durable=True):
        player = _locked(player)
        player.password = encoded
        player.save(update_fields=["password"])
        credentials_revoke(player_id=player.pk, except_id=keep_credential_id, bots=True, now=now)
    return player


# --- recovery codes ------------------------------------------------------------------------------------------------


def code_hash(code: str) -> bytes:
    """Read forgivingly: any case, spaces and dashes, i l o as the digits they look like."""
    return hash_secret(code.casefold().translate(_READ_AS))


def recovery_codes_make(player: Player) -> list[str]:
    """Ten new codes, 80 random bits each, like `k3f9-…`; earlier ones are void. Assumes the player row's lock."""
    codes = [new_public_id() for _ in range(RECOVERY_CODES)]
    RecoveryCode.objects.filter(player=player).delete()
    RecoveryCode.objects.bulk_create(RecoveryCode(player=player, code_hash=code_hash(code)) for code in codes)
    return [code_shown(code) for code in codes]


def code_shown(code: str) -> str:
    """In groups of four."""
    return "-".join(code[start : start + 4] for start in range(0, len(code), 4))


def recovery_codes_left(*, player_id: int) -> int:
    """How many of a person's codes have not been used."""
    return RecoveryCode.objects.filter(player_id=player_id, used_at=None).count()


@repeat_once
def recovery_codes_renew(*, player_id: int, password: str) -> list[str]:
    """New codes instead of all earlier ones. Locks the player row. Raises Forbidden (wrong_password, persons_only)."""
    player = Player.objects.filter(pk=player_id, deleted_at=None).first()
    if player is not None and player.kind != Player.Kind.PERSON:
        raise Forbidden("persons_only", "Only accounts with a name and a password have recovery codes.")
    if not _password_right(player, password):
        raise Forbidden("wrong_password", "The password is wrong.")
    assert player is not None
    with transaction.atomic(durable=True):
        return recovery_codes_make(_locked(player))


@repeat_once
def password_recover(*, name: str, recovery_code: str, new_password: str, now: dt.datetime) -> tuple[Player, int]:
    """Set a new password by a one-time code; every session and token ends, the bots' too. Returns the codes left.

    Locks the player row, then takes the code. After a lost answer the same call succeeds again. Raises Forbidden
    `wrong_recovery` (unknown name, unknown or used code alike), BadInput `password_weak`.
    """
    password_validate(new_password)
    encoded = make_password(new_password)
    wrong = Forbidden("wrong_recovery", "Name or code is wrong, or the code was used.")
    found = _person(name)
    if found is None:
        raise wrong
    code = RecoveryCode.objects.filter(player=found, code_hash=code_hash(recovery_code)).first()
    if code is None:
        raise wrong
    repeat = code.used_at is not None and check_password(new_password, found.password)
    with transaction.atomic(durable=True):
        player = Player.objects.select_for_update(no_key=True).filter(pk=found.pk, deleted_at=None).first()
        if player is None:
            raise wrong
        if repeat:
            if player.password != found.password:
                raise wrong
        else:
            if not RecoveryCode.objects.filter(pk=code.pk, used_at=None).update(used_at=now):
                raise wrong
            player.password = encoded
            player.save(update_fields=["password"])
            credentials_revoke(player_id=player.pk, bots=True, now=now)
        return player, RecoveryCode.objects.filter(player=player, used_at=None).count()
