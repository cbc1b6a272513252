"""`manage.py solve`: what can still come of a deal, or of a position in it, with a line of moves to the best result."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import OperationalError, ProgrammingError

from games.engine.cards import Card, parse_cards
from games.engine.codes import parse_code
from games.engine.deals import deal_cards
from games.engine.errors import EngineError, IllegalMove
from games.engine.moves import format_log, parse_log
from games.engine.position import Position, start
from games.engine.replay import replay
from games.engine.rulesets import DEFAULT_RULESET, RULESETS, Ruleset, find_ruleset
from games.errors import Conflict, GameError
from games.solver.answers import Best, Solution
from games.solver.exact import solve


class Command(BaseCommand):
    help = (
        "Solve a deal exactly: can it be won, with how few draws, the best result and score, and a line to it. Needs no "
        "server; where there is a database, the deal of a competition that is not over is refused."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        deal = parser.add_mutually_exclusive_group(required=True)
        deal.add_argument("--code", help="game code, for instance TP1-E-AAAAAAB")
        deal.add_argument("--cards", help="the deal itself: 52 cards (53 with the joker) in deal order, '6D TC 3D ...'")
        parser.add_argument(
            "--ruleset",
            help=f"ruleset of --cards: {', '.join(RULESETS)} (default {DEFAULT_RULESET.letters}); a code has its own",
        )
        parser.add_argument("--after", default="", metavar="MOVES", help="solve the position after this log: 'd t20 u'")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            ruleset, cards = _deal(options["code"], options["cards"], options["ruleset"])
            opening = start(ruleset, cards)
            self._refuse_sealed(opening.cards)
            position = _after(opening, options["after"])
            found = solve(position)
        except (EngineError, GameError) as error:
            if options["json"]:
                told = {"code": error.code, "message": error.message, "data": error.data}
                self.stdout.write(json.dumps({"error": told}))
            else:
                self.stderr.write(f"{error.message} ({error.code})")
            sys.exit(1)
        self.stdout.write(json.dumps(as_json(found)) if options["json"] else as_text(position, found))

    def _refuse_sealed(self, cards: tuple[Card, ...]) -> None:
        """Raise Conflict `sealed_deal` for what `attempt_start` refuses, too."""
        if not settings.DATABASE_URL:
            return
        from games.clock import now
        from games.selectors.deals import deal_looks_sealed

        try:
            sealed = deal_looks_sealed(cards, now())
        except (OperationalError, ProgrammingError):  # away, or never migrated: there is no competition either
            self.stderr.write("The database at DATABASE_URL cannot be asked for competitions that are not over.")
            return
        if sealed:
            raise Conflict("sealed_deal", "This deal looks like one of a competition that is not over yet.")


def _deal(code: str | None, cards: str | None, letters: str | None) -> tuple[Ruleset, tuple[Card, ...]]:
    if code is not None:
        parsed = parse_code(code)
        return find_ruleset(parsed.ruleset), deal_cards(parsed)
    ruleset = DEFAULT_RULESET if letters is None else find_ruleset(letters)
    return ruleset, parse_cards(cards or "")


def _after(opening: Position, moves: str) -> Position:
    """The position after a log; raises the refusal of its first bad ply, with the ply in ``data``."""
    played = replay(opening.ruleset, opening.cards, parse_log(moves))
    error = played.error
    if error is not None:
        raise IllegalMove(error.code, f"Ply {played.error_ply}: {error.message}", **error.data, ply=played.error_ply)
    return played.position


def _result_json(best: Best | None) -> dict[str, Any] | None:
    if best is None:
        return None
    return {
        "outcome": best.outcome,
        "score": best.score,
        "moves": best.moves,
        "peaks": best.peaks,
        "cards_left": best.cards_left,
    }


def as_json(found: Solution) -> dict[str, Any]:
    return {
        "winnable": found.winnable,
        "fewest_draws": found.fewest_draws,
        "best_result": _result_json(found.best),
        "best_score": found.best_score,
        "line": format_log(found.line),
    }


def as_text(position: Position, found: Solution) -> str:
    best = found.best
    where = f"after ply {position.ply}" if position.ply else "from the opening"
    lines = [f"{position.ruleset.name}, {where}"]
    if found.winnable:
        lines.append(f"    can be won, with {found.fewest_draws} draws or more from here on")
    else:
        lines.append("    cannot be won any more" if position.ply else "    cannot be won")
    if best is not None:
        lines += [
            f"    best result   {best.outcome}, score {best.score}, {best.moves} moves, {best.peaks} peaks, "
            f"{best.cards_left} cards left",
            f"    best score    {found.best_score}",
            f"    line          {format_log(found.line) or 'none: it is over'}",
        ]
    return "\n".join(lines)
