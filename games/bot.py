"""How the bot thinks: it knows the rules and what its player sees, never a card that is not turned up (R10.1).

It imagines the unseen cards many times over, tries every legal move in each of these worlds with quick sensible play to
the end, and takes the move that did best on average.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from games.engine.cards import FITS, JOKER, NO_CARD, Card, parse_card
from games.engine.layout import ALL_REMOVED, BIT, COVERS, SLOTS, is_open, open_slots, peaks_cleared
from games.engine.rulesets import Ruleset
from games.engine.visibility import FACE_DOWN

WORLDS: Final = 120
"""How often the unseen cards are imagined for one decision; more is stronger and slower (120: 0.3 s a game)."""
_DRAW: Final = "d"


@dataclass(slots=True)
class Brain:
    """One attempt's memory and judgement. `choose` must be shown every position, in order, to remember drawn cards."""

    ruleset: Ruleset
    dice: random.Random = field(default_factory=random.Random)
    worlds: int = WORLDS
    seen: set[Card] = field(default_factory=set)

    def choose(self, view: Mapping[str, Any], legal: Sequence[str]) -> str:
        """The move to make: one of `legal` (undo is never chosen). ValueError when there is none."""
        faces = {slot: parse_card(text) for slot, text in enumerate(view["tableau"]) if text not in {None, FACE_DOWN}}
        top = NO_CARD if view["waste"] is None else parse_card(view["waste"])
        self.seen |= {*faces.values()} | ({top} - {NO_CARD})
        moves = [move for move in legal if move == _DRAW or move.startswith("t")]
        if not moves:
            raise ValueError("no move to choose from")
        if len(moves) == 1:
            return moves[0]
        removed = sum(BIT[slot] for slot, text in enumerate(view["tableau"]) if text is None)
        hidden = [slot for slot, text in enumerate(view["tableau"]) if text == FACE_DOWN]
        unseen = sorted(set(range(JOKER + (self.ruleset.deck_size > JOKER))) - self.seen)
        totals = dict.fromkeys(moves, 0.0)
        for _ in range(self.worlds):
            imagined = self.dice.sample(unseen, len(hidden) + view["stock"])
            tableau = [faces.get(slot, NO_CARD) for slot in range(SLOTS)]
            for slot, card in zip(hidden, imagined, strict=False):
                tableau[slot] = card
            stock = imagined[len(hidden) :]
            for move in moves:
                totals[move] += self._try(move, tableau, stock, removed, top)
        return max(moves, key=lambda move: (totals[move], move != _DRAW))

    def _try(self, move: str, tableau: list[Card], stock: list[Card], removed: int, top: Card) -> float:
        """The worth of an imagined end after `move` and quick play: most when won, then by what the ruleset counts."""
        fits = FITS[self.ruleset.joined]
        runs = self.ruleset.scoring == "runs"
        drawn, run, score, peaks = 0, 0, 0, peaks_cleared(removed)
        slot = None if move == _DRAW else int(move[1:])
        while True:
            if slot is None:
                if drawn == len(stock):
                    break
                top, run, score = stock[drawn], 0, score - (5 if runs else 1)
                drawn += 1
            else:
                top, removed, run = tableau[slot], removed | BIT[slot], run + 1
                score += run if runs else 1
                if peaks_cleared(removed) > peaks:
                    peaks += 1
                    score += (30 if peaks == 3 else 15) if runs else 10
                if removed == ALL_REMOVED:
                    return score + (0 if runs else 200)
            playable = [each for each in open_slots(removed) if fits[top][tableau[each]]]
            slot = max(playable, key=lambda each: self._appeal(each, removed, tableau)) if playable else None
        return score

    def _appeal(self, slot: int, removed: int, tableau: list[Card]) -> float:
        """Quick play's taste: turn cards up, and leave a neighbour in rank to go on with."""
        after = removed | BIT[slot]
        turned = sum(is_open(after, under) for under in COVERS[slot])
        fits = FITS[self.ruleset.joined][tableau[slot]]
        follow = sum(fits[tableau[each]] for each in open_slots(after))
        return 3 * turned + min(follow, 2) + self.dice.random()
