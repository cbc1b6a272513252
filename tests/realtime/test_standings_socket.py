"""The standings socket: snapshot + events = fresh snapshot, whatever happens; one message a burst; gaps are mended."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from games import clock
from games.events import announcer
from games.models import Attempt, Player
from leaderboards.events import BoardChanged
from leaderboards.models import Board, Entry
from leaderboards.selectors import standings_snapshot
from leaderboards.services import account_delete
from tests.attempts.hand import Z_LINE, Hand, deck_code
from tests.leaderboards.cast import RUNS, bot, exclude, finish, guest, include, person
from tests.processes import ServerProcess
from tests.realtime.sockets import Spectator, open_link, play_link


def truth(board: str = RUNS, kind: str = "people", view: str = "best") -> dict[str, Any]:
    return standings_snapshot(board, kind, view)


def agrees(spectator: Spectator) -> bool:
    """Whether the spectator's copy equals the database once it has the database's version."""
    now = truth(**spectator.topic)
    spectator.until(now["version"])
    mine = spectator.standings
    return (mine.version, mine.entries, mine.counts, mine.rows) == (
        now["version"],
        now["entries"],
        now["counts"],
        now["rows"],
    )


def standing(player: Player) -> Attempt:
    """The attempt that stands for a player, or did."""
    return Entry.objects.get(board__scope=RUNS, board__view="best", player=player).attempt


def changes() -> list[tuple[str, Callable[[], object]]]:
    """Every kind of event, in an order in which each can happen."""
    alice, bob, carol, dave, eve = (person(name) for name in ("alice", "bob", "carol", "dave", "eve"))
    hers: list[Any] = []
    return [
        ("first entry", lambda: hers.append(finish(alice, 300))),
        ("new entry below", lambda: finish(bob, 280)),
        ("new entry above", lambda: finish(carol, 310)),
        ("tie", lambda: finish(dave, 300)),
        ("improvement past others", lambda: finish(bob, 320)),
        ("improvement of one attempt", lambda: finish(alice, 315, attempt=hers[0])),
        ("worse result", lambda: finish(carol, 100)),
        ("equal result", lambda: finish(carol, 310)),
        ("one entry taken off", lambda: exclude(standing(dave))),
        ("and put back", lambda: include(standing(dave))),
        ("the leader's account deleted", lambda: account_delete(player_id=bob.pk, now=clock.now())),
        ("entry after a removal", lambda: finish(eve, 5)),
        ("the last account deleted", lambda: account_delete(player_id=eve.pk, now=clock.now())),
    ]


def test_snapshot_and_events_equal_a_fresh_snapshot_for_every_kind_of_event(committed: ServerProcess) -> None:
    with Spectator(committed, RUNS) as early, Spectator(committed, RUNS, view="first") as first:
        for name, change in changes():
            change()
            with Spectator(committed, RUNS) as late:
                assert (name, agrees(late)) == (name, True)
            assert (name, agrees(early)) == (name, True)
            assert (name, agrees(first)) == (name, True)
        assert early.resyncs == first.resyncs == 0
        assert [row["rank"] for row in early.standings.rows] == [1, 2, 3]


def test_the_comparison_itself_notices_a_lost_event(committed: ServerProcess) -> None:
    """The control: a copy that has missed one event does not agree, and knows it from `previous`."""
    with Spectator(committed, RUNS) as spectator:
        finish(person("alice"), 300)
        spectator.link.hear("event")  # thrown away
        finish(person("bob"), 310)
        event = spectator.link.hear("event")
        assert event["previous"] == 1
        assert not spectator.standings.apply(event)
        assert spectator.standings.rows != truth()["rows"]
        spectator.take(event)
        assert spectator.resyncs == 1
        assert agrees(spectator)


def test_two_processes_show_the_same_and_a_row_finished_in_one_appears_in_the_other(committed: ServerProcess) -> None:
    alice = Hand.of(person("alice"))
    code = deck_code("Z", "R")
    attempt = alice.start(code).public_id
    with (
        committed.another() as second,
        play_link(committed, alice.secret) as playing,
        Spectator(committed, code) as here,
        Spectator(second, code) as there,
    ):
        for ply, move in enumerate(Z_LINE):
            playing.move(attempt, move, ply)
        assert [playing.hear("ack", "error")["ply"] for _ in Z_LINE] == list(range(1, 29))
        for spectator in (here, there):
            spectator.until(1)
            assert [(row["player"]["name"], row["score"]) for row in spectator.standings.rows] == [("alice", 466)]
            assert spectator.resyncs == 0


def test_C17_a_won_game_sent_five_times_is_one_row_and_one_event(committed: ServerProcess) -> None:
    alice = Hand.of(person("alice"))
    code = deck_code("Z", "R")
    attempt = alice.start(code)
    alice.play_all(attempt, Z_LINE[:-1])
    links = [play_link(committed, alice.secret) for _ in range(5)]
    with Spectator(committed, code) as spectator:

        def win(number: int) -> Any:
            links[number].move(attempt.public_id, Z_LINE[-1], 27, "last")
            return links[number].hear("ack", "error")

        with ThreadPoolExecutor(5) as pool:
            answers = list(pool.map(win, range(5)))
        assert all(answer == answers[0] and answer["type"] == "ack" for answer in answers)
        event = spectator.link.hear("event")
        assert (event["version"], len(event["rows"]), event["entries"]) == (1, 1, 1)
        assert spectator.link.silent(1.0)
    for link in links:
        link.connection.close()


def test_a_thousand_finishes_cost_a_spectator_a_few_messages_a_second(committed: ServerProcess) -> None:
    players = [person(f"player {number}") for number in range(150)]
    with Spectator(committed, RUNS) as spectator:
        started = time.monotonic()
        for number, player in enumerate(players):
            finish(player, 100 + number)
        assert agrees(spectator)
        taken = time.monotonic() - started
        events = [frame for frame in spectator.link.got if frame["type"] == "event"]
        assert 1 <= len(events) <= 4 * taken + 3
        assert spectator.resyncs == 0


def test_only_the_first_fifty_are_followed_and_they_are_the_right_ones(committed: ServerProcess) -> None:
    with Spectator(committed, RUNS) as spectator:
        for number in range(60):
            finish(person(f"player {number}"), 100 + number)
        assert agrees(spectator)
        assert (len(spectator.standings.rows), spectator.standings.entries) == (50, 60)
        leader = spectator.standings.rows[0]["player"]["name"]
        account_delete(player_id=Player.objects.get(name=leader).pk, now=clock.now())
        assert agrees(spectator)  # the 51st comes up
        assert (len(spectator.standings.rows), spectator.standings.entries) == (50, 59)


def test_late_subscribers_in_the_middle_of_a_burst_have_no_gap(committed: ServerProcess) -> None:
    """Case C18's hook: subscribing at any moment of a burst, snapshot and events fit together."""
    players = [person(f"player {number}") for number in range(60)]
    spectators: list[Spectator] = []
    for number, player in enumerate(players):
        finish(player, 100 + number)
        if number % 5 == 0:
            spectators.append(Spectator(committed, RUNS))
    assert all(agrees(spectator) for spectator in spectators)
    assert [spectator.resyncs for spectator in spectators] == [0] * len(spectators)
    for spectator in spectators:
        spectator.link.connection.close()


