"""Whence an attempt is played: written once for each combination, before its move, free for repeats, told to nobody."""

from __future__ import annotations

import base64
import datetime as dt
import logging
import threading
import time
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from django.db import DatabaseError, connection, transaction
from pytest_django import Settings

from games import clock
from games.ids import hash_secret
from games.models import Attempt, AttemptClient, Deal, Move
from games.networks import NOWHERE, network_hash
from games.selectors.clients import clients_of
from games.services import deleted_purge, evidence_purge, player_delete
from games.services.attempt_rows import Asked, attempt_read
from games.services.clients import Remembered, Source, client_record, source_of
from leaderboards.services import dailies_prepare
from tests.api.endpoints import endpoints
from tests.attempts.hand import Z_LINE, Hand, deck_code
from tests.calls import Answer, call, from_our_page
from tests.factories import SignedIn, credential, person, signed_in, token

pytestmark = pytest.mark.django_db(transaction=True)  # what a process remembers, it remembers from a commit on

CODE = "TP1-E-AAAAAAB"
HOME, CAFE = "198.51.100.7", "203.0.113.9"


@pytest.fixture
def alice() -> SignedIn:
    return signed_in("alice")


def start(who: SignedIn, code: str = CODE) -> str:
    answer = call("POST", "/attempts", {"key": "k", "code": code}, who=who, REMOTE_ADDR=HOME)
    assert answer.status in (200, 201)
    public_id: str = answer.json["attempt"]["id"]
    return public_id


def move(who: SignedIn, attempt: str, ply: int, address: str = HOME, text: str = "d") -> Answer:
    body = {"move": text, "expected_ply": ply, "move_id": f"m{ply}"}
    return call("POST", f"/attempts/{attempt}/moves", body, who=who, REMOTE_ADDR=address)


def kept() -> list[tuple[str, bytes, int]]:
    """Client kind, network and first ply of all rows, oldest first."""
    rows = AttemptClient.objects.order_by("id").values_list("client", "network", "first_ply")
    return [(client, bytes(network), ply) for client, network, ply in rows]


# --- what is written -----------------------------------------------------------------------------------------------


def test_a_start_writes_ply_0_and_moves_from_there_nothing_more(alice: SignedIn) -> None:
    attempt = start(alice)
    for ply in range(3):
        assert move(alice, attempt, ply).status == 200
    row = AttemptClient.objects.get()
    assert (row.attempt.public_id, row.player, row.credential) == (attempt, alice.player, alice.credential)
    assert kept() == [("program_rest", network_hash(HOME), 0)]


def test_another_network_credential_or_kind_of_client_adds_a_row_with_its_ply(alice: SignedIn) -> None:
    attempt = start(alice)
    move(alice, attempt, 0)
    move(alice, attempt, 1, CAFE)
    move(alice, attempt, 2, CAFE)
    program = token(alice.player)
    move(program, attempt, 3, CAFE)
    page = credential(alice.player, via="cookie")
    body = {"move": "d", "expected_ply": 4, "move_id": "m4"}
    assert from_our_page("POST", f"/attempts/{attempt}/moves", body, cookie=page.secret).status == 200
    move(alice, attempt, 5, HOME)
    rows = AttemptClient.objects.order_by("id").values_list("client", "credential", "first_ply")
    assert list(rows) == [
        ("program_rest", alice.credential.pk, 0),
        ("program_rest", alice.credential.pk, 2),
        ("program_rest", program.credential.pk, 4),
        ("page_rest", page.credential.pk, 5),
    ]
    assert [network for _, network, _ in kept()] == [network_hash(a) for a in (HOME, CAFE, CAFE, "127.0.0.1")]


@pytest.mark.usefixtures("begun_at_noon")
def test_the_start_of_a_daily_is_written_once_too(alice: SignedIn) -> None:
    dailies_prepare(now=clock.now())
    for _ in range(2):
        assert call("POST", "/daily/today/attempts", {"key": "k"}, who=alice, REMOTE_ADDR=HOME).status in (200, 201)
    assert kept() == [("program_rest", network_hash(HOME), 0)]


def test_the_move_that_ends_an_attempt_is_written_with_it(alice: SignedIn) -> None:
    attempt = start(alice, deck_code("Z", "R"))
    for ply, text in enumerate(Z_LINE):
        answer = move(alice, attempt, ply, CAFE if ply == 27 else HOME, text)
    assert answer.json["attempt"]["outcome"] == "won"
    assert kept() == [("program_rest", network_hash(HOME), 0), ("program_rest", network_hash(CAFE), 28)]


def test_a_foreign_attempt_and_a_refused_move_write_nothing(alice: SignedIn) -> None:
    mallory = signed_in("mallory")
    attempt = start(alice)
    before = kept()
    assert move(mallory, attempt, 0, CAFE).status == 404
    assert move(alice, attempt, 0, CAFE, "t0").code == "covered"
    assert move(alice, attempt, 7, CAFE).code == "stale_ply"
    assert kept() == before
    row = Attempt.objects.get()
    for other in (mallory.credential.pk, 2**40):
        client_record(
            attempt_id=row.pk, credential_id=other, source=Source("page_rest", NOWHERE), ply=1, now=clock.now()
        )
    assert kept() == before
    assert move(alice, attempt, 0, CAFE).status == 200  # control
    assert len(kept()) == 2


