"""Where a log was over on the way: found by a few replays, the same as by every step."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import pytest

from games.engine.codes import TP1_SPAN, GameCode
from games.engine.deals import deal_cards
from games.engine.moves import UNDO
from games.engine.position import start
from games.engine.replay import replay_steps
from games.engine.rulesets import RULESETS, find_ruleset
from games.selectors import attempts


def played(choose: random.Random) -> Iterator[tuple[str, tuple[int, ...], list[int]]]:
    """Logs of careless players who take back whatever ended badly, and more."""
    for letters in RULESETS:
        ruleset = find_ruleset(letters)
        for _ in range(25):
            cards = tuple(deal_cards(GameCode("TP1", letters, choose.randrange(TP1_SPAN))))
            position = start(ruleset, cards, undo_allowed=True)
            log: list[int] = []
            undos = 0
            while len(log) < 150:
                legal = list(position.legal_moves())
                over = position.outcome is not None
                if UNDO in legal and undos < 20 and (over or choose.random() < 0.05):
                    move, undos = UNDO, undos + 1
                elif over:
                    break
                else:
                    move = choose.choice([one for one in legal if one != UNDO])
                log.append(move)
                position = position.play(move)
            yield letters, cards, log


def different(turns: int) -> int:
    """Logs whose ends are found otherwise than by every step; how many had an end that was taken back is asserted."""
    taken_back = found = 0
    for letters, cards, log in played(random.Random(20_261_130)):
        ruleset = find_ruleset(letters)
        steps = replay_steps(ruleset, cards, log, undo_allowed=True)
        ends = [position for position in steps if position.outcome is not None]
        taken_back += len(ends) > 1
        found += attempts._ends(ruleset, cards, log, undo_allowed=True) != ends
    assert taken_back > 10
    return found


@pytest.mark.parametrize("few", [0, 10, 1000])
def test_every_end_on_the_way_is_found_whichever_way_is_taken(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempts, "_FEW_TURNS", few)
    assert different(few) == 0


def test_the_comparison_notices_ends_that_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def last_only(log: Sequence[int], stock: int) -> list[int]:
        return [len(log)]

    monkeypatch.setattr(attempts, "_turns", last_only)
    assert different(10) > 10
