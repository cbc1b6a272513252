"""Replay of a move log: one fold giving the position, the valid part of the log, and the first refusal with its ply."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from games.engine.cards import FITS, NO_CARD, Card
from games.engine.errors import IllegalMove, InvalidMove
from games.engine.layout import ALL_REMOVED, BIT, COVER_MASK, OPEN_TEST, SLOTS, open_slots
from games.engine.moves import DRAW, LAST_MOVE, MAX_PLIES, Move
from games.engine.position import Position, check_deck, start
from games.engine.rulesets import Ruleset
from games.engine.scoring import SCORING, tally


@dataclass(frozen=True, slots=True)
class Replay:
    """What a log leads to."""

    position: Position
    """After the last ply that holds."""
    valid: tuple[Move, ...]
    """The plies that hold: the whole log when there is no error."""
    error: IllegalMove | None = None
    """Why the next ply was refused."""
    error_ply: int | None = None
    """Which ply was refused, from 1."""


def replay(ruleset: Ruleset, cards: Sequence[Card], log: Sequence[Move], *, undo_allowed: bool = True) -> Replay:
    """Play a whole log from the opening.

    A move against the rules ends the fold and is reported; it is not raised. Raises `InvalidCards` for a wrong deck and
    `InvalidMove` for numbers that are no moves. Only yes or no is decided here, on bit masks: the reason of a refusal
    comes from `Position.check`, so that there is one place for it (tests hold the two to each other).
    """
    deal = check_deck(ruleset, cards)
    if log and not (min(log) >= 0 and max(log) <= LAST_MOVE):
        ply = next(ply for ply, move in enumerate(log, start=1) if not 0 <= move <= LAST_MOVE)
        raise InvalidMove("move_text", f"Ply {ply} is not a move.", ply=ply)
    fits = FITS[ruleset.joined]
    stock_start = at = ruleset.stock_start
    stock_end = ruleset.deck_size
    draw_is_free = ruleset.draw_onto_empty_waste and not ruleset.draw_only_when_stuck
    first = waste = NO_CARD if ruleset.waste_starts_empty else deal[SLOTS]
    bits, tests, wanted = BIT, OPEN_TEST, COVER_MASK
    removed = undos = done = 0
    line: list[Move] = []
    stands = line.append
    refused = False
    for move in log if len(log) <= MAX_PLIES else log[:MAX_PLIES]:
        if move < DRAW:
            card = deal[move]
            if removed & tests[move] != wanted[move] or not fits[waste][card]:
                refused = True
                break
            removed |= bits[move]
            waste = card
            stands(move)
        elif move == DRAW:
            if at == stock_end or removed == ALL_REMOVED:
                refused = True
                break
            if not draw_is_free and not _may_draw(ruleset, deal, removed, waste):
                refused = True
                break
            waste = deal[at]
            at += 1
            stands(DRAW)
        else:
            if not line or removed == ALL_REMOVED or not undo_allowed:
                refused = True
                break
            last = line.pop()
            if last == DRAW:
                at -= 1
            else:
                removed ^= bits[last]
            if not line:
                waste = first
            else:
                last = line[-1]
                waste = deal[last] if last < DRAW else deal[at - 1]
            undos += 1
        done += 1
    score, run = tally(SCORING[ruleset.scoring], line)
    position = Position(
        ruleset, deal, removed, at - stock_start, tuple(line), done - undos, undos, score, run, undo_allowed
    )
    if not refused and done == len(log):
        return Replay(position, tuple(log))
    try:
        position.check(log[done])
    except IllegalMove as error:
        return Replay(position, tuple(log[:done]), error, done + 1)
    raise AssertionError("replay and Position.check disagree")


def _may_draw(ruleset: Ruleset, deal: tuple[Card, ...], removed: int, waste: int) -> bool:
    """The draw limits of R6 for the rulesets that have any."""
    if waste == NO_CARD and not ruleset.draw_onto_empty_waste:
        return False
    if not ruleset.draw_only_when_stuck:
        return True
    row = FITS[ruleset.joined][waste]
    return not any(row[deal[slot]] for slot in open_slots(removed))


def replay_steps(
    ruleset: Ruleset, cards: Sequence[Card], log: Sequence[Move], *, undo_allowed: bool = True
) -> Iterator[Position]:
    """Every position of a log from ply 0 on; raises `IllegalMove` or `InvalidMove` at the first move that fails."""
    position = start(ruleset, cards, undo_allowed=undo_allowed)
    yield position
    for move in log:
        position = position.play(move)
        yield position
