"""People and programs of the client's and the browser's tests: real accounts of a running server, through its API."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from games.bot import Brain
from games.client import Attempt, Client, Game
from games.engine.rulesets import find_ruleset
from tests.processes import ServerProcess

PASSWORD = "correct horse battery"
# The tests make many accounts from one address and play faster than anybody.
UNHURRIED = {
    f"TRIPEAKS_THROTTLE_{scope}": "100000/60"
    for scope in ("GUEST", "LOGIN", "NAME", "ACCOUNT", "START", "MOVE", "READ", "PAGE", "SOCKET")
}
# Deck Z of the cases in the ruleset "runs": it clears in one chain, in the order of CHAIN, for 466.
DECK_Z = (
    "4C 5C 6C 4D 3C 2C AC 2D 3D KC QC JC TC 9C 8C 7C 6D 5D 3H 4H 5H 6H 7D 8D 9D TD JD QD 2H 7H 9H JH AD AH AS 2S 3S 4S "
    "5S 6S 7S 8H 8S 9S TH TS JS QH QS KD KH KS"
)
CHAIN = [f"t{slot}" for slot in (*range(18, 28), *range(9, 18), *range(3, 9), 0, 1, 2)]


def guest(url: str) -> Client:
    """A new guest."""
    client = Client(url)
    client.guest()
    return client


def person(url: str, name: str) -> Client:
    """A new account."""
    client = guest(url)
    client.claim(name, PASSWORD)
    return client


def bot(owner: Client, name: str) -> Client:
    """A new bot of a person, with a token."""
    made = owner.bot_create(name)
    return Client(owner.url, owner.bot_token(made["id"], "tests"))


def play_out(client: Client, attempt: Attempt, *, seed: int = 1) -> Attempt:
    """Play sensibly to the end, over REST."""
    game = Game(client, attempt)
    brain = Brain(find_ruleset(attempt["ruleset"]), random.Random(seed), worlds=4)
    while not game.attempt["outcome"]:
        game.play(brain.choose(game.attempt["view"], game.attempt["legal"]))
    return game.attempt


def play_line(client: Client, attempt: Attempt, moves: list[str]) -> Attempt:
    """Play these moves, over REST."""
    game = Game(client, attempt)
    for move in moves:
        game.play(move)
    return game.attempt


def play_badly(client: Client, attempt: Attempt) -> Attempt:
    """Draw the whole stock first, over REST."""
    game = Game(client, attempt)
    while not game.attempt["outcome"]:
        legal = game.attempt["legal"]
        game.play("d" if "d" in legal else legal[0])
    return game.attempt


@contextmanager
def database(server: ServerProcess) -> Iterator[psycopg.Connection[tuple[object, ...]]]:
    """The server's own database, for what no service would ever write."""
    with psycopg.connect(server.database_url, autocommit=True) as connection:
        yield connection