def test_nobody_is_kept_where_there_is_no_source(alice: SignedIn) -> None:
    """Services that are called without one, by commands and benchmarks."""
    hand = Hand.of(alice.player)
    hand.play_all(hand.start(CODE), "d d")
    assert kept() == []


# --- networks ------------------------------------------------------------------------------------------------------


def test_a_network_is_a_24_or_a_48_and_its_bytes_come_from_the_secret_key(settings: Settings) -> None:
    same = [
        ("198.51.100.1", "198.51.100.254"),
        ("2001:db8:1:2::/64", "2001:db8:1:ffff::1"),
        ("::ffff:198.51.100.1", "198.51.100.9"),
        ("fe80::1%eth0", "fe80::2"),
    ]
    other = [("198.51.100.1", "198.51.101.1"), ("2001:db8:1::1", "2001:db8:2::1"), ("198.51.100.1", "local")]
    assert all(network_hash(one) == network_hash(two) for one, two in same)
    assert all(network_hash(one) != network_hash(two) for one, two in other)
    assert {network_hash(text) for text in ("", "local", "testserver", "1.2.3")} == {NOWHERE}
    before = network_hash(HOME)
    settings.SECRET_KEY = "another key"
    assert network_hash(HOME) != before
    assert len(before) == 16


def test_the_client_kind_is_the_credentials_way_and_the_transport() -> None:
    kinds = {source_of(via, way, HOME).client for via in ("cookie", "bearer") for way in ("rest", "socket")}
    assert kinds == set(AttemptClient.Client.values)


# --- the price -----------------------------------------------------------------------------------------------------


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every statement that this process sends, Django's and our own; they run as ever."""
    sent: list[str] = []
    execute = psycopg.Cursor.execute

    def noted(cursor: Any, query: Any, *rest: Any, **options: Any) -> Any:
        sent.append(str(query))
        return execute(cursor, query, *rest, **options)

    monkeypatch.setattr(psycopg.Cursor, "execute", noted)
    return sent


def test_a_move_from_where_the_last_one_came_costs_its_two_statements(alice: SignedIn, statements: list[str]) -> None:
    attempt = start(alice)
    costs = []
    for ply, address in enumerate([HOME, HOME, CAFE, CAFE, HOME, "198.51.100.200"]):
        statements.clear()
        assert move(alice, attempt, ply, address).status == 200
        costs.append(len(statements))
    assert costs == [2, 2, 3, 2, 2, 2]


def test_a_process_that_remembers_nothing_writes_in_vain(alice: SignedIn) -> None:
    attempt = Attempt.objects.get(public_id=start(alice))
    source = source_of("bearer", "rest", HOME)
    for ply in (3, 4):
        with transaction.atomic():  # one whose end this process has not seen
            client_record(
                attempt_id=attempt.pk, credential_id=alice.credential.pk, source=source, ply=ply, now=clock.now()
            )
    assert kept() == [("program_rest", network_hash(HOME), 0)]


def test_what_was_rolled_back_is_not_remembered(alice: SignedIn) -> None:
    attempt = Attempt.objects.get(public_id=start(alice))
    source = source_of("bearer", "rest", CAFE)

    def record() -> None:
        client_record(attempt_id=attempt.pk, credential_id=alice.credential.pk, source=source, ply=1, now=clock.now())

    with transaction.atomic():
        record()
        transaction.set_rollback(True)
    assert len(kept()) == 1
    record()
    assert len(kept()) == 2


def test_what_is_remembered_is_bounded_and_the_longest_unused_goes_first() -> None:
    remembered = Remembered(2)
    one, two, three = [(number, 1, "page_rest", NOWHERE) for number in range(3)]
    remembered.add(one)
    remembered.add(two)
    assert remembered.has(one)
    remembered.add(three)
    assert (len(remembered), remembered.has(one), remembered.has(two), remembered.has(three)) == (2, True, False, True)


# --- kills and races -----------------------------------------------------------------------------------------------


def test_a_fault_between_the_two_loses_the_move_and_not_its_evidence(alice: SignedIn) -> None:
    attempt = start(alice)
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE FUNCTION fault() RETURNS trigger AS $$ BEGIN RAISE EXCEPTION 'fault'; END $$ LANGUAGE plpgsql;"
            "CREATE TRIGGER fault BEFORE INSERT ON games_move FOR EACH ROW EXECUTE FUNCTION fault()"
        )
        try:
            assert move(alice, attempt, 0, CAFE).status == 500
        finally:
            cursor.execute("DROP FUNCTION fault CASCADE")
    assert (Move.objects.count(), kept()[1:]) == (0, [("program_rest", network_hash(CAFE), 1)])
    assert move(alice, attempt, 0, CAFE).status == 200
    assert (Move.objects.count(), len(kept())) == (1, 2)


