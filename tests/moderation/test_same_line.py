"""A line that somebody has played before is found, unless everybody would play it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest

from games.engine.cards import Card
from games.engine.moves import DRAW, UNDO, Move
from games.engine.replay import replay
from games.solver.options import Choice, worths
from leaderboards.moderation.choices import decisions
from leaderboards.moderation.evidence import Subject
from leaderboards.moderation.same_line import VOUCHES, find_copy, same_line
from leaderboards.moderation.timing import copied_pace
from leaderboards.moderation.verdict import FLAG_AT
from tests.moderation.lines_made import HOUR, E, at_random, deal, evidence, from_the_left, knowing_all, line, played


def test_an_unusual_line_is_found_in_a_field_and_says_where() -> None:
    cards = deal(1)
    log = played(cards, at_random, 2)
    others = [
        line(cards, played(cards, at_random, seed), player=seed, attempt=seed, started=seed) for seed in range(10, 60)
    ]
    source = line(cards, log, player=2, attempt=7, started=0)
    copied = line(cards, log, player=3, attempt=99, started=HOUR)
    found = evidence(copied, source, *others)
    copy = find_copy(found)
    signal = same_line(found, copy)
    assert signal is not None
    assert signal.points >= 33
    assert signal.evidence["attempt_id"] == 7
    assert signal.evidence["same"] == signal.evidence["shared"] == len(list(decisions(E, cards, log)))
    assert signal.evidence["plies"]
    assert "Same line as an earlier finish" in signal.explanation
    # The controls: a line of one's own, and the source itself, which came first.
    own = line(cards, played(cards, at_random, 77), player=3, attempt=99, started=HOUR)
    assert same_line(evidence(own, source, *others), find_copy(evidence(own, source, *others))) is None
    before = evidence(line(cards, log, player=2, attempt=7, started=0), line(cards, log, player=3, started=HOUR))
    assert find_copy(before).finish is None


def test_a_changed_copy_is_found_too() -> None:
    cards = deal(2)
    log = list(played(cards, at_random, 5))
    source = line(cards, log, player=2, attempt=7)
    # Two removes that follow each other and do not touch each other's cards change places where that is allowed.
    changed = None
    for at in range(len(log) - 1):
        swapped = [*log[:at], log[at + 1], log[at], *log[at + 2 :]]
        try:
            again = list(decisions(E, cards, swapped))
        except ValueError:
            continue
        if log[at] != log[at + 1] and DRAW not in (log[at], log[at + 1]) and again:
            changed = swapped
            break
    if changed is None:  # no such pair in this line: one more draw at the end instead
        changed = log[:-1]
    found = evidence(line(cards, changed, player=3, attempt=9, started=HOUR), source)
    assert find_copy(found).decibans >= 33


def test_a_forced_line_tells_nothing() -> None:
    """Case C25: a short line that leaves hardly a choice is shared by honest players."""
    cards = deal(1)
    log = played(cards, from_the_left, 1)
    forced = evidence(
        line(cards, log[:3], player=3, attempt=9, started=HOUR), line(cards, log[:3], player=2, attempt=7)
    )
    assert find_copy(forced).decibans < 10
    assert same_line(forced, find_copy(forced)) is None


@pytest.mark.parametrize("seed", [6, 7, 8, 9])
@pytest.mark.parametrize("side", [0, -1])
def test_players_of_one_simple_habit_do_not_copy_each_other(seed: int, side: int) -> None:
    """Always the first card that fits, or always the last one: whoever has the habit plays the whole line alike."""

    def in_order(moves: Sequence[Move], removed: int, drawn: int, cards: Sequence[Card], rng: Random) -> Move:
        fitting = [move for move in moves if move != DRAW]
        return fitting[side] if fitting else DRAW

    cards = deal(seed)
    log = played(cards, in_order)
    many = [line(cards, log, player=number, attempt=number, started=number) for number in range(2, 6)]
    found = evidence(line(cards, log, player=99, attempt=99, started=HOUR), *many)
    assert len(list(decisions(E, cards, log))) > 15
    assert find_copy(found).decibans < FLAG_AT - 5


def test_ten_copies_do_not_make_a_line_common() -> None:
    cards = deal(1)
    log = played(cards, at_random, 1)
    copies = [line(cards, log, player=seed, attempt=seed, started=seed) for seed in range(2, 12)]
    found = evidence(line(cards, log, player=99, attempt=99, started=HOUR), *copies)
    assert find_copy(found).decibans >= 33


def test_a_copy_that_leaves_the_line_for_some_moves_is_back_on_it_afterwards() -> None:
    """A card moved forward by many places: in between no position is the source's, but the order is."""
    cards = deal(1)
    log = played(cards, at_random, 2)
    source = line(cards, log, player=2, attempt=7)
    exact = evidence(line(cards, log, player=3, attempt=9, started=HOUR), source)
    changed = max((each for each in _moved(cards, log)), key=lambda each: _apart(cards, each, log))
    assert _apart(cards, changed, log) >= 3
    copy = find_copy(evidence(line(cards, changed, player=3, attempt=9, started=HOUR), source))
    assert copy.same >= copy.shared - 2
    assert copy.decibans >= find_copy(exact).decibans - 20


def _moved(cards: Sequence[Card], log: Sequence[Move]) -> list[list[Move]]:
    """All logs with one remove somewhere else that the rules allow and that end alike."""
    found = []
    for at, move in enumerate(log):
        for to in range(len(log)):
            rest = [*log[:at], *log[at + 1 :]]
            tried = [*rest[:to], move, *rest[to:]]
            if tried != list(log) and replay(E, cards, tried, undo_allowed=False).error is None:
                found.append(tried)
    return found


