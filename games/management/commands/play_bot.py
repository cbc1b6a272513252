"""`manage.py play_bot`: a program plays a whole daily or code through the public API, as anybody's program could."""

from __future__ import annotations

import hashlib
import json
import os
import random
import secrets
import time
from argparse import ArgumentParser
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from games.bot import Brain
from games.client import ApiError, Attempt, Client, Game, Link, News, new_key
from games.engine.codes import numbered_code, parse_code, parse_number
from games.engine.errors import EngineError
from games.engine.rulesets import find_ruleset
from games.ids import ALPHABET

DEFAULT_URL = "http://127.0.0.1:8000"


class Command(BaseCommand):
    """Knows the rules and what a player sees; makes its own account on first use (kept in the data directory)."""

    help = "Let the bot play today's daily, a game code or a numbered game on a running server."
    requires_system_checks: list[str] = []  # it is a client: it needs no database

    def add_arguments(self, parser: ArgumentParser) -> None:
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--daily", action="store_true", help="play today's daily (ranked, once)")
        what.add_argument("--code", help="play this game code, such as TP1-E-AAAAAAB")
        what.add_argument("--number", help="play this numbered game, 1 to 50000")
        parser.add_argument("--url", help=f"the server (default: the running `up`, else {DEFAULT_URL})")
        parser.add_argument("--rest", action="store_true", help="play over REST instead of the socket")
        parser.add_argument("--pace", type=float, default=0.0, metavar="SECONDS", help="pause before each move")
        parser.add_argument("--again", action="store_true", help="a new attempt even where the bot has played before")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["again"] and options["daily"]:
            raise CommandError("A daily can be played once only (rule R9.2); --again is for codes and numbered games.")
        if not 0 <= options["pace"] <= 60:
            raise CommandError("--pace takes 0 to 60 seconds.")
        try:
            code = None if options["daily"] else _code(options["code"], options["number"])
        except EngineError as error:
            raise CommandError(str(error)) from error
        place, url = ("given", options["url"]) if options["url"] else running_address()
        try:
            client = Client(url, patience=0)
        except ValueError as error:
            raise CommandError(f"{error}.") from error
        with client:
            try:
                account = BotAccount(place if place == "up" else client.url, client)
                name = account.sign_in()
                client.patience = 30
                self._play(client, name, code, options)
            except ApiError as error:
                raise CommandError(_sentence(error, client.url)) from error
            except KeyboardInterrupt:
                raise CommandError("Stopped. Run the same command again to go on from here.", returncode=130) from None

    def _play(self, client: Client, name: str, code: str | None, options: dict[str, Any]) -> None:
        if code is None:
            attempt = client.start_daily(key=new_key())
        else:
            key = "bot-" + hashlib.sha256(code.encode()).hexdigest()[:32]
            attempt = client.start(code=code, key=new_key() if options["again"] else key)
        board = attempt["competition"] or code or ""
        ruleset = find_ruleset(attempt["ruleset"])
        if attempt["outcome"]:
            self.stdout.write(f"{name} has already played {board}.")
            if code is not None:
                self.stdout.write("Add --again for another attempt.")
        else:
            by = "REST" if options["rest"] else "a socket"
            start = f"goes on from ply {attempt['ply']}" if attempt["ply"] else "starts"
            self.stdout.write(f"{name} {start}: {board}, {ruleset.name}, attempt {attempt['id']}, over {by}.")
            with ExitStack() as stack:
                link: Link = client if options["rest"] else stack.enter_context(client.play_socket())
                attempt = self._game(Game(link, attempt), Brain(ruleset, random.Random()), options["pace"])
        if attempt["outcome"] == "stuck" and not attempt["closed"]:
            client.resign(attempt["id"])  # ends it, so that its replay is public; the result stands (R3.3)
        self._report(client, attempt, board)

    def _game(self, game: Game, brain: Brain, pace: float) -> Attempt:
        attempt = game.attempt
        while not attempt["outcome"]:
            time.sleep(pace)
            move = brain.choose(attempt["view"], attempt["legal"])
            before = attempt
            try:
                attempt = game.play(move)
            except ApiError as error:
                if error.code != "stale_ply":
                    raise
                attempt = game.refresh()  # another program plays with this account: go on from where it stands
            else:
                self.stdout.write(move_line(move, before, attempt))
                self.stdout.flush()
        return attempt

    def _report(self, client: Client, attempt: Attempt, board: str) -> None:
        result = attempt["result"]
        if result is None:
            self.stdout.write(f"{(attempt['outcome'] or 'ended').capitalize()}: there is no result to rank.")
            return
        counted = f"score {result['score']}, {result['moves']} moves, {result['peaks']} of 3 peaks"
        how = "Won" if result["outcome"] == "won" else f"No moves left, {_cards(result['cards_left'])} left"
        seconds = result["elapsed_ms"] // 1000
        self.stdout.write(f"{how}: {counted}, {seconds // 60}:{seconds % 60:02d}.")
        if attempt["code"] and parse_code(attempt["code"]).game_number is not None:
            news = client.news(attempt["id"])
            if news is not None:
                self.stdout.write(news_line(news))
        mine = client.my_place(board, "bots")
        if mine["rank"] is not None:
            self.stdout.write(f"Place {mine['rank']} on the bots board: {client.url}/boards/{board}?kind=bots")
        if attempt["code"]:
            self.stdout.write(f"Replay: {client.url}/attempts/{attempt['id']}")


