"""How many deals can be won, and with how few draws: random deals in blocks that are the same on every machine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Final

from games.engine.codes import TP1_SPAN, GameCode
from games.engine.deals import deal_cards, sealed_words
from games.engine.rulesets import find_ruleset
from games.solver.exact import winnable

BLOCK: Final = 1_000
DRAWS: Final = 25
"""A win takes 0..24 draws."""
_Z_95: Final = 1.959963984540054


def survey_codes(letters: str, seed: int, block: int, size: int = BLOCK) -> Iterator[GameCode]:
    """The codes of one block: TP1 deals drawn at random, by the seed and the block's number alone."""
    words = sealed_words(f" winnability {seed} {block}".encode())
    for _ in range(size):
        yield GameCode("TP1", letters, next(words) % TP1_SPAN)


def survey_block(letters: str, seed: int, block: int, size: int = BLOCK) -> list[int]:
    """Deals by the fewest draws of a win (0..24); what is missing to ``size`` cannot be won."""
    ruleset = find_ruleset(letters)
    counts = [0] * DRAWS
    for code in survey_codes(ruleset.letters, seed, block, size):
        _, draws = winnable(ruleset, deal_cards(code))
        if draws is not None:
            counts[draws] += 1
    return counts


@dataclass(frozen=True, slots=True)
class Survey:
    """What the blocks add up to."""

    deals: int
    draws: tuple[int, ...]
    """Deals by the fewest draws of a win."""

    @classmethod
    def of(cls, deals: int, blocks: Sequence[Sequence[int]]) -> Survey:
        return cls(deals, tuple(sum(counts[draws] for counts in blocks) for draws in range(DRAWS)))

    @property
    def won(self) -> int:
        return sum(self.draws)

    @property
    def share(self) -> float:
        return self.won / self.deals

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the share."""
        return wilson(self.won, self.deals)


def wilson(won: int, deals: int) -> tuple[float, float]:
    """The 95 % score interval of a share; between 0 and 1 also where all or none is won."""
    share, weight = won / deals, _Z_95**2 / deals
    middle = (share + weight / 2) / (1 + weight)
    half = _Z_95 / (1 + weight) * sqrt(share * (1 - share) / deals + weight / (4 * deals))
    return max(0.0, middle - half), min(1.0, middle + half)
