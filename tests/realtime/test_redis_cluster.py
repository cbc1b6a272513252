"""Over a real Redis Cluster of three nodes: copies of boards, throttles and hints, and one node of it lost."""

from __future__ import annotations

import asyncio
import datetime as dt
import time
from collections.abc import Iterator

import pytest
from pytest_django import Settings

from games import throttles
from games.errors import TooMany
from games.events import LAYER_ERRORS
from games.realtime.cluster_layer import ClusterChannelLayer
from games.redis import REDIS_ERRORS, redis
from leaderboards.events import board_topic
from leaderboards.scopes import parse_board
from leaderboards.selectors import board_me, board_page
from leaderboards.selectors.boards import board_state
from leaderboards.standings_check import order_check
from tests.factories import person
from tests.leaderboards.cast import NOON, TEN, copy_answers, finish, raw, reading_from
from tests.processes import ServerProcess, free_port, live_server, wait_until
from tests.realtime.conftest import QUICK
from tests.realtime.sockets import Spectator, hinted
from tests.redis_cluster import RedisCluster, redis_cluster

CODES = [f"TP1-R-AAAAAA{letter}" for letter in "BCDEFG"]


@pytest.fixture(scope="module")
def cluster() -> Iterator[RedisCluster]:
    """One for all tests here but the last, which breaks its own."""
    with redis_cluster() as cluster:
        yield cluster


@pytest.fixture
def over_the_cluster(cluster: RedisCluster, settings: Settings) -> RedisCluster:
    """This process uses the cluster."""
    settings.REDIS_URL, settings.REDIS_CLUSTER = f"{cluster.url},redis://127.0.0.1:{cluster.ports[1]}", True
    backend = f"{ClusterChannelLayer.__module__}.{ClusterChannelLayer.__qualname__}"
    settings.CHANNEL_LAYERS = {
        "default": {"BACKEND": backend, "CONFIG": {"hosts": [cluster.url], "prefix": "tripeaks"}}
    }
    raw().flushall()
    return cluster


