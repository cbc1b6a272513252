"""A line that somebody has played before is found, unless everybody would play it."""

from __future__ import annotations

from games.engine.moves import DRAW
from games.solver.options import Choice, worths
from leaderboards.moderation.choices import decisions
from leaderboards.moderation.evidence import Subject
from leaderboards.moderation.same_line import find_copy, same_line
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


def test_players_of_one_simple_habit_do_not_copy_each_other() -> None:
    cards = deal(6)
    log = played(cards, from_the_left)
    many = [line(cards, log, player=seed, attempt=seed, started=seed) for seed in range(2, 6)]
    found = evidence(line(cards, log, player=99, attempt=99, started=HOUR), *many)
    assert find_copy(found).decibans < 15


def test_ten_copies_do_not_make_a_line_common() -> None:
    cards = deal(1)
    log = played(cards, at_random, 1)
    copies = [line(cards, log, player=seed, attempt=seed, started=seed) for seed in range(2, 12)]
    found = evidence(line(cards, log, player=99, attempt=99, started=HOUR), *copies)
    assert find_copy(found).decibans >= 33


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
