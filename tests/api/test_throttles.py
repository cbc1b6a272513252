"""Throttles: counted across processes in Redis, per process without it; 429 says which limit and how long to wait."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from pytest_django import Settings

from games import redis as redis_module
from games import throttles
from games.errors import TooMany
from games.throttles import throttle
from tests.calls import call, from_our_page
from tests.factories import PASSWORD, credential, guest, person, signed_in, token


def limits(settings: Settings, **scopes: tuple[int, int]) -> None:
    settings.THROTTLES = {**settings.THROTTLES, **scopes}


def passes(scope: str, *keys: str) -> bool:
    try:
        throttle(scope, *keys)
    except TooMany:
        return False
    return True


@pytest.fixture(params=["redis", "no redis"])
def with_and_without_redis(request: pytest.FixtureRequest, settings: Settings) -> str:
    if request.param == "no redis":
        settings.REDIS_URL = ""
    return str(request.param)


@pytest.mark.usefixtures("with_and_without_redis")
def test_exactly_the_limit_passes_at_once(settings: Settings) -> None:
    limits(settings, start=(5, 60))
    assert [passes("start", "a") for _ in range(7)] == [True] * 5 + [False] * 2
    assert passes("start", "b"), "another key has its own"
    assert passes("move", "a"), "another scope too"


@pytest.mark.usefixtures("with_and_without_redis")
def test_a_limit_beyond_all_measure_is_none_and_takes_redis_for_no_dead_one(settings: Settings) -> None:
    limits(settings, start=(10**9, 1))
    assert all(passes("start", "a") for _ in range(5))
    assert redis_module.redis_available() is bool(settings.REDIS_URL)


def later(settings: Settings, seconds: float) -> None:
    """So many seconds go by for the one bucket that there is. Not by sleeping: a slow machine sleeps longer."""
    if not settings.REDIS_URL:
        [name] = throttles._local
        throttles._local[name] -= int(seconds * 1_000_000)
        return
    client: Any = redis_module.redis()
    [key] = client.keys("throttle:*")
    client.set(key, int(client.get(key)) - int(seconds * 1_000_000), keepttl=True)


@pytest.mark.usefixtures("with_and_without_redis")
def test_the_time_to_wait_is_enough_and_not_much_too_long(settings: Settings) -> None:
    limits(settings, start=(4, 1200))
    assert [passes("start", "a") for _ in range(5)] == [True] * 4 + [False]
    later(settings, 200)
    with pytest.raises(TooMany) as caught:
        throttle("start", "a")
    assert caught.value.data["limit"] == "start"
    left = caught.value.data["retry_after"]
    assert 60 < left <= 100, "one comes back each five minutes, and two thirds of them are over"
    later(settings, left)
    assert passes("start", "a")
    assert not passes("start", "a")


@pytest.mark.parametrize(("wait", "told"), [(1, 1), (1_000_000, 1), (1_000_001, 2)])
def test_the_wait_is_told_in_whole_seconds_and_never_too_short(wait: int, told: int) -> None:
    with pytest.raises(TooMany) as caught:
        throttles._refuse("start", wait)
    assert caught.value.data == {"limit": "start", "retry_after": told}


@pytest.mark.usefixtures("with_and_without_redis")
def test_one_full_key_refuses_and_charges_no_other(settings: Settings) -> None:
    limits(settings, login=(2, 60))
    assert [passes("login", "address:1", "name:alice") for _ in range(2)] == [True, True]
    assert [passes("login", "address:2", "name:alice") for _ in range(5)] == [False] * 5
    assert [passes("login", "address:2") for _ in range(3)] == [True, True, False]


def test_threads_together_get_no_more_than_the_limit(settings: Settings) -> None:
    limits(settings, start=(20, 3600))
    barrier = threading.Barrier(8, timeout=60)

    def run(_: int) -> int:
        barrier.wait()
        return sum(passes("start", "a") for _ in range(10))

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(run, range(8))) == 20


def test_a_dead_redis_costs_one_short_wait_and_then_none(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    limits(settings, start=(3, 60))
    monkeypatch.setattr(redis_module, "_closed_until", 0.0)
    monkeypatch.setattr(redis_module, "PAUSE_SECONDS", 60.0)  # however long this machine takes for the five
    with socket.create_server(("127.0.0.1", 0)) as deaf:  # the kernel takes the connection, nobody answers
        settings.REDIS_URL = f"redis://127.0.0.1:{deaf.getsockname()[1]}/0"
        assert [passes("start", "a") for _ in range(5)] == [True] * 3 + [False] * 2
        deaf.setblocking(False)
        asked = 0
        with contextlib.suppress(BlockingIOError):
            while True:
                deaf.accept()[0].close()
                asked += 1
    assert asked == 2, "the first call, once more as the kept connection may have been closed, and then no other"
    assert redis_module.TIMEOUT_SECONDS <= 0.25


def test_a_redis_that_lost_its_scripts_is_no_trouble(settings: Settings) -> None:
    limits(settings, start=(2, 60))
    redis_module.redis().script_flush()
    assert [passes("start", "a") for _ in range(3)] == [True, True, False]


def test_the_local_table_forgets_full_buckets(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.REDIS_URL = ""
    limits(settings, start=(1000, 1))
    monkeypatch.setattr(throttles, "_LOCAL_KEYS", 100)
    for number in range(300):
        passes("start", f"k{number}")
        time.sleep(0.0002)
    assert len(throttles._local) < 250


# --- over REST -----------------------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_guests_are_throttled_by_address(settings: Settings) -> None:
    limits(settings, guest=(2, 3600))
    statuses = [call("POST", "/guests", {"credential": "token"}).status for _ in range(3)]
    assert statuses == [201, 201, 429]
    answer = call("POST", "/guests", {"credential": "token"})
    assert answer.code == "throttled"
    assert answer.data == {"limit": "guest", "retry_after": int(answer.response.headers["Retry-After"])}
    assert 1790 < answer.data["retry_after"] <= 1800
    assert from_our_page("POST", "/guests", {}).status == 429
    assert call("POST", "/guests", {"credential": "token"}, REMOTE_ADDR="192.0.2.7").status == 201


@pytest.mark.django_db
def test_asking_again_and_again_as_a_guest_is_throttled_too(settings: Settings) -> None:
    limits(settings, guest=(100, 60), read=(3, 60))
    cookie = credential(guest(), via="cookie").secret
    answers = [from_our_page("POST", "/guests", {}, cookie=cookie) for _ in range(4)]
    assert [answer.status for answer in answers] == [200, 200, 200, 429]
    assert answers[-1].data["limit"] == "read"


@pytest.mark.django_db
def test_logins_are_throttled_by_name_from_wherever_and_by_address_for_whichever_name(settings: Settings) -> None:
    limits(settings, login=(3, 3600), name=(3, 3600))
    person("alice", password=PASSWORD)

    def login(name: str, address: str) -> int:
        body = {"name": name, "password": "wrong wrong", "credential": "token"}
        return call("POST", "/login", body, REMOTE_ADDR=address).status

    assert [login(name, f"192.0.2.{index}") for index, name in enumerate(["alice", "ALICE", "a1ice", "Alice"])] == [
        403,
        403,
        403,
        429,
    ]
    assert [login(f"somebody {letter}", "192.0.2.99") for letter in "abcd"] == [403, 403, 403, 429]


@pytest.mark.django_db
def test_who_guesses_from_one_address_does_not_lock_the_owner_out() -> None:
    person("alice", password=PASSWORD)
    wrong = {"name": "alice", "password": "wrong wrong", "credential": "token"}
    statuses = [call("POST", "/login", wrong, REMOTE_ADDR="192.0.2.66").status for _ in range(30)]
    assert (statuses[:10], set(statuses[10:])) == ([403] * 10, {429})
    right = wrong | {"password": PASSWORD}
    assert call("POST", "/login", right, REMOTE_ADDR="192.0.2.1").status == 200


@pytest.mark.django_db
def test_recovery_shares_the_login_throttle(settings: Settings) -> None:
    limits(settings, login=(1, 3600))
    body = {"name": "alice", "recovery_code": "x", "new_password": "a much better one"}
    assert [call("POST", "/account/recover", body).status for _ in range(2)] == [403, 429]


@pytest.mark.django_db
def test_reading_is_throttled_by_credential_and_by_address(settings: Settings) -> None:
    limits(settings, read=(3, 60))
    alice = signed_in("alice")
    seen = [call("GET", "/account", who=alice, REMOTE_ADDR=f"192.0.2.{index}").status for index in range(4)]
    assert seen == [200, 200, 200, 429], "one credential from four addresses"
    seen = [call("GET", "/account", who=token(alice.player), REMOTE_ADDR="198.51.100.1").status for _ in range(4)]
    assert seen == [200, 200, 200, 429], "four credentials from one address"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("proxies", "header", "address"),
    [
        (0, "203.0.113.9", "192.0.2.1"),
        (1, "203.0.113.9", "203.0.113.9"),
        (1, "6.6.6.6, 203.0.113.9", "203.0.113.9"),
        (2, "6.6.6.6, 203.0.113.9, 10.0.0.1", "203.0.113.9"),
        (2, "203.0.113.9", "192.0.2.1"),
        (1, "garbage", "192.0.2.1"),
        (1, "", "192.0.2.1"),
        (1, "203.0.113.9:4711", "203.0.113.9"),
        (1, "[2001:db8:1:2:3::4]:4711", "2001:db8:1:2::/64"),
        (1, "2001:db8:1:2:ffff::9", "2001:db8:1:2::/64"),
        (1, "::ffff:203.0.113.9", "203.0.113.9"),
    ],
)
def test_only_our_own_proxies_are_believed_about_addresses(
    settings: Settings, proxies: int, header: str, address: str
) -> None:
    from games.api.auth import client_address

    settings.TRUSTED_PROXIES = proxies
    assert client_address({"REMOTE_ADDR": "192.0.2.1", "HTTP_X_FORWARDED_FOR": header}) == address


@pytest.mark.django_db
def test_names_are_not_tried_by_the_dictionary(settings: Settings) -> None:
    limits(settings, name=(3, 60))
    person("alice")
    found = [call("GET", f"/names?name={name}").status for name in ("alice", "bea", "a", "carl")]
    assert found == [409, 200, 400, 429]
    assert call("POST", "/login", {"name": "bea", "password": PASSWORD, "credential": "token"}).status != 429, "its own"