def test_two_that_write_the_same_while_one_holds_the_attempt_do_not_wait_for_each_other(alice: SignedIn) -> None:
    """The order of locks: without the share lock in the INSERT this is a deadlock."""
    attempt = Attempt.objects.get(public_id=start(alice))
    failed: list[BaseException] = []

    def record() -> None:
        source = source_of("bearer", "rest", CAFE)
        client_record(attempt_id=attempt.pk, credential_id=alice.credential.pk, source=source, ply=1, now=clock.now())

    def other() -> None:
        try:
            record()
        except DatabaseError as problem:
            failed.append(problem)
        finally:
            connection.close()

    thread = threading.Thread(target=other)
    with transaction.atomic():
        Attempt.objects.select_for_update().get(pk=attempt.pk)
        thread.start()
        _until(lambda: _waiting() == 1)
        record()
    thread.join(30)
    assert (failed, len(kept())) == ([], 2)


def _waiting() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_clear_snapshot()")  # else a transaction keeps seeing the first answer
        cursor.execute(  # of this database: other processes of the run have theirs in the same PostgreSQL
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
        return int(cursor.fetchone()[0])


def _until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


# --- told to nobody ------------------------------------------------------------------------------------------------


def traces(text: str) -> list[str]:
    """What a text gives away of HOME: the address, its network, or what is kept of it."""
    network = network_hash(HOME)
    forms = {
        "address": HOME,
        "prefix": "198.51.100",
        "hex": network.hex(),
        "label": f"network {network[:2].hex()}",
        "bytes": repr(network)[2:-1],
        "text": str(network.decode("latin-1")),
        "base64": base64.b64encode(network).decode().rstrip("="),
    }
    return [name for name, form in forms.items() if form in text]


def test_no_answer_log_line_or_repr_tells_whence(alice: SignedIn, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    attempt = start(alice)
    said = [str(move(alice, attempt, ply).json) for ply in range(24)]
    call("POST", f"/attempts/{attempt}/resign", {}, who=alice, REMOTE_ADDR=HOME)
    for endpoint in endpoints():
        if "GET" in endpoint.methods and "export" not in endpoint.pattern:  # one's own data is one's own
            path = endpoint.path.replace("0123456789abcdef", attempt)
            for who in (alice, None):
                said.append(call("GET", path, who=who).response.content.decode("latin-1"))
    row = AttemptClient.objects.get()
    source = source_of("bearer", "rest", HOME)
    asked = Asked(attempt, hash_secret(alice.secret), "bearer", "m", clock.now(), source)
    read = attempt_read(asked, lock=False)
    said += [repr(thing) for thing in (source, asked, read, row, AttemptClient.objects.all(), Remembered(1))]
    said += [str(row), caplog.text]
    assert [found for text in said if (found := traces(text))] == []


def test_control_each_form_of_it_would_be_found() -> None:
    network = network_hash(HOME)
    for form in (HOME, "198.51.100.0/24", network.hex(), repr(network), base64.b64encode(network).decode()):
        assert traces(f"from {form}.") != []
    assert traces(str(Source.__dict__) + repr({"network": network})) != []
    assert traces("network of somebody else: 203.0.113.9") == []


def test_moderators_get_a_short_label_and_no_more(alice: SignedIn) -> None:
    attempt = start(alice)
    move(alice, attempt, 0)
    move(alice, attempt, 1, "")
    row = Attempt.objects.get()
    [home, nowhere] = clients_of([row.pk])[row.pk]
    assert (home.client, home.credential, home.first_ply) == ("program_rest", alice.credential.public_id, 0)
    assert home.network == f"network {network_hash(HOME).hex()[:4]}"
    assert (nowhere.network, nowhere.first_ply) == ("no network", 2)
    assert clients_of([row.pk + 1]) == {}


# --- retention -----------------------------------------------------------------------------------------------------


def test_evidence_goes_by_age_in_batches_and_the_purge_may_be_repeated(alice: SignedIn, settings: Settings) -> None:
    settings.EVIDENCE_DAYS = 10
    now = clock.now()
    attempt = Attempt.objects.get(public_id=start(alice))
    AttemptClient.objects.all().delete()
    for number in range(25):
        AttemptClient.objects.create(
            attempt=attempt,
            player=alice.player,
            credential=alice.credential,
            client="page_rest",
            network=bytes([number]) * 16,
            first_ply=0,
            at=now - dt.timedelta(days=number),
        )
    assert evidence_purge(now=now, batch=4) == 14  # 11 to 24 days old
    assert evidence_purge(now=now, batch=4) == 0
    assert AttemptClient.objects.count() == 11
    assert Attempt.objects.count() == 1


def test_what_a_deleted_account_leaves_goes_with_its_attempts(alice: SignedIn, settings: Settings) -> None:
    settings.DELETED_MOVES_DAYS = 30
    start(alice)
    bob = person("bob")
    start(credential(bob))
    now = clock.now()
    player_delete(player_id=alice.player.pk, now=now)
    assert (deleted_purge(now=now), AttemptClient.objects.count()) == (0, 2)
    assert deleted_purge(now=now + dt.timedelta(days=31)) == 1
    assert AttemptClient.objects.get().player == bob
    assert Deal.objects.count() == 1
