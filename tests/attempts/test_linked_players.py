"""Accounts near a player's: who used the same network or browser, what both have played, and who had the same deal before."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from django.db import connection
from pytest_django import Settings

from games.models import Attempt, AttemptClient, Credential, Deal, Player, SharedBrowser
from games.networks import NOWHERE, network_hash
from games.selectors import clients
from games.selectors.clients import BROWSER_CROWD, CROWD, LINKS_AT_MOST, LinkedPlayer, linked_players
from tests.attempts.hand import NOON
from tests.factories import bot, credential, guest, person

pytestmark = pytest.mark.django_db

HOME, SCHOOL, TRAIN = map(network_hash, ("198.51.100.7", "203.0.113.9", "192.0.2.1"))
HOUR, DAY = dt.timedelta(hours=1), dt.timedelta(days=1)


@pytest.fixture(autouse=True)
def no_crowds() -> None:
    clients._crowds.clear()


def deal(day: int) -> Deal:
    """The deal of a daily: any 52 cards do."""
    return Deal.objects.get_or_create(cards=bytes([*range(day, 52), *range(day)]))[0]


def played(
    player: Player, day: int, *, hour: float = 0, network: bytes = HOME, plies: int = 20, **values: Any
) -> Attempt:
    """An attempt at the daily of so many days after NOON, begun then and played for ten minutes, from that network."""
    at = NOON + day * DAY + hour * HOUR
    fields = {
        "code": "x",
        "ruleset": "E",
        "competition_key": f"daily-{day}",
        "undo_allowed": False,
        "ranked": True,
        "number": 1,
        "start_key": f"{day}",
        "engine_version": 1,
        "deal_version": 1,
        "ruleset_version": 1,
        "scoring_version": 1,
        "started_at": at,
        "last_move_at": at + HOUR / 6,
        "ply": plies,
        "score": 100,
        "outcome": "resigned",
        "finished_at": at + HOUR / 6,
        "closed_at": at + HOUR / 6,
    }
    attempt = Attempt.objects.create(player=player, deal=deal(day), **fields | values)
    used = Credential.objects.filter(player=player).first() or credential(player, now=NOON).credential
    AttemptClient.objects.create(
        attempt=attempt, player=player, credential=used, client="page_socket", network=network, first_ply=0, at=at
    )
    return attempt


def one_browser(player: Player, other: Player, day: float, *, first: float | None = None) -> None:
    """The two have used one browser, so many days after NOON, and before that since `first`."""
    SharedBrowser.objects.create(
        first=min(player, other, key=lambda each: each.pk),
        second=max(player, other, key=lambda each: each.pk),
        first_at=NOON + (day if first is None else first) * DAY,
        at=NOON + day * DAY,
    )


def links_of(attempt: Attempt) -> list[LinkedPlayer]:
    """As they were when it ended."""
    return linked_players(
        player_id=attempt.player_id, deal_id=attempt.deal_id, began=attempt.started_at, until=attempt.last_move_at
    )


def test_two_people_behind_one_network_are_linked_with_what_both_have_played() -> None:
    alice, bob, other = person("alice"), person("bob"), person("other")
    for day in range(4):
        played(bob, day, hour=day)  # before, before, after, after
        played(other, day, network=SCHOOL)
    theirs = Attempt.objects.get(player=bob, competition_key="daily-1")
    for day in (0, 1, 3, 5):
        mine = played(alice, day, hour=2)
        if day == 1:
            assert [(link.attempt_id, link.attempt_outcome) for link in links_of(mine)] == [(theirs.pk, "resigned")]
    [link] = links_of(mine)
    assert link == LinkedPlayer(
        player_id=bob.pk,
        kind="person",
        same_network=True,
        same_browser=False,
        same_owner=False,
        competitions_both=3,  # 0, 1 and 3
        competitions_after=2,  # not 3, which bob began an hour later
        attempt_id=None,
        attempt_outcome="",
    )


def test_what_comes_after_the_attempts_end_is_not_looked_at() -> None:
    alice, bob = person("alice"), person("bob")
    played(bob, 0)
    first = played(alice, 0, hour=1)
    before = links_of(first)
    for day in (1, 2):
        played(bob, day)
        played(alice, day, hour=1)
    played(person("later"), 3)
    assert links_of(first) == before
    assert len(before) == 1


def test_an_attempt_left_without_an_end_counts_from_its_last_move() -> None:
    """Whoever looks with a second account need not resign: the daily's deadline ends that attempt much later."""
    alice, second = person("alice"), guest()
    look = played(second, 0, outcome=None, finished_at=None, closed_at=None)
    mine = played(alice, 0, hour=1)
    [link] = links_of(mine)
    assert (link.kind, link.attempt_id, link.attempt_outcome, link.competitions_after) == ("guest", look.pk, "", 1)
    end = NOON + DAY
    Attempt.objects.filter(pk=look.pk).update(outcome="expired", finished_at=end, closed_at=end)
    [link] = links_of(mine)
    assert (link.attempt_id, link.attempt_outcome, link.competitions_after) == (look.pk, "expired", 1)


