"""A decision reaches open standings sockets within five seconds, as any other change does, and ends what it must (C15)."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from games import clock
from games.models import Player
from leaderboards.moderation import actions
from leaderboards.moderation.models import ModeratorAction
from leaderboards.selectors import standings_snapshot
from tests.factories import credential
from tests.leaderboards.cast import RUNS, bot, finish, person
from tests.moderation.season import WHY
from tests.processes import ServerProcess
from tests.realtime.sockets import Link, Spectator, play_link
from tests.staff import staff

SECONDS = 5.0


def agrees(spectator: Spectator) -> bool:
    """Whether the spectator's copy equals the database in time."""
    topic = spectator.topic
    now = standings_snapshot(topic["board"], topic["kind"], topic["view"])
    started = time.monotonic()
    spectator.until(now["version"], SECONDS)
    mine = spectator.standings
    assert time.monotonic() - started < SECONDS
    return (mine.version, mine.entries, mine.counts, mine.rows) == (
        now["version"],
        now["entries"],
        now["counts"],
        now["rows"],
    )


def test_C15_every_decision_reaches_an_open_socket_and_is_taken_back_there(committed: ServerProcess) -> None:
    head, alice, bob, double = staff("hilda", role="head"), person("alice"), person("bob"), person("bobby")
    best = finish(alice, 320)
    finish(alice, 290)
    finish(bob, 300)
    finish(double, 310)
    by: dict[str, Any] = {"moderator_id": head.pk, "now": clock.now(), **WHY}
    merged: dict[str, Any] = {"main_id": bob.public_id, "second_id": double.public_id}
    acts: list[tuple[Callable[[], ModeratorAction], list[tuple[str, int]]]] = [
        (
            lambda: actions.attempt_hold(attempt_id=best.public_id, **by),
            [("bobby", 310), ("bob", 300), ("alice", 290)],
        ),
        (
            lambda: actions.attempt_disqualify(attempt_id=best.public_id, **by),
            [("bobby", 310), ("bob", 300), ("alice", 290)],
        ),
        (lambda: actions.player_hide(player_id=alice.public_id, **by), [("bobby", 310), ("bob", 300)]),
        (lambda: actions.accounts_merge(**merged, **by), [("alice", 320), ("bob", 310)]),
    ]
    with Spectator(committed, RUNS) as people, Spectator(committed, RUNS, view="first") as first:
        before = people.standings.rows
        for act, expected in acts:
            done = act()
            assert agrees(people)
            assert agrees(first)
            assert [(row["player"]["name"], row["score"]) for row in people.standings.rows] == expected
            actions.action_revert(action_id=done.public_id, moderator_id=head.pk, reason="x", words="", now=clock.now())
            assert agrees(people)
            assert agrees(first)
            assert people.standings.rows == before, "as it was, date and all"
        assert people.resyncs == first.resyncs == 0


def test_a_ban_closes_the_players_and_the_bots_sockets_and_leaves_the_results(committed: ServerProcess) -> None:
    head, alice = staff("hilda", role="head"), person("alice")
    machine = bot("machine", alice)
    finish(alice, 300)

    def link_of(player: Player) -> Link:
        return play_link(committed, credential(player).secret)

    links = [link_of(player) for player in (alice, machine)]
    other = link_of(person("bob"))
    with Spectator(committed, RUNS) as spectator:
        actions.player_ban(player_id=alice.public_id, until=None, moderator_id=head.pk, now=clock.now(), **WHY)
        started = time.monotonic()
        assert len({link.closed(SECONDS) for link in links}) == 1
        assert time.monotonic() - started < SECONDS
        assert other.ask(type="ping")["type"] == "pong"
        assert spectator.link.silent(0.5), "no board has changed"
    other.connection.close()


def test_control_a_decision_written_by_hand_reaches_nobody(committed: ServerProcess) -> None:
    from leaderboards.moderation.models import Exclusion

    attempt = finish(person("alice"), 300)
    with Spectator(committed, RUNS) as spectator:
        Exclusion.objects.create(attempt=attempt, kind="disqualified", since=clock.now())
        assert spectator.link.silent(1.5)
        assert [row["score"] for row in spectator.standings.rows] == [300]
