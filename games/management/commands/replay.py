"""`manage.py replay`: what a player sees after each ply of a log, or the first refusal with its ply (exit 1)."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from django.core.management.base import BaseCommand

from games.engine.cards import parse_cards
from games.engine.codes import parse_code
from games.engine.deals import deal_cards
from games.engine.errors import EngineError, InvalidCode, InvalidMove
from games.engine.layout import ROWS
from games.engine.moves import MOVE_TEXTS, parse_move
from games.engine.position import Position, start
from games.engine.rulesets import DEFAULT_RULESET, RULESETS, Ruleset, find_ruleset
from games.engine.visibility import View, view

_LONGEST_MOVES = 16_000


@dataclass
class Story:
    """What the command found: positions from ply 0, the move that led to each, and the refusal that ended it."""

    positions: list[Position] = field(default_factory=list)
    moves: list[str | None] = field(default_factory=list)
    error: dict[str, Any] | None = None


class Command(BaseCommand):
    help = "Replay a move log on a deal and show what the player sees after each ply. Needs no server and no database."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        deal = parser.add_mutually_exclusive_group(required=True)
        deal.add_argument("--code", help="game code, for instance TP1-E-AAAAAAB")
        deal.add_argument("--cards", help="the deal itself: 52 cards (53 with the joker) in deal order, '6D TC 3D ...'")
        parser.add_argument(
            "--ruleset",
            help=f"ruleset of --cards: {', '.join(RULESETS)} (default {DEFAULT_RULESET.letters}); a code has its own",
        )
        parser.add_argument("--moves", default="", help="the log: t0 ... t27 remove, d draw, u undo; 'd t20 u'")
        parser.add_argument("--no-undo", action="store_true", help="play as in a competition that forbids undo")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        story = _story(
            options["code"], options["cards"], options["ruleset"], options["moves"], undo_allowed=not options["no_undo"]
        )
        if options["json"]:
            self.stdout.write(json.dumps(_as_json(story), indent=1))
        else:
            for ply, position in enumerate(story.positions):
                self.stdout.write(_as_text(ply, story.moves[ply], position))
        if story.error is not None:
            if not options["json"]:
                place = "" if story.error["ply"] is None else f"Ply {story.error['ply']}: "
                self.stderr.write(f"{place}{story.error['message']} ({story.error['code']})")
            sys.exit(1)


def _deal(code: str | None, cards: str | None, letters: str | None) -> tuple[Ruleset, tuple[int, ...]]:
    if code is not None:
        parsed = parse_code(code)
        if letters is not None and find_ruleset(letters).letters != parsed.ruleset:
            raise InvalidCode("unknown_ruleset", "A code has its own ruleset; leave --ruleset away.", ruleset=letters)
        return find_ruleset(parsed.ruleset), deal_cards(parsed)
    ruleset = DEFAULT_RULESET if letters is None else find_ruleset(letters)
    return ruleset, parse_cards(cards or "")


def _story(code: str | None, cards: str | None, letters: str | None, moves: str, *, undo_allowed: bool) -> Story:
    story = Story()
    ply: int | None = None
    try:
        position = start(*_deal(code, cards, letters), undo_allowed=undo_allowed)
        story.positions.append(position)
        story.moves.append(None)
        for ply, word in enumerate(_words(moves), start=1):  # noqa: B007 - the ply is told when a move is refused
            move = parse_move(word)
            position = position.play(move)
            story.positions.append(position)
            story.moves.append(MOVE_TEXTS[move])
    except EngineError as error:
        story.error = {"ply": ply, "code": error.code, "message": error.message, "data": error.data}
    return story


def _words(moves: str) -> Iterator[str]:
    if len(moves) > _LONGEST_MOVES:
        raise InvalidMove("log_too_long", "This is too long for a move log.", longest=_LONGEST_MOVES)
    return iter(moves.split())


def _as_json(story: Story) -> dict[str, Any]:
    last = story.positions[-1] if story.positions else None
    return {
        "plies": [
            {
                "ply": ply,
                "move": move,
                "score": position.score,
                "moves": position.moves,
                "run": position.run,
                "peaks": position.peaks,
                "legal": [MOVE_TEXTS[legal] for legal in position.legal_moves()],
                "outcome": position.outcome,
                "view": view(position).as_json(),
            }
            for ply, (move, position) in enumerate(zip(story.moves, story.positions, strict=True))
        ],
        "outcome": last.outcome if last else None,
        "score": last.score if last else None,
        "error": story.error,
    }


_FIRST_COLUMN = (6, 4, 2, 0)
"""Column of each row's first slot; neighbours in a row are 4 columns apart, except where a peak ends."""


def _column(row: int, place: int) -> int:
    if row == 0:
        return 6 + 12 * place
    if row == 1:
        return 4 + 12 * (place // 2) + 4 * (place % 2)
    return _FIRST_COLUMN[row] + 4 * place


def _picture(seen: View) -> list[str]:
    """The tableau as four lines; a removed card leaves a dot."""
    lines = []
    for row, slots in enumerate(ROWS):
        line = ""
        for place, slot in enumerate(slots):
            card = seen.tableau[slot]
            line = line.ljust(_column(row, place)) + (" ." if card is None else card)
        lines.append("    " + line)
    return lines


def _as_text(ply: int, move: str | None, position: Position) -> str:
    seen = view(position)
    legal = " ".join(MOVE_TEXTS[legal] for legal in position.legal_moves())
    end = "" if position.outcome is None else f"   {position.outcome.upper()}"
    return "\n".join(
        [
            f"ply {ply}   {move or 'opening'}{end}",
            *_picture(seen),
            f"    waste {seen.waste or '-'}   stock {seen.stock}   score {position.score}   moves {position.moves}"
            f"   run {position.run}   peaks {position.peaks}   cards left {position.cards_left}",
            f"    legal: {legal or 'none'}",
            "",
        ]
    )
