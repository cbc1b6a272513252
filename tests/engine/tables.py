"""Shared by the engine's tests: golden files, decks of the cases, random walks, and a slow, obvious reference table."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from games.engine.cards import JOKER, Card, card_text, parse_cards
from games.engine.moves import DRAW, UNDO, Move
from games.engine.position import Position, start
from games.engine.rulesets import RULESETS, Ruleset

GOLDEN_DIRECTORY = Path(__file__).parent.parent / "golden"
GOLDEN: dict[str, Any] = json.loads((GOLDEN_DIRECTORY / "deals.json").read_text())
DECKS: dict[str, tuple[Card, ...]] = {
    name: parse_cards(" ".join(cards))
    for name, cards in json.loads((GOLDEN_DIRECTORY / "decks.json").read_text()).items()
}
E, C, R, T, G, O, W, J = (RULESETS[letters] for letters in ("E", "C", "R", "T", "G", "O", "W", "J"))  # noqa: E741
ALL_MOVES = tuple(range(30))


def play_all(position: Position, moves: Iterable[Move]) -> Position:
    for move in moves:
        position = position.play(move)
    return position


def walk(
    ruleset: Ruleset, cards: Sequence[Card], choices: Iterable[int], *, undo_allowed: bool = True
) -> list[Position]:
    """Positions from ply 0 on, each choice picking one of the legal moves (see `pick`), until there is none."""
    positions = [start(ruleset, cards, undo_allowed=undo_allowed)]
    for choice in choices:
        legal = positions[-1].legal_moves()
        if not legal:
            break
        positions.append(positions[-1].play(pick(legal, choice)))
    return positions


def pick(legal: Sequence[Move], choice: int) -> Move:
    """One of the legal moves, an undo at most every eighth time, so that walks get somewhere."""
    turn, undo = divmod(choice, 8)
    if undo and len(legal) > 1 and legal[-1] == UNDO:
        legal = legal[:-1]
    return legal[turn % len(legal)]


rulesets = st.sampled_from(list(RULESETS.values()))


def _choices(seed: int, size: int, greedy: int) -> list[int]:
    """Long walks: Hypothesis by itself keeps its lists short. 1 picks the first legal move, so greedy walks get far."""
    choose = random.Random(seed)
    return [1 if choose.randrange(10) < greedy else choose.randrange(240) for _ in range(size)]


choice_lists = st.one_of(
    st.lists(st.integers(0, 239), max_size=20),
    st.builds(_choices, st.integers(0, 1 << 32), st.integers(40, 120), st.integers(0, 10)),
)
logs = st.lists(st.integers(0, 29), max_size=120)


@st.composite
def deals(draw: st.DrawFn) -> tuple[Ruleset, tuple[Card, ...]]:
    """Any ruleset on any order of its deck; now and then deck Z, which can be cleared, so that games are also won."""
    ruleset = draw(rulesets)
    if ruleset.deck_size == 52 and draw(st.integers(0, 4)) == 0:
        return ruleset, DECKS["Z"]
    return ruleset, tuple(draw(st.permutations(range(ruleset.deck_size))))


def _places() -> list[tuple[int, int]]:
    """Row and horizontal place of each slot, in half cards: the picture of R1.1, not its formulas."""
    rows = [[3, 9, 15], [2, 4, 8, 10, 14, 16], list(range(1, 18, 2)), list(range(0, 19, 2))]
    return [(row, x) for row, places in enumerate(rows) for x in places]


PLACES = _places()


class Table:
    """A game on real piles of cards: no masks, no tables, no shared code with the engine."""

    def __init__(self, ruleset: Ruleset, cards: Sequence[Card]) -> None:
        self.ruleset = ruleset
        texts = [card_text(card) for card in cards]
        self.tableau: dict[int, str] = dict(enumerate(texts[:28]))
        self.waste: list[str] = [] if ruleset.waste_starts_empty else [texts[28]]
        self.stock: list[str] = texts[28:] if ruleset.waste_starts_empty else texts[29:]
        self.done: list[Move] = []
        self.moves = self.undos = 0

    def is_open(self, slot: int) -> bool:
        row, x = PLACES[slot]
        return slot in self.tableau and not any(
            PLACES[other] in ((row + 1, x - 1), (row + 1, x + 1)) for other in self.tableau
        )

    def fits(self, slot: int) -> bool:
        if not self.waste or "XX" in (self.waste[-1], self.tableau[slot]):
            return True
        pair = {self.waste[-1][0], self.tableau[slot][0]}
        around = "A23456789TJQK" + ("A" if self.ruleset.joined else "")
        return any(pair == set(around[at : at + 2]) for at in range(len(around) - 1))

    def stuck(self) -> bool:
        return not self.stock and not any(self.is_open(slot) and self.fits(slot) for slot in self.tableau)

    def refusal(self, move: Move, *, undo_allowed: bool) -> str | None:
        """R2.4, in its order."""
        if not self.tableau or (self.stuck() and move != UNDO):
            return "game_over"
        if self.moves + self.undos >= 2000:
            return "log_full"
        if move == UNDO:
            return "undo_not_allowed" if not undo_allowed else None if self.done else "nothing_to_undo"
        if move == DRAW:
            if not self.stock:
                return "stock_empty"
            fitting = any(self.is_open(slot) and self.fits(slot) for slot in self.tableau)
            limited = (self.ruleset.letters == "T" and fitting) or (self.ruleset.letters == "W" and not self.waste)
            return "draw_not_allowed" if limited else None
        if move not in self.tableau:
            return "empty_slot"
        if not self.is_open(move):
            return "covered"
        return None if self.fits(move) else "not_adjacent"

    def play(self, move: Move) -> None:
        if move == UNDO:
            last = self.done.pop()
            self.undos += 1
            card = self.waste.pop()
            if last == DRAW:
                self.stock.insert(0, card)
            else:
                self.tableau[last] = card
            return
        self.moves += 1
        self.done.append(move)
        self.waste.append(self.stock.pop(0) if move == DRAW else self.tableau.pop(move))

    def score(self) -> int:
        """R4 by counting groups, not by folding."""
        removes = [move for move in self.done if move != DRAW]
        tips = sum(move < 3 for move in removes)
        if self.ruleset.scoring == "points500":
            return max(0, 500 - len(self.done) + 100 * tips)
        if self.ruleset.scoring == "cards_left":
            return len(self.tableau)
        runs = "".join("d" if move == DRAW else "r" for move in self.done).split("d")
        return sum(len(run) * (len(run) + 1) // 2 for run in runs) - 5 * (len(runs) - 1) + (0, 15, 30, 60)[tips]

    def run(self) -> int:
        return len("".join("d" if move == DRAW else "r" for move in self.done).split("d")[-1])

    def all_cards(self) -> list[str]:
        return [*self.tableau.values(), *self.waste, *self.stock]


assert JOKER == 52