def test_a_lost_last_event_is_noticed_at_the_next_heartbeat(committed: ServerProcess) -> None:
    with Spectator(committed, RUNS) as spectator:
        finish(person("alice"), 300)
        assert agrees(spectator)
        Board.objects.filter(scope=RUNS, kind="people", view="best").update(version=99)  # no announcement at all
        started = time.monotonic()
        spectator.until(99, 10)
        assert time.monotonic() - started < 6


def test_a_hint_that_is_not_true_changes_nothing(committed: ServerProcess) -> None:
    with Spectator(committed, RUNS) as spectator:
        finish(person("alice"), 300)
        assert agrees(spectator)
        announcer.put(BoardChanged(RUNS, "people", "best", 12345))
        assert spectator.link.silent(0.8)
        assert agrees(spectator)


def test_bots_and_people_and_guests_are_kept_apart_live(committed: ServerProcess) -> None:
    alice = person("alice")
    with Spectator(committed, RUNS) as people, Spectator(committed, RUNS, "bots") as bots:
        finish(bot("alicebot", alice), 450)
        assert agrees(bots)
        assert people.link.silent(0.5)
        finish(alice, 430)
        finish(guest(), 999)
        assert agrees(people)
        assert [row["player"]["name"] for row in people.standings.rows] == ["alice"]
        assert [row["player"]["name"] for row in bots.standings.rows] == ["alicebot"]
        assert bots.link.silent(0.3)


def test_several_boards_on_one_socket_up_to_eight(committed: ServerProcess) -> None:
    codes = [f"TP1-R-AAAAAA{letter}" for letter in "BCDEFGHIJ"]
    with open_link(committed, "/ws/v1/standings") as link:
        for code in codes[:8]:
            assert link.ask(type="subscribe", board=code)["board"] == code
        refusal = link.ask(type="subscribe", board=codes[8])
        assert (refusal["error"]["code"], refusal["board"]) == ("too_many_boards", codes[8])
        assert link.ask(type="subscribe", board=codes[0])["type"] == "snapshot"  # again is no ninth
        link.say(type="unsubscribe", board=codes[0], kind="people", view="best")
        assert link.ask(type="subscribe", board=codes[8])["board"] == codes[8]
        heartbeat = link.hear("heartbeat")
        assert [each["board"] for each in heartbeat["versions"]] == codes[1:]
        finish(person("alice"), 300, code=codes[0])
        finish(person("bob"), 300, code=codes[8])
        assert link.hear("event")["board"] == codes[8]
        assert link.silent(0.5)


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        ({"type": "subscribe", "board": "TP1-E-К7М2QР"}, "code_character"),
        ({"type": "subscribe", "board": "nonsense"}, "code_dashes"),
        ({"type": "subscribe", "board": "daily-2026-02-30"}, "bad_date"),
        ({"type": "subscribe", "board": "daily-2099-01-01"}, "not_found"),
        ({"type": "subscribe", "board": RUNS, "kind": "cats"}, "bad_field"),
        ({"type": "subscribe", "board": RUNS, "view": 1}, "bad_field"),
        ({"type": "subscribe", "board": "a\x00b"}, "bad_field"),
        ({"type": "subscribe"}, "bad_field"),
        ({"type": "resync", "board": RUNS}, "not_subscribed"),
        ({"type": "move"}, "unknown_type"),
    ],
)
def test_boards_that_are_none_get_a_coded_error(committed: ServerProcess, frame: dict[str, Any], code: str) -> None:
    with open_link(committed, "/ws/v1/standings") as link:
        answer = link.ask(**frame)
        if code == "code_dashes":
            assert answer["error"]["code"].startswith("code_")
        else:
            assert answer["error"]["code"] == code
        assert link.ask(type="subscribe", board=" tp1-r-aaaaaab ")["board"] == RUNS


def test_a_page_of_any_origin_may_watch(committed: ServerProcess) -> None:
    with open_link(committed, "/ws/v1/standings", origin="https://other.example") as link:
        assert link.ask(type="subscribe", board=RUNS)["type"] == "snapshot"
