"""C23 from the outside: whatever the bot's traffic carries, only cards already turned up are in it."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import pytest

from games.bot import Brain
from games.client import Client, Game, Json
from games.client_sockets import PlaySocket
from games.engine.rulesets import find_ruleset
from tests.processes import ServerProcess

from .cast import database, person

CARD = re.compile(r"(?<![A-Za-z0-9])(?:[A23456789TJQK][CDHS]|XX)(?![A-Za-z0-9])")


class Recorder(Client):
    """A client that keeps all that the server tells it."""

    heard: list[str]

    def _exchange(self, method: str, path: str, body: Json | None) -> tuple[int, float, object]:
        answer = super()._exchange(method, path, body)
        self.heard.append(json.dumps(without_keys(answer[2])))
        return answer


class RecordingSocket(PlaySocket):
    heard: list[str]

    def _receive(self) -> dict[str, Any]:
        frame = super()._receive()
        self.heard.append(json.dumps(without_keys(frame)))
        return frame


def without_keys(told: Any) -> Any:
    """The same without the random keys that we made ourselves: now and then one spells a card between two dashes."""
    if isinstance(told, dict):
        return {name: without_keys(value) for name, value in told.items() if name != "move_id"}
    return [without_keys(each) for each in told] if isinstance(told, list) else told


def cards_in(heard: list[str]) -> set[str]:
    return {card for text in heard for card in CARD.findall(text)}


def test_only_our_own_keys_are_left_out_of_what_was_heard() -> None:
    told = {"move_id": "x-8S-y", "attempt": {"view": {"tableau": ["3S", "??"]}}, "next": [{"note": "a-7H-b"}]}
    assert cards_in([json.dumps(without_keys(told))]) == {"3S", "7H"}


@pytest.mark.parametrize("kind", ["rest", "socket"])
def test_C23_the_wire_carries_only_cards_that_are_turned_up(site: ServerProcess, kind: str) -> None:
    owner = person(site.url, f"owner {kind}")
    client = Recorder(site.url, owner.token)
    socket = RecordingSocket(site.url, owner.token)
    heard: list[str] = []
    client.heard = socket.heard = heard
    attempt = client.start_daily()
    known = cards_in(heard)
    assert len(known) == 11  # the bottom row and the waste
    assert attempt["code"] is None
    link = client if kind == "rest" else socket
    game, brain = Game(link, attempt), Brain(find_ruleset(attempt["ruleset"]), random.Random(5), worlds=4)
    while not game.attempt["outcome"]:
        before = game.attempt["view"]
        view = game.play(brain.choose(before, game.attempt["legal"]))["view"]
        turned = {face for slot, face in enumerate(view["tableau"]) if face and before["tableau"][slot] == "??"} - {
            "??"
        }
        drawn = {view["waste"]} if view["stock"] < before["stock"] else set()
        now = cards_in(heard)
        assert now - known == turned | drawn
        known = now
    client.resume(attempt["id"])
    list(client.attempts())
    client.daily()
    assert cards_in(heard) == known, "the finished attempt shows its owner no more (R10.1)"
    with database(site) as rows:
        found = rows.execute("SELECT code FROM leaderboards_dailychallenge WHERE opens_at <= now()").fetchone()
    assert found is not None
    secret = str(found[0]).rsplit("-", 1)[1]
    assert not any(secret in text for text in heard)
    socket.close()
