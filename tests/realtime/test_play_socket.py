"""Playing over the socket: answers in order, each move once, other tabs told, a lost link taken up again."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

from redis import Redis

from games.events import ATTEMPTS
from games.models import Move
from tests.attempts.hand import Z_LINE, Hand, deck_code
from tests.factories import person
from tests.processes import ServerProcess, wait_until
from tests.realtime.sockets import Frame, Link, play_link


def alice_with_z() -> tuple[Hand, str]:
    alice = Hand.of(person("alice"))
    return alice, alice.start(deck_code("Z", "R")).public_id


def test_C17_one_move_from_five_sockets_at_once_and_later_again_is_one_move(committed: ServerProcess) -> None:
    alice, attempt = alice_with_z()
    links = [play_link(committed, alice.secret) for _ in range(5)]

    def send(link: Link) -> Frame:
        link.move(attempt, "t18", 0, "m1")
        return link.hear("ack", "error")

    with ThreadPoolExecutor(5) as pool:
        answers = list(pool.map(send, links))
    answers.append(send(links[0]))
    assert [answer["type"] for answer in answers] == ["ack"] * 6
    assert all(answer == answers[0] for answer in answers)
    assert (answers[0]["ply"], answers[0]["attempt"]["score"]) == (1, 1)
    assert Move.objects.count() == 1
    links[1].move(attempt, "t19", 0, "m1")
    refusal = links[1].hear("ack", "error")
    assert (refusal["error"]["code"], refusal["move_id"], refusal["attempt_id"]) == ("move_id_reused", "m1", attempt)
    assert Move.objects.count() == 1
    for link in links:
        link.connection.close()


def test_a_whole_game_sent_without_waiting_is_answered_move_by_move_in_order(committed: ServerProcess) -> None:
    alice, attempt = alice_with_z()
    with play_link(committed, alice.secret) as link:
        for ply, move in enumerate(Z_LINE):
            link.move(attempt, move, ply)
        answers = [link.hear("ack", "error") for _ in Z_LINE]
    assert [answer["ply"] for answer in answers] == list(range(1, 29))
    assert [answer["move_id"] for answer in answers] == [f"m{ply}" for ply in range(28)]
    assert (answers[-1]["attempt"]["outcome"], answers[-1]["attempt"]["score"]) == ("won", 466)


def test_C06_the_run_is_shown_with_every_answer(committed: ServerProcess) -> None:
    alice, attempt = alice_with_z()
    with play_link(committed, alice.secret) as link:
        for ply, move in enumerate(["t18", "t19", "t20", "d", "t21", "t22"]):
            link.move(attempt, move, ply)
        states = [link.hear("ack")["attempt"] for _ in range(6)]
    assert [state["score"] for state in states] == [1, 3, 6, 1, 2, 4]
    assert [state["run"] for state in states] == [1, 2, 3, 0, 1, 2]


def test_refusals_say_why_and_change_nothing(committed: ServerProcess) -> None:
    alice, attempt = alice_with_z()
    with play_link(committed, alice.secret) as link:
        for move, code in (("t9", "covered"), ("t19", "not_adjacent"), ("u", "nothing_to_undo"), ("t28", "move_text")):
            link.move(attempt, move, 0, "x1")
            refusal = link.hear("ack", "error")
            assert (refusal["error"]["code"], refusal["move_id"]) == (code, "x1")
        link.move(attempt, "t18", 5, "x2")
        stale = link.hear("ack", "error")
        assert (stale["error"]["code"], stale["error"]["data"]["attempt"]["ply"]) == ("stale_ply", 0)
        link.move(attempt, "t18", 0, "x3")
        assert link.hear("ack", "error")["ply"] == 1


def test_C19_a_link_cut_around_a_move_loses_and_doubles_nothing(committed: ServerProcess) -> None:
    alice, attempt = alice_with_z()
    first = play_link(committed, alice.secret)
    first.move(attempt, "t18", 0, "m1")
    deadline = time.monotonic() + 5
    while not Move.objects.exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    first.connection.socket.close()  # (a) after the server applied it, before the answer is read
    with play_link(committed, alice.secret) as again:
        state = again.ask(type="resume", attempt=attempt, ply=0)
        assert (state["type"], state["ply"], state["since"]) == ("state", 1, ["t18"])
        assert (state["attempt"]["score"], state["attempt"]["legal"][0]) == (1, "t19")
        again.move(attempt, "t18", 0, "m1")
        assert again.hear("ack")["ply"] == 1
    bob = Hand.of(person("bob"))
    other = bob.start(deck_code("Z", "R")).public_id
    with play_link(committed, bob.secret) as again:  # (b) the move never arrived
        state = again.ask(type="resume", attempt=other, ply=0)
        assert (state["ply"], state["since"]) == (0, [])
        again.move(other, "t18", 0, "m1")
        assert again.hear("ack")["ply"] == 1


def test_other_sockets_of_the_player_hear_of_a_move_and_the_mover_does_not(committed: ServerProcess) -> None:
    alice, attempt = alice_with_z()
    with (
        committed.another() as second,
        play_link(committed, alice.secret) as mover,
        play_link(committed, alice.secret) as tab,
        play_link(second, alice.secret) as far,
    ):
        with Redis.from_url(committed.redis_url) as redis:  # the second process joins the topic in the background
            assert wait_until(lambda: redis.pubsub_numsub(f"tripeaks__group__{ATTEMPTS}")[0][1] >= 2)
        mover.move(attempt, "t18", 0)
        assert mover.hear()["type"] == "ack"
        expected = {"type": "changed", "attempt": attempt, "ply": 1}
        assert tab.hear() == expected
        assert far.hear() == expected
        alice.attempts[attempt] = 1
        alice.play(attempt, "t19")  # over a third process: this one
        assert {mover.hear()["ply"], tab.hear()["ply"], far.hear()["ply"]} == {2}
        assert mover.ask(type="resign", attempt=attempt, move_id="r")["attempt"]["outcome"] == "resigned"
        assert (tab.hear()["ply"], far.hear()["ply"]) == (2, 2)
        assert mover.silent()


def test_resigning_can_be_repeated(committed: ServerProcess) -> None:
    alice, attempt = alice_with_z()
    with play_link(committed, alice.secret) as link:
        one = link.ask(type="resign", attempt=attempt, move_id="r1")
        two = link.ask(type="resign", attempt=attempt, move_id="r1")
        assert one["type"] == two["type"] == "ack"
        assert two["attempt"]["outcome"] == "resigned"
        link.move(attempt, "d", 0)
        assert link.hear()["error"]["code"] == "game_over"


def test_C22_somebody_elses_attempt_is_as_unknown_as_none(committed: ServerProcess) -> None:
    alice, attempt = alice_with_z()
    mallory = Hand.of(person("mallory"))
    with play_link(committed, mallory.secret) as link:
        for frame in (
            {"type": "move", "move": "t18", "expected_ply": 0, "move_id": "m1", "player": alice.player.public_id},
            {"type": "move", "move": "d", "expected_ply": 0, "move_id": "m1"},
            {"type": "move", "move": "u", "expected_ply": 0, "move_id": "m1"},
            {"type": "resign", "move_id": "m1"},
            {"type": "resume", "ply": 0},
        ):
            theirs = link.ask(attempt=attempt, **frame)
            unknown = link.ask(attempt="0" * 16, **frame)
            assert theirs["error"]["code"] == "not_found"
            assert theirs["error"] == unknown["error"]
    assert not Move.objects.exists()
    alice.play(attempt, "t18")  # the control: its owner may


def test_C23_no_frame_shows_a_card_that_is_not_turned_up(committed: ServerProcess) -> None:
    alice, attempt = alice_with_z()
    with play_link(committed, alice.secret) as link:
        known = []
        known.append(faces(link.ask(type="resume", attempt=attempt, ply=0)))
        for ply, move in enumerate(["t18", "t19", "d", "u"]):
            link.move(attempt, move, ply)
            known.append(faces(link.hear("ack")))
        known.append(faces(link.ask(type="resume", attempt=attempt, ply=0)))
    assert len(known[0]) == 11
    assert [len(set().union(*known[: n + 1])) for n in range(len(known))] == [11, 11, 12, 13, 13, 13]


def faces(frame: Frame) -> set[str]:
    view = frame["attempt"]["view"]
    assert "deal" not in view
    return {card for card in [*view["tableau"], view["waste"]] if card not in {None, "??"}}
