"""The same code in two browsers at the very same time, in real threads with connections of their own."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.contrib.auth.models import Group
from django.db import connection
from django_otp.plugins.otp_static.models import StaticDevice
from django_otp.plugins.otp_totp.models import TOTPDevice

from games.errors import GameError
from games.services.second_factor import (
    backup_codes_renew,
    second_factor_enrol,
    second_factor_new,
    second_factor_verify,
)
from leaderboards.moderation.roles import ROLES
from tests.staff import enrolled, fresh_code, present_code, staff

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(acts: list[Callable[[], object]]) -> Counter[str]:
    """Run the acts in as many threads, released together; how many went well, and the codes of refusals."""
    barrier = threading.Barrier(len(acts), timeout=60)

    def run(act: Callable[[], object]) -> str:
        barrier.wait()
        try:
            act()
        except GameError as refusal:
            return refusal.code
        finally:
            connection.close()
        return "done"

    with ThreadPoolExecutor(len(acts)) as pool:
        return Counter(pool.map(run, acts))


@pytest.mark.parametrize("backup", [False, True])
def test_a_code_sent_twice_at_once_opens_one_browser(backup: bool) -> None:
    device = enrolled(staff())
    for _ in range(3):
        TOTPDevice.objects.update(last_t=-1, throttling_failure_count=0)
        StaticDevice.objects.all().delete()
        code = backup_codes_renew(player_id=device.user_id)[0] if backup else fresh_code(device)
        answers = at_once([lambda code=code: second_factor_verify(player_id=device.user_id, code=code)] * 3)  # type: ignore[misc]
        assert answers["done"] == 1
        assert answers["wrong_code"] >= 1


def test_two_phones_set_up_at_once_are_one() -> None:
    player = staff()

    def enrol() -> object:
        phone = second_factor_new(player=player)
        return second_factor_enrol(player_id=player.pk, key=phone.key, code=present_code(phone))

    assert at_once([enrol] * 3) == {"done": 1, "has_second_factor": 2}
    assert TOTPDevice.objects.count() == 1


def test_the_groups_are_there_after_the_tests_before_have_emptied_the_database() -> None:
    """What empties it ends like a migrate, which keeps them."""
    assert set(Group.objects.values_list("name", flat=True)) == set(ROLES)