def news_line(news: News) -> str:
    """What a result meant for the record of its game, in one sentence (R8.5)."""
    fewer = [_cards(news["fewer_cards"])] if news["fewer_cards"] else []
    if news["fewer_moves"]:
        fewer.append("1 move" if news["fewer_moves"] == 1 else f"{news['fewer_moves']} moves")
    by = f", by {fewer[0]}" if fewer else ""
    return {
        "first_win": "The first bot ever to win this game!",
        "record_broken": f"A new record of the bots{by}!",
        "best_so_far": f"The best result of a bot so far{by}, although not won.",
    }.get(news["kind"], "No record.")


def move_line(move: str, before: Attempt, after: Attempt) -> str:
    """One line about one move: what went where, the numbers after it, and what it turned up."""
    view, seen = after["view"], before["view"]["tableau"]
    if move == "d":
        what = f"draw {view['waste']}"
    else:
        card = seen[int(move[1:])]
        what = f"{card} onto {before['view']['waste'] or 'the empty waste'}"
    turned = [face for slot, face in enumerate(view["tableau"]) if face not in {None, seen[slot]}]
    numbers = (
        f"score {after['score']:>4}  run {after['run']:>2}  left {after['cards_left']:>2}  stock {view['stock']:>2}"
    )
    peak = "  peak cleared" if after["peaks"] > before["peaks"] else ""
    return f"{after['ply']:>4}  {move:<4}{what:<22}{numbers}{peak}" + (
        f"  turns up {' '.join(map(str, turned))}" if turned else ""
    )


class BotAccount:
    """The bot's token for one server, in `bot.json` of the data directory (mode 0600), made on first use.

    The owner account's name and password are kept beside it: whoever has the file may manage and revoke the bot.
    """

    def __init__(self, place: str, client: Client) -> None:
        self._place = place
        self._client = client
        self.path = Path(settings.DATA_DIR) / "bot.json"

    def sign_in(self) -> str:
        """Give the client the bot's token; returns the bot's name."""
        kept = self._read()
        if self._place not in kept:
            kept[self._place] = self._make()
            self._write(kept)
        self._client.token = kept[self._place]["token"]
        try:
            return self._client.account()["name"] or "the bot"
        except ApiError as error:
            if error.code != "not_signed_in":
                raise
            raise CommandError(
                f"The server does not accept the bot's token kept in {self.path}: it was revoked, or the server has "
                "a new database. Delete that file to make a new bot account."
            ) from error

    def _make(self) -> dict[str, str]:
        tail = "".join(secrets.choice(ALPHABET) for _ in range(6))
        owner, password = f"bot-keeper-{tail}", secrets.token_urlsafe(18)
        self._client.guest()
        self._client.claim(owner, password)
        bot = self._client.bot_create(f"peakbot-{tail}")
        token = self._client.bot_token(bot["id"], "play_bot")
        return {"token": token, "bot": bot["name"] or "", "owner": owner, "password": password}

    def _read(self) -> dict[str, dict[str, str]]:
        try:
            kept = json.loads(self.path.read_text())
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as problem:
            raise CommandError(f"{self.path} cannot be read ({problem}). Mend or delete it.") from problem
        return kept if isinstance(kept, dict) else {}

    def _write(self, kept: dict[str, dict[str, str]]) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        unfinished = self.path.with_name(f"bot.json.{os.getpid()}")
        with open(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            json.dump(kept, file, indent=1)
        unfinished.replace(self.path)


def running_address() -> tuple[str, str]:
    """("up", the address of the `up` that runs over this data directory), or ("default", DEFAULT_URL)."""
    try:
        address = json.loads((Path(settings.DATA_DIR) / "run.json").read_text())["address"]
    except (OSError, ValueError, KeyError, TypeError):
        return "default", DEFAULT_URL
    return "up", str(address)


def _code(code: str | None, number: str | None) -> str:
    """The canonical code of what was asked for. Raises EngineError."""
    return parse_code(code).text if code is not None else numbered_code(parse_number(number or "")).text


def _cards(count: int) -> str:
    return "1 card" if count == 1 else f"{count} cards"


def _sentence(error: ApiError, url: str) -> str:
    if error.code == "unreachable":
        return f"No server answers at {url}. Start one with `python3 manage.py up`, or name another with --url."
    if error.code == "throttled":
        wait = error.data.get("retry_after")
        return f"{error.message} The server asks to wait {wait} seconds." if wait else error.message
    return f"{error.message} ({error.code})"
