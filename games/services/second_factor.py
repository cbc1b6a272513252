"""The second factor of moderators: codes of a phone, and backup codes for when it is lost.

The devices are django-otp's. They refuse a code that was used, and after each wrong one they take none for twice as
long as before. They go by the machine's own clock, as the phone does: what steps ours (CLOCK_OFFSET_FILE) leaves codes
alone. Backup codes are kept as hashes; a phone's key cannot be.
"""

from __future__ import annotations

import math

from django.db import transaction
from django.utils import timezone
from django_otp.plugins.otp_static.models import StaticDevice, StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice

from games.errors import Conflict, Forbidden, NotFound, TooMany
from games.ids import new_public_id
from games.models import Player

from .passwords import code_hash, code_shown
from .staff import staff_sessions_end

BACKUP_CODES = 8
_WRONG = "This code is not right, or it was used already. Wait for the next one."


def second_factor_has(*, player_id: int) -> bool:
    """Whether the account has set up its second factor."""
    return bool(TOTPDevice.objects.filter(user_id=player_id, confirmed=True).exists())


def second_factor_new(*, player: Player, key: str = "") -> TOTPDevice:
    """A device that is in no row yet, for its address and secret; `key`: the one that was shown before."""
    made = TOTPDevice(user=player, name="phone")
    if key:
        made.key = key
    return made


def second_factor_enrol(*, player_id: int, key: str, code: str) -> tuple[TOTPDevice, list[str]]:
    """Keep a phone's key once the phone has shown a right code of it, and the backup codes, which are nowhere else.

    Locks the player row. Raises NotFound, Conflict `has_second_factor`, Forbidden `wrong_code`.
    """
    with transaction.atomic(durable=True):
        player = _locked(player_id)
        if second_factor_has(player_id=player_id):
            raise Conflict("has_second_factor", "This account has a second factor already.")
        device = second_factor_new(player=player, key=key)
        device.save()
        if not device.verify_token(_plain(code)):
            raise Forbidden("wrong_code", _WRONG)
        return device, _backup_codes_make(player)


def second_factor_verify(*, player_id: int, code: str) -> TOTPDevice | StaticDevice:
    """The device that has accepted the code, which it never does again.

    Locks the device. Raises Forbidden `wrong_code`, TooMany with the seconds until the next code is looked at.
    """
    plain = _plain(code)
    model = StaticDevice if len(plain) == 16 else TOTPDevice
    if model is StaticDevice:
        plain = _hashed(plain)
    with transaction.atomic(durable=True):
        device = model.objects.select_for_update().filter(user_id=player_id, confirmed=True).first()
        if device is None:
            raise Forbidden("wrong_code", _WRONG)
        allowed, why = device.verify_is_allowed()
        right = allowed and device.verify_token(plain)
    if not allowed:
        raise TooMany("code", max(1, math.ceil((why["locked_until"] - timezone.now()).total_seconds())))
    if not right:  # not inside the transaction: that wrong codes were given is kept
        raise Forbidden("wrong_code", _WRONG)
    return device


def backup_codes_left(*, player_id: int) -> int:
    """How many backup codes have not been used."""
    return int(StaticToken.objects.filter(device__user_id=player_id).count())


def backup_codes_renew(*, player_id: int) -> list[str]:
    """New backup codes instead of all earlier ones. Locks the player row. Raises NotFound without a second factor."""
    with transaction.atomic(durable=True):
        player = _locked(player_id)
        if not second_factor_has(player_id=player_id):
            raise NotFound
        return _backup_codes_make(player)


def second_factor_reset(*, player_id: int) -> bool:
    """Forget an account's phone and backup codes: it sets up new ones when it signs in next. Whether there were any.

    Its sessions of the admin end. Locks the player row; safe to repeat. Raises NotFound.
    """
    with transaction.atomic(durable=True):
        _locked(player_id)
        return second_factor_forget(player_id=player_id)


def second_factor_forget(*, player_id: int) -> bool:
    """The same in the caller's transaction, under the lock of the player row."""
    gone = [model.objects.filter(user_id=player_id).delete()[0] for model in (TOTPDevice, StaticDevice)]
    staff_sessions_end(player_id=player_id)
    return any(gone)


def _locked(player_id: int) -> Player:
    player = Player.objects.select_for_update(no_key=True).filter(pk=player_id, deleted_at=None).first()
    if player is None:
        raise NotFound
    return player


def _plain(code: str) -> str:
    return "".join(code.split()).replace("-", "")


def _hashed(code: str) -> str:
    """64 bits of the hash, all that the column holds, of the 80 random bits of a code."""
    return code_hash(code).hex()[:16]


def _backup_codes_make(player: Player) -> list[str]:
    codes = [new_public_id() for _ in range(BACKUP_CODES)]
    StaticDevice.objects.filter(user=player).delete()
    device = StaticDevice.objects.create(user=player, name="backup codes")
    StaticToken.objects.bulk_create(StaticToken(device=device, token=_hashed(code)) for code in codes)
    return [code_shown(code) for code in codes]
