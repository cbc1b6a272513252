"""A position of an attempt as an immutable value, and the checked way from one to the next (R2, R3, R5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, NoReturn

from games.engine.cards import CARD_TEXTS, FITS, NO_CARD, Card
from games.engine.errors import IllegalMove, InvalidCards, InvalidMove
from games.engine.layout import ALL_REMOVED, BIT, COVERED_BY, SLOTS, is_open, open_slots, peaks_cleared
from games.engine.moves import DRAW, LAST_MOVE, MAX_PLIES, MOVE_TEXTS, UNDO, Move
from games.engine.rulesets import Ruleset
from games.engine.scoring import SCORING, tally

Outcome = Literal["won", "stuck"]

_DECKS: Final = {size: frozenset(range(size)) for size in (52, 53)}


@dataclass(frozen=True, slots=True, repr=False)
class Position:
    """Where an attempt stands after its log. Make one with `start` or `games.engine.replay.replay`.

    It holds the whole deal: `games.engine.visibility.view` alone decides what a player may see of it, and its ``repr``
    shows no card (R10.1).
    """

    ruleset: Ruleset
    cards: tuple[Card, ...] = field(repr=False)
    """The ordered deal: slots 0-27, the first waste card if any, the stock (R7.3)."""
    removed: int
    """Bit mask of the slots already removed."""
    drawn: int
    """Cards drawn from the stock on the standing line."""
    line: tuple[Move, ...]
    """The removes and draws that stand, oldest first."""
    moves: int
    """Every remove and draw ever made, undone ones included (R5.2)."""
    undos: int
    score: int
    run: int
    """Cards removed since the last draw of the line."""
    undo_allowed: bool

    def __repr__(self) -> str:
        return (
            f"<Position {self.ruleset.letters} ply {self.ply}, score {self.score}, "
            f"{self.cards_left} cards left, {self.stock_left} in stock, outcome {self.outcome}>"
        )

    @property
    def ply(self) -> int:
        """Length of the log: removes, draws and undos."""
        return self.moves + self.undos

    @property
    def peaks(self) -> int:
        """Peaks cleared, 0..3."""
        return peaks_cleared(self.removed)

    @property
    def cards_left(self) -> int:
        """Tableau cards left, 0..28."""
        return SLOTS - self.removed.bit_count()

    @property
    def stock_left(self) -> int:
        return self.ruleset.deck_size - self.ruleset.stock_start - self.drawn

    @property
    def waste_index(self) -> int:
        """The waste's top card, `NO_CARD` when it is empty: an index into `FITS`."""
        if self.line:
            last = self.line[-1]
            return self.cards[last if last < SLOTS else self.ruleset.stock_start + self.drawn - 1]
        return NO_CARD if self.ruleset.waste_starts_empty else self.cards[SLOTS]

    @property
    def waste_top(self) -> Card | None:
        """The waste's top card, None when it is empty (R6.1)."""
        top = self.waste_index
        return None if top == NO_CARD else top

    @property
    def waste_count(self) -> int:
        """Cards in the waste."""
        return len(self.line) + self.ruleset.stock_start - SLOTS

    @property
    def won(self) -> bool:
        """R3.1: the 28th tableau card is gone."""
        return self.removed == ALL_REMOVED

    @property
    def outcome(self) -> Outcome | None:
        """``"won"`` (R3.1), ``"stuck"`` (R3.2: no stock and no uncovered card that fits), None while it goes on."""
        if self.removed == ALL_REMOVED:
            return "won"
        if self.stock_left or self.fitting():
            return None
        return "stuck"

    def fitting(self) -> list[Move]:
        """The uncovered slots whose card fits on the waste, ascending (R2.1)."""
        cards = self.cards
        row = FITS[self.ruleset.joined][self.waste_index]
        return [slot for slot in open_slots(self.removed) if row[cards[slot]]]

    def legal_moves(self) -> tuple[Move, ...]:
        """Exactly the moves that `check` lets pass: removes ascending, then draw, then undo."""
        if self.removed == ALL_REMOVED or self.moves + self.undos >= MAX_PLIES:
            return ()
        found = self.fitting()
        if self.stock_left:
            ruleset = self.ruleset
            may_draw = not (ruleset.draw_only_when_stuck and found)
            if may_draw and (ruleset.draw_onto_empty_waste or self.waste_index != NO_CARD):
                found.append(DRAW)
        if self.undo_allowed and self.line:
            found.append(UNDO)
        return tuple(found)

    def check(self, move: Move) -> None:
        """Raise `IllegalMove` with the first reason of R2.4 that applies; return silently when the move may be played.

        `log_full` (R5.4) comes right after `game_over`. Raises `InvalidMove` for what is no move at all.
        """
        if not 0 <= move <= LAST_MOVE:
            raise InvalidMove("move_text", "This is not a move.", move=move)
        if self.removed == ALL_REMOVED:
            self._refuse("game_over", "All cards are gone: this attempt is won.", move, outcome="won")
        if move != UNDO and not self.stock_left and not self.fitting():
            self._refuse("game_over", "No moves left.", move, outcome="stuck")
        if self.ply >= MAX_PLIES:
            self._refuse("log_full", f"An attempt has at most {MAX_PLIES:,} moves and undos.", move, longest=MAX_PLIES)
        if move == UNDO:
            self._check_undo(move)
        elif move == DRAW:
            self._check_draw(move)
        else:
            self._check_remove(move)

    def _check_undo(self, move: Move) -> None:
        if not self.undo_allowed:
            self._refuse("undo_not_allowed", "There is no undo in this competition.", move)
        if not self.line:
            self._refuse("nothing_to_undo", "There is nothing to undo.", move)

    def _check_remove(self, slot: Move) -> None:
        if self.removed & BIT[slot]:
            self._refuse("empty_slot", "There is no card here any more.", slot, slot=slot)
        if not is_open(self.removed, slot):
            over = [other for other in COVERED_BY[slot] if not self.removed & BIT[other]]
            self._refuse("covered", "This card is blocked.", slot, slot=slot, covered_by=over)
        top = self.waste_index
        if not FITS[self.ruleset.joined][top][self.cards[slot]]:
            # Both cards are face up here, so naming them tells nothing new (R10.1).
            self._refuse(
                "not_adjacent",
                "Must be one higher or lower.",
                slot,
                slot=slot,
                card=CARD_TEXTS[self.cards[slot]],
                waste=CARD_TEXTS[top],
            )

    def _check_draw(self, move: Move) -> None:
        if not self.stock_left:
            self._refuse("stock_empty", "The stock is empty.", move)
        if self.waste_index == NO_CARD and not self.ruleset.draw_onto_empty_waste:
            self._refuse("draw_not_allowed", "Remove a card first: the waste is still empty.", move)
        if self.ruleset.draw_only_when_stuck:
            fitting = self.fitting()
            if fitting:
                self._refuse("draw_not_allowed", "You can draw only when no card fits.", move, fitting=fitting)

    def _refuse(self, code: str, message: str, move: Move, **data: object) -> NoReturn:
        raise IllegalMove(code, message, move=MOVE_TEXTS[move], **data)

    def play(self, move: Move) -> Position:
        """The position after ``move``; raises as `check` does, and then nothing has changed."""
        self.check(move)
        removed, drawn, moves, undos = self.removed, self.drawn, self.moves, self.undos
        if move == UNDO:
            line, last = self.line[:-1], self.line[-1]
            undos += 1
            if last == DRAW:
                drawn -= 1
            else:
                removed ^= BIT[last]
        else:
            line = (*self.line, move)
            moves += 1
            if move == DRAW:
                drawn += 1
            else:
                removed |= BIT[move]
        score, run = tally(SCORING[self.ruleset.scoring], line)
        return Position(self.ruleset, self.cards, removed, drawn, line, moves, undos, score, run, self.undo_allowed)


def check_deck(ruleset: Ruleset, cards: Sequence[Card]) -> tuple[Card, ...]:
    """The cards as a tuple if they are the ruleset's whole deck, each once; raises `InvalidCards` otherwise."""
    if len(cards) != ruleset.deck_size or set(cards) != _DECKS[ruleset.deck_size]:
        raise InvalidCards(
            "wrong_deck",
            f"{ruleset.name} needs {ruleset.deck_size} different cards, each once.",
            ruleset=ruleset.letters,
            deck_size=ruleset.deck_size,
        )
    return tuple(cards)


def start(ruleset: Ruleset, cards: Sequence[Card], *, undo_allowed: bool = True) -> Position:
    """The opening of an attempt at ply 0; ``undo_allowed`` is the competition's say (R5.3). Raises `InvalidCards`."""
    score, run = tally(SCORING[ruleset.scoring], ())
    return Position(ruleset, check_deck(ruleset, cards), 0, 0, (), 0, 0, score, run, undo_allowed)