def _apart(cards: Sequence[Card], log: Sequence[Move], source: Sequence[Move]) -> int:
    """Decisions of a log that its source never came to."""
    known = {decision.key for decision in decisions(E, cards, source)}
    return sum(decision.key not in known for decision in decisions(E, cards, log))


def test_what_was_undone_is_neither_compared_nor_counted_twice() -> None:
    cards = deal(1)
    log = played(cards, at_random, 2)
    source = line(cards, log, player=2, attempt=7)
    plain = find_copy(evidence(line(cards, log, player=3, attempt=9, started=HOUR), source))
    again = [*log[:12], *[UNDO] * 10, *log[2:]]
    for first, second in ((log, again), (again, log), (again, again)):
        earlier = line(cards, first, player=2, attempt=7)
        copy = find_copy(evidence(line(cards, second, player=3, attempt=9, started=HOUR), earlier))
        assert copy.decibans == pytest.approx(plain.decibans)
        assert (copy.shared, copy.same) == (plain.shared, plain.same)


def test_good_finishes_are_suspected_before_bad_ones() -> None:
    """The same copy of the same line: among worse finishes it tells more than among better ones."""
    cards = deal(8)
    source = line(cards, played(cards, at_random, 3), player=2, attempt=7)
    copied = line(cards, source.log, player=3, attempt=999, started=9 * HOUR)
    others = (
        [played(cards, knowing_all, seed) for seed in range(20)],
        [played(cards, at_random, seed)[:10] for seed in range(50, 70)],
    )
    better, worse = (
        find_copy(evidence(copied, source, *(line(cards, log, player=9, attempt=20 + n) for n, log in enumerate(logs))))
        for logs in others
    )
    assert worse.finish is not None
    assert worse.finish.attempt_id == 7
    assert worse.decibans > better.decibans + 5


def test_an_odd_line_that_many_others_play_too_is_a_school_s() -> None:
    """Who comes to the same decisions and makes the same odd moves, but elsewhere goes another way, makes them common."""
    cards = deal(1)
    log = played(cards, at_random, 2)
    half = len(log) // 2
    source, copied = line(cards, log, player=2, attempt=7), line(cards, log, player=3, attempt=999, started=9 * HOUR)
    school = [line(cards, log[:half], player=20 + n, attempt=20 + n) for n in range(30)]
    strangers = [line(cards, played(cards, at_random, n)[:half], player=20 + n, attempt=20 + n) for n in range(30)]
    assert (
        find_copy(evidence(copied, source, *school)).decibans
        < find_copy(evidence(copied, source, *strangers)).decibans - 8
    )


def test_on_open_cards_a_line_that_knows_them_is_no_copy_for_that() -> None:
    """Anybody may study an open deal; on a sealed one the very same line is told apart from good play."""
    cards = deal(8)
    log = played(cards, knowing_all, 8)
    source, copied = line(cards, log, player=2, attempt=7), line(cards, log, player=3, attempt=9, started=HOUR)
    sealed = find_copy(evidence(copied, source))
    opened = find_copy(evidence(copied, source, sealed=False))
    assert sealed.decibans > FLAG_AT
    assert opened.decibans < sealed.decibans - 5


def test_the_same_evidence_gives_the_same_answer() -> None:
    cards = deal(8)
    log = played(cards, knowing_all, 8)
    source, copied = line(cards, log, player=2, attempt=7), line(cards, log, player=3, attempt=9, started=HOUR)
    assert find_copy(evidence(copied, source)) == find_copy(evidence(copied, source))


def test_own_earlier_finishes_and_programs_are_not_compared() -> None:
    cards = deal(1)
    log = played(cards, at_random, 1)
    own = evidence(line(cards, log, player=3, attempt=9, started=HOUR), line(cards, log, player=3, attempt=7))
    assert find_copy(own).finish is None
    bot = evidence(
        line(cards, log, player=3, attempt=9, started=HOUR),
        line(cards, log, player=2, attempt=7),
        who=Subject("bot", HOUR, 0),
    )
    assert find_copy(bot).decibans >= 33
    assert same_line(bot, find_copy(bot)) is None


def test_the_lines_that_know_the_cards_were_best() -> None:
    """The control of the cast: its knower plays best moves, its others do not always."""
    cards = deal(8)
    for choose, always in ((knowing_all, True), (at_random, False)):
        best = []
        for decision in decisions(E, cards, played(cards, choose, 8)):
            values = worths(E, cards, [Choice(*decision.key[:2], decision.choice.moves)])[0]
            best.append(values[decision.made] == max(values))
        assert all(best) is always


def test_the_pace_of_reading_off_counts_only_beside_a_strong_likeness() -> None:
    cards = deal(1)
    log = played(cards, at_random, 2)
    others = [
        line(cards, played(cards, at_random, seed), player=seed, attempt=seed, started=seed) for seed in range(10, 60)
    ]
    quick = line(cards, log, player=3, attempt=99, started=HOUR, times=[350] * len(log))
    found = evidence(quick, line(cards, log, player=2, attempt=7), *others)
    copy = find_copy(found)
    assert copy.decibans > VOUCHES
    signal = copied_pace(found, copy)
    assert signal is not None
    assert (signal.group, signal.evidence["attempt_id"], signal.evidence["ms_a_move"]) == ("time", 7, 350)
    assert copied_pace(found, replace(copy, decibans=VOUCHES - 1)) is None
    assert copied_pace(found, replace(copy, decibans=VOUCHES - 0.4)) is not None, "in whole points, as the verdict's"
    at_ease = evidence(line(cards, log, player=3, attempt=99, started=HOUR), line(cards, log, player=2), *others)
    assert copied_pace(at_ease, find_copy(at_ease)) is None
