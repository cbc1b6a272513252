"""Times that no person has are signals; slow, broken, switched and dropped ones are none."""

from __future__ import annotations

import random

import pytest

from leaderboards.moderation.evidence import Evidence, Subject
from leaderboards.moderation.timing import answers, even_rhythm, machine_speed, queued
from tests.moderation.lines_made import HOUR, at_random, deal, evidence, from_the_left, line, played

CARDS = deal(1)
LOG = played(CARDS, from_the_left, 1)


def timed(times: list[int], who: Subject | None = None) -> Evidence:
    subject = line(CARDS, LOG, times=times)
    return evidence(subject) if who is None else evidence(subject, who=who)


def test_answers_to_a_card_just_shown_in_a_tenth_of_a_second_are_a_machine_s() -> None:
    rng = random.Random(1)
    signal = machine_speed(timed([800, *(rng.randint(60, 120) for _ in LOG[1:])]))
    assert signal is not None
    assert signal.points >= 33
    assert signal.evidence["plies"]
    assert machine_speed(timed([rng.randint(60, 120) for _ in LOG], Subject("bot", HOUR, 0))) is None


@pytest.mark.parametrize("quickest", [230, 450, 900, 4000])
def test_quick_and_slow_people_are_not(quickest: int) -> None:
    rng = random.Random(quickest)
    times = [round(quickest * (1 + rng.expovariate(1.5))) for _ in LOG]
    assert machine_speed(timed(times)) is None
    assert even_rhythm(timed(times)) is None


def test_moves_that_waited_for_a_link_are_excused_and_a_whole_game_at_once_is_not() -> None:
    times = [1500] * len(LOG)
    times[10] = 9000
    times[11:16] = [1, 2, 0, 3, 1]
    found = timed(times)
    assert queued(found.line) == {12, 13, 14, 15, 16}
    assert machine_speed(found) is None
    assert machine_speed(timed([20_000, *[2] * (len(LOG) - 1)])) is not None


def test_switch_scanning_and_dwelling_keep_a_beat_and_are_no_timers() -> None:
    rng = random.Random(3)
    scanning = [900 * rng.randint(1, 6) + round(rng.gauss(0, 18)) for _ in LOG]
    dwelling = [800 + round(rng.expovariate(1 / 60)) + rng.choice((0, 0, 300)) for _ in LOG]
    for times in (scanning, dwelling):
        assert even_rhythm(timed(times)) is None
        assert machine_speed(timed(times)) is None
    timer = even_rhythm(timed([1000 + round(rng.gauss(0, 6)) for _ in LOG]))
    assert timer is not None
    assert timer.points >= 30


def test_an_answer_uses_what_the_ply_before_has_shown() -> None:
    cards = deal(2)
    log = played(cards, at_random, 2)
    for ply, _ in answers(line(cards, log)):
        before, move = log[ply - 2], log[ply - 1]
        assert move < 28
        assert before == 28 or before > move, "a card is turned up by one that lay on it"
