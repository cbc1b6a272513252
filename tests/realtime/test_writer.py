"""The step-driven writer: a send that does not finish holds up nobody, and nothing piles up behind it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import pytest

from games.realtime.fanout import fan_out
from games.realtime.limits import TokenBucket
from games.realtime.writer import Message, Writer, text_message
from leaderboards.realtime.feeds import Follower


@dataclass
class Peer:
    """A client that reads while `reading` is set; `got` is what reached it."""

    got: list[Message] = field(default_factory=list)
    reading: asyncio.Event = field(default_factory=asyncio.Event)
    gone: bool = False

    async def send(self, message: Message) -> None:
        await self.reading.wait()
        if self.gone:
            raise OSError("gone")
        self.got.append(message)


async def settled() -> None:
    """Let the loop take as many turns as whatever is ready needs: by the clock, a busy machine may take too few."""
    for _ in range(20):
        await asyncio.sleep(0)


def reader() -> Peer:
    peer = Peer()
    peer.reading.set()
    return peer


async def test_a_client_that_reads_gets_everything_at_once_and_in_order() -> None:
    peer = reader()
    writer = Writer(peer.send)
    assert all(writer.offer(text_message(str(n))) for n in range(5))
    assert [message["text"] for message in peer.got] == ["0", "1", "2", "3", "4"]  # without one turn of the loop
    assert not writer.blocked


async def test_a_client_that_does_not_read_is_refused_more_and_told_when_it_reads_again() -> None:
    peer = Peer()
    writer = Writer(peer.send)
    cleared: list[bool] = []
    writer.on_clear = lambda: cleared.append(writer.offer(text_message("newest")))
    assert writer.offer(text_message("first"))
    assert writer.blocked
    assert [writer.offer(text_message("lost")) for _ in range(100)] == [False] * 100
    await settled()
    assert writer.blocked_for(asyncio.get_running_loop().time()) > 0
    peer.reading.set()
    await settled()
    assert [message["text"] for message in peer.got] == ["first", "newest"]
    assert (cleared, writer.blocked) == ([True], False)


async def test_answers_wait_for_a_slow_client_in_order() -> None:
    peer = Peer()
    writer = Writer(peer.send)
    writer.offer(text_message("a"))
    answers = [asyncio.create_task(writer.write(text_message(text))) for text in "bc"]
    await settled()
    assert not any(answer.done() for answer in answers)
    peer.reading.set()
    assert await asyncio.gather(*answers) == [True, True]
    assert sorted(message["text"] for message in peer.got) == ["a", "b", "c"]
    assert peer.got[0]["text"] == "a"


async def test_a_connection_that_breaks_ends_the_writer_quietly_before_and_while_blocked() -> None:
    for blocked in (False, True):
        peer = Peer(gone=True)
        if not blocked:
            peer.reading.set()
        writer = Writer(peer.send)
        assert writer.offer(text_message("x")) is blocked
        peer.reading.set()
        await settled()
        assert writer.closed
        assert not writer.offer(text_message("y"))
        assert await writer.write(text_message("y")) is False


async def test_closing_a_blocked_socket_sends_the_close_after_the_message_on_its_way() -> None:
    peer = Peer()
    writer = Writer(peer.send)
    writer.offer(text_message("x"))
    writer.close(4001, "ended")
    assert not writer.offer(text_message("never"))
    peer.reading.set()
    await settled()
    assert [message["type"] for message in peer.got] == ["websocket.send", "websocket.close"]
    assert peer.got[1]["code"] == 4001


async def test_abandoning_a_blocked_client_leaves_no_task_behind() -> None:
    peer = Peer()
    writer = Writer(peer.send)
    writer.offer(text_message("x"))
    writer.abandon()
    await settled()
    assert not writer.blocked
    assert [task for task in asyncio.all_tasks() if task is not asyncio.current_task()] == []


async def test_a_fan_out_passes_by_those_who_do_not_read() -> None:
    peers = [reader() if n % 2 else Peer() for n in range(10)]
    followers = [Follower(Writer(peer.send)) for peer in peers]
    assert await fan_out(followers, 1, text_message("one")) == 10  # the slow ones' first is on its way
    assert await fan_out(followers, 2, text_message("two")) == 5
    assert [follower.behind for follower in followers] == [True, False] * 5
    assert [follower.version for follower in followers] == [1, 2] * 5
    assert await fan_out(followers, 2, text_message("two")) == 0  # nobody gets anything twice
    for follower in followers:
        follower.writer.abandon()
    await settled()


async def test_a_long_fan_out_gives_the_loop_its_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("games.realtime.fanout.SLICE_SECONDS", 0.0)
    followers = [Follower(Writer(reader().send)) for _ in range(1000)]
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    counting = asyncio.create_task(count())
    await fan_out(followers, 1, text_message("x"))
    counting.cancel()
    assert turns > 5


def test_the_bucket_lets_a_burst_through_then_the_rate_and_forgives_a_pause() -> None:
    bucket = TokenBucket(50, now=0.0)
    assert [bucket.take(0.0) for _ in range(101)] == [True] * 100 + [False]
    assert [bucket.take(0.02) for _ in range(2)] == [True, False]
    assert bucket.patience == 98
    assert bucket.take(10.0)
    assert bucket.patience == 100