@pytest.mark.django_db(transaction=True)
def test_copies_of_boards_lie_on_all_nodes_and_answer_as_the_database_does(over_the_cluster: RedisCluster) -> None:
    players = [person(f"player {number}") for number in range(6)]
    held: list[int] = []
    boards = 0
    # Where a copy lies follows from the board's id, which follows from what was tested before: on, until all have one.
    for code in (f"TP1-R-AAAAA{tens}{letter}" for tens in "BCDE" for letter in "BCDEFGHJK"):
        if boards >= len(CODES) and all(held):
            break
        boards += 1
        for number, player in enumerate(players):
            finish(player, 100 + number // 2, code=code, at=TEN + dt.timedelta(minutes=number))
        name = parse_board(code)
        read = {}
        for way in ("database", "cache"):
            with reading_from(way):
                pages = [board_page(name, cursor=None, limit=4, now=NOON)]
                pages.append(board_page(name, cursor=pages[0]["next"], limit=4, now=NOON))
                read[way] = [(page["rows"], page["next"]) for page in pages], board_me(name, player_id=players[3].pk)
        assert read["cache"] == read["database"]
        assert copy_answers(code)
        finish(players[0], 109, code=code, at=TEN + dt.timedelta(hours=1))  # the copy is behind now
        assert copy_answers(code)
        with reading_from("cache"):
            assert board_page(name, cursor=None, limit=1, now=NOON)["rows"][0]["player"]["id"] == players[0].public_id
        board, _ = board_state(name)
        assert order_check(board.id) == "same"
        held = [node.dbsize() for node in over_the_cluster.nodes()]
    assert sum(held) == 3 * boards
    assert all(held), held


def test_a_throttle_with_several_keys_counts_in_the_cluster(over_the_cluster: RedisCluster, settings: Settings) -> None:
    settings.THROTTLES = {"login": (3, 300)}
    for _ in range(3):
        throttles.throttle("login", "address:192.0.2.7", "name:alice")
        throttles._local.clear()  # what another process would know
    with pytest.raises(TooMany):
        throttles.throttle("login", "address:192.0.2.8", "name:alice")
    throttles.throttle("login", "address:192.0.2.8", "name:bob")  # a refused one has cost nothing
    assert sum(node.dbsize() for node in over_the_cluster.nodes()) == 4


async def test_channels_lie_on_all_nodes_and_each_message_passes_through_one(cluster: RedisCluster) -> None:
    ours, theirs = (ClusterChannelLayer(hosts=[cluster.url], prefix="test") for _ in range(2))
    groups = [f"board.{letter}" for letter in "abcdefghijkl"]
    channel = await ours.new_channel()
    for group in groups:
        await ours.group_add(group, channel)
    held = [len(node.execute_command("PUBSUB SHARDCHANNELS")) for node in cluster.nodes()]
    assert sum(held) == len(groups) + 1
    assert all(held), held
    for group in groups:
        await theirs.group_send(group, {"type": "hint", "topic": group})
    got = [await asyncio.wait_for(ours.receive(channel), 20) for _ in groups]
    assert sorted(message["topic"] for message in got) == groups
    await ours.group_discard("board.a", channel)
    await theirs.group_send("board.a", {"type": "hint", "topic": "board.a"})
    await theirs.send(channel, {"type": "probe"})
    assert (await asyncio.wait_for(ours.receive(channel), 20))["type"] == "probe"
    for layer in (ours, theirs):
        await layer.flush()


def test_news_of_one_process_reaches_the_spectators_of_another_through_the_cluster(
    committed: ServerProcess, over_the_cluster: RedisCluster
) -> None:
    env = {**QUICK, "TRIPEAKS_REDIS_CLUSTER": "1", "TRIPEAKS_METRICS": f"127.0.0.1:{free_port()}"}
    with (
        live_server(env=env, database=committed.database_url, redis=over_the_cluster.url) as server,
        Spectator(server, CODES[0]) as spectator,
    ):
        assert spectator.link.hear("heartbeat", timeout=20)["delayed"] is False
        assert wait_until(lambda: joined(over_the_cluster, board_topic(CODES[0])))
        finish(person("alice"), 120, code=CODES[0])  # announced by this process
        spectator.until(1, 15)
        assert wait_until(lambda: hinted(server) == 1), "by a hint, not by the heartbeat's look at the versions"
        assert "WARNING" not in server.logs()


def joined(cluster: RedisCluster, topic: str) -> bool:
    """Whether a process hears of this."""
    channel = f"tripeaks__group__{topic}"
    told = [node.pubsub_shardnumsub(channel) for node in cluster.nodes()]
    return any(count for counts in told for _, count in counts)


@pytest.mark.django_db
def test_with_a_node_lost_hints_pass_again_boards_are_read_and_acts_counted(settings: Settings) -> None:
    with redis_cluster(**{"cluster-require-full-coverage": "no"}) as cluster:
        asyncio.run(lose_a_node(cluster))
        settings.REDIS_URL, settings.REDIS_CLUSTER = f"redis://127.0.0.1:{cluster.ports[1]}", True
        with pytest.raises(REDIS_ERRORS):
            [redis().get(f"key {number}") for number in range(30)]
        alice = person("alice")
        for number, code in enumerate(CODES):
            finish(alice, 101, code=code)
            with reading_from("cache"):
                [row] = board_page(parse_board(code), cursor=None, limit=3, now=NOON)["rows"]
            assert row["player"]["id"] == alice.public_id
            throttles.throttle("read", f"address:192.0.2.{number}")


async def lose_a_node(cluster: RedisCluster) -> None:
    """A layer over the cluster says so, and works on the nodes that are left once it has been flushed."""
    layer = ClusterChannelLayer(hosts=[f"redis://127.0.0.1:{port}" for port in cluster.ports[1:]], prefix="test")
    channel = await layer.new_channel()
    groups = [f"board.{number}" for number in range(30)]
    for group in groups:
        await layer.group_add(group, channel)
    cluster.processes[0].kill()
    await asyncio.sleep(0.3)
    with pytest.raises(LAYER_ERRORS):
        await asyncio.gather(*(layer.group_send(group, {"type": "hint"}) for group in groups))
    deadline = time.monotonic() + 60
    while True:
        await layer.flush()
        try:
            channel = await layer.new_channel()
            await asyncio.sleep(0.1)
            await layer.send(channel, {"type": "probe"})
            if (await asyncio.wait_for(layer.receive(channel), 2))["type"] == "probe":
                break
        except LAYER_ERRORS:
            assert time.monotonic() < deadline
            await asyncio.sleep(0.3)
    await layer.flush()