def test_of_several_attempts_at_one_deal_that_with_most_plies_is_told() -> None:
    alice, bob = person("alice"), person("bob")
    for number, plies in enumerate((5, 30, 12), start=1):
        played(bob, 0, plies=plies, number=number, start_key=f"k{number}", competition_key=None, hour=number)
    late = played(bob, 0, plies=40, number=4, start_key="k4", competition_key=None, hour=9)
    mine = played(alice, 0, hour=6, competition_key=None)
    [link] = links_of(mine)
    assert (link.attempt_id, link.competitions_both) == (Attempt.objects.get(ply=30).pk, 0)
    assert link.attempt_id != late.pk


def test_a_bot_and_its_owner_are_linked_as_such_from_wherever_they_play() -> None:
    alice = person("alice")
    robot, sister = bot("robot", owner=alice), bot("sister", owner=alice)
    bot("stranger")
    played(robot, 0, network=SCHOOL)
    mine = played(alice, 0, hour=1)

    def told(attempt: Attempt) -> dict[int, tuple[str, bool, bool]]:
        return {link.player_id: (link.kind, link.same_network, link.same_owner) for link in links_of(attempt)}

    assert told(mine) == {robot.pk: ("bot", False, True), sister.pk: ("bot", False, True)}
    assert told(played(robot, 1)) == {alice.pk: ("person", True, True), sister.pk: ("bot", False, True)}


def test_a_bot_that_has_seen_the_deal_is_told_before_a_full_house() -> None:
    alice = person("alice")
    pupils = [person() for _ in range(LINKS_AT_MOST)]
    for pupil in pupils:
        for day in (0, 1):
            played(pupil, day, network=SCHOOL)
    played(alice, 1, network=SCHOOL)
    robot = bot("robot", owner=alice)
    played(robot, 0, network=TRAIN)
    mine = played(alice, 0, hour=1, network=SCHOOL)
    assert robot.pk in {link.player_id for link in links_of(mine)}
    assert len(links_of(mine)) == LINKS_AT_MOST


def test_a_crowded_network_links_nobody_and_a_smaller_one_beside_it_still_does() -> None:
    alice, bob = person("alice"), person("bob")
    pupils = [person() for _ in range(CROWD - 1)]
    for pupil in pupils:
        played(pupil, 0, network=SCHOOL)
    played(bob, 0, network=TRAIN)
    played(alice, 0, hour=1, network=TRAIN)
    mine = played(alice, 1, network=SCHOOL)  # with her it is full, and not yet a crowd
    assert {link.player_id for link in links_of(mine)} <= {bob.pk, *(pupil.pk for pupil in pupils)}
    assert len(links_of(mine)) == LINKS_AT_MOST
    played(person("one more"), 0, network=SCHOOL)
    assert [link.player_id for link in links_of(mine)] == [bob.pk]
    assert [link.player_id for link in links_of(mine)] == [bob.pk]  # remembered


def test_no_network_links_nobody() -> None:
    alice, bob = person("alice"), person("bob")
    played(bob, 0, network=NOWHERE)
    assert links_of(played(alice, 0, hour=1, network=NOWHERE)) == []
    played(bob, 1)
    assert len(links_of(played(alice, 1, hour=1))) == 1  # control


