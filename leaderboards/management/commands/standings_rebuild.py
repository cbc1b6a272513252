"""`manage.py standings_rebuild`: copy large boards from PostgreSQL to Redis again, or check the copies (case C13)."""

from __future__ import annotations

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from games.errors import GameError
from games.redis import REDIS_ERRORS, redis_available
from leaderboards import standings
from leaderboards.scopes import parse_scope
from leaderboards.selectors.boards import boards_with_copies
from leaderboards.standings_check import Order, order_check

ORDERS: dict[Order, str] = {
    "none": "no copy",
    "same": "same order",
    "different": "ORDER DIFFERS",
    "busy": "played all the while, not compared",
}


class Command(BaseCommand):
    help = "Rebuild the Redis copies of large boards, or with --check compare their order with PostgreSQL's."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("boards", nargs="*", help="game codes or daily-YYYY-MM-DD; without: all that have a copy")
        parser.add_argument(
            "--check",
            action="store_true",
            help="change nothing; exit 1 when an order differs; a board that is played all the while is told, and no fault",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if not redis_available():
            raise CommandError("Redis does not answer; boards are read from PostgreSQL.")
        try:
            scopes = [parse_scope(text).text for text in options["boards"]]
            different = 0
            for board_id, name in boards_with_copies(scopes):
                if options["check"]:
                    order = order_check(board_id)
                    different += order == "different"
                    said = ORDERS[order]
                else:
                    said = "rebuilt" if standings.rebuild(board_id) else "another process is at it"
                self.stdout.write(f"{name}: {said}")
        except GameError as refusal:
            raise CommandError(refusal.message) from refusal
        except REDIS_ERRORS as problem:
            raise CommandError(f"Redis failed: {problem}") from problem
        if different:
            sys.exit(1)