def test_two_accounts_of_one_browser_are_linked_over_two_networks() -> None:
    alice, looker, stranger = person("alice"), guest(), guest()
    look = played(looker, 0, network=TRAIN)
    played(stranger, 0, network=SCHOOL)
    mine = played(alice, 0, hour=1)
    assert links_of(mine) == []
    one_browser(alice, looker, 0.03)
    [link] = links_of(mine)
    assert (link.player_id, link.same_browser, link.same_network, link.same_owner) == (looker.pk, True, False, False)
    assert (link.near, link.attempt_id, link.competitions_after) == (True, look.pk, 1)
    [back] = links_of(played(looker, 1, network=TRAIN))
    assert (back.player_id, back.same_browser) == (alice.pk, True)
    played(looker, 2)
    [both] = links_of(played(alice, 2, hour=1))
    assert (both.player_id, both.same_browser, both.same_network) == (looker.pk, True, True)


def test_a_browser_counts_from_the_first_time_it_is_known_for_as_long_as_evidence_is_kept(settings: Settings) -> None:
    settings.EVIDENCE_DAYS = 10
    alice, bob = person("alice"), person("bob")
    one_browser(bob, alice, 15, first=5)
    found = [len(links_of(played(alice, day))) for day in (4, 6, 16, 24, 26)]
    assert found == [0, 1, 1, 1, 0]


def test_a_computer_of_many_persons_links_nobody_and_guests_are_no_crowd() -> None:
    """Neither its teacher with all pupils nor each pupil with the teacher. But whoever looks as a new guest each day stays
    linked with every one of them.
    """
    alice, teacher, looker = person("alice"), person("teacher"), guest()
    one_browser(alice, looker, 0)
    for _ in range(BROWSER_CROWD + 1):
        one_browser(alice, guest(), 0)
    pupils = [person() for _ in range(BROWSER_CROWD - 1)]
    for pupil in (alice, *pupils):
        one_browser(teacher, pupil, 0)
    played(looker, 1, network=TRAIN)

    mine, theirs = played(alice, 1, hour=1), played(teacher, 1, network=SCHOOL)

    def near(attempt: Attempt) -> set[int]:
        return {link.player_id for link in links_of(attempt)}

    assert len(near(mine)) == BROWSER_CROWD + 3  # the guests and the teacher
    assert near(theirs) == {alice.pk, *(pupil.pk for pupil in pupils)}
    one_browser(teacher, person("one more"), 0)
    assert near(theirs) == set()
    assert len(near(mine)) == BROWSER_CROWD + 2
    assert (looker.pk in near(mine), teacher.pk in near(mine)) == (True, False)


def test_evidence_older_than_it_is_kept_counts_no_more_even_before_the_purge(settings: Settings) -> None:
    settings.EVIDENCE_DAYS = 10
    alice, bob = person("alice"), person("bob")
    played(bob, 0)
    assert links_of(played(alice, 11)) == []
    assert len(links_of(played(alice, 9))) == 1


def test_those_with_the_very_deal_come_first_and_then_those_with_most_in_common() -> None:
    alice = person("alice")
    others = [person() for _ in range(LINKS_AT_MOST + 5)]
    for number, other in enumerate(others):
        for day in range(number % 5 + 1):
            played(other, day)
    look = guest()
    played(look, 5)
    for day in range(5):
        played(alice, day, hour=1)
    links = links_of(played(alice, 5, hour=1))
    assert (len(links), links[0].player_id) == (LINKS_AT_MOST, look.pk)
    common = [link.competitions_both for link in links]
    assert common == [1, *sorted(common[1:], reverse=True)]
    assert (common[1], common[-1]) == (5, 2)


def test_each_look_goes_through_an_index() -> None:
    """With sequential scans forbidden only what has no index would still use one."""
    alice, bob = person("alice"), person("bob")
    played(bob, 0)
    mine = played(alice, 0, hour=1)
    values: dict[str, Any] = {
        "player": alice.pk,
        "network": HOME,
        "nowhere": NOWHERE,
        "deal": mine.deal_id,
        "began": NOON,
        "near": [bob.pk],
        "since": NOON - DAY,
        "until": NOON + DAY,
    }
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        plans = ""
        for statement in (clients._NETWORKS, clients._PLAYERS, clients._LINKED):
            cursor.execute("EXPLAIN " + statement, values)
            plans += "\n".join(line for (line,) in cursor.fetchall())
    assert "Seq Scan" not in plans
    for index in ("attempt_client_of_player", "attempt_client_of_network"):
        assert index in plans
