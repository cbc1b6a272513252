"""Signals add up to nothing, a flag or a hold; one kind of evidence alone never holds anybody."""

from __future__ import annotations

import json
from typing import Any

import pytest

from leaderboards.moderation.evidence import Career, DailyResult, Link, Retries, Subject
from leaderboards.moderation.same_line import VOUCHES
from leaderboards.moderation.signals import Signal
from leaderboards.moderation.verdict import FLAG_AT, judge, verdict_of
from tests.moderation.lines_made import HOUR, at_random, deal, evidence, line, played


def signal(group: Any, points: int, name: str = "made_up") -> Signal:
    return Signal(name, group, points, "Made up.", {})


@pytest.mark.parametrize(
    ("signals", "verdict"),
    [
        ([], "nothing"),
        ([signal("time", FLAG_AT - 1)], "nothing"),
        ([signal("time", FLAG_AT)], "flag"),
        ([signal("moves", 99)], "flag"),
        ([signal("moves", 99), signal("moves", 99)], "flag"),
        ([signal("moves", 99), signal("time", 14)], "flag"),
        ([signal("moves", 41), signal("time", 15)], "hold"),
        ([signal("moves", 30), signal("time", 15)], "flag"),
        ([signal("account", 20), signal("account", 20), signal("account", 20)], "nothing"),
        ([signal("moves", 9), signal("account", 30)], "nothing"),
        ([signal("moves", 10), signal("account", 30)], "flag"),
        ([signal("moves", VOUCHES - 1, "same_line"), signal("account", 30)], "nothing"),
        ([signal("moves", VOUCHES, "same_line"), signal("account", 30)], "flag"),
        ([signal("moves", 12, "same_line"), signal("time", 10), signal("account", 30)], "flag"),
    ],
)
def test_groups(signals: list[Signal], verdict: str) -> None:
    assert verdict_of(signals)[0] == verdict


def test_a_family_behind_one_network_is_not_flagged() -> None:
    cards = deal(1)
    mother = line(cards, played(cards, at_random, 1), player=2, attempt=5)
    son = line(cards, played(cards, at_random, 2), player=3, attempt=6, started=HOUR)
    links = [Link(2, "person", True, False, 30, 16, mother, "won")]
    judged = judge(evidence(son, mother, links=links))
    assert judged.verdict == "nothing"
    assert {each.name for each in judged.signals} <= {"deal_seen", "foreknowledge"}


def test_a_look_by_a_guest_of_the_same_network_counts_and_does_not_flag_alone() -> None:
    cards = deal(1)
    look = line(cards, (28,) * 23, player=2, attempt=5)
    after = line(cards, played(cards, at_random, 2), player=3, attempt=6, started=HOUR)
    links = [Link(2, "guest", True, False, 6, 6, look, "resigned")]
    judged = judge(evidence(after, links=links, retries=Retries(linked_given_up=1)))
    assert {each.name for each in judged.signals} >= {"deal_seen", "linked_accounts", "given_up"}
    assert judged.verdict == "nothing"
    assert judged.points < FLAG_AT
    # One browser over two networks is as near.
    browser = [Link(2, "guest", False, False, 6, 6, look, "resigned", same_browser=True)]
    again = judge(evidence(after, links=browser, retries=Retries(linked_given_up=1)))
    assert [(each.name, each.points) for each in again.signals] == [(each.name, each.points) for each in judged.signals]
    assert "one browser" in next(each.explanation for each in again.signals if each.name == "linked_accounts")
    # The controls: an owner and a bot, and open cards.
    allowed = [Link(2, "bot", True, True, 6, 6, look, "resigned")]
    assert not judge(evidence(after, links=allowed)).signals
    assert not judge(evidence(after, links=links, sealed=False)).signals


def test_best_results_again_and_again_are_a_signal_of_their_own() -> None:
    cards = deal(1)
    subject = line(cards, played(cards, at_random, 2))
    perfect = Career(results=[DailyResult(True, 200, 2)] * 8)
    found = judge(evidence(subject, career=perfect))
    assert [each.name for each in found.signals if each.group == "results"] == ["too_good"]
    usual = Career(results=[DailyResult(day == 0, 200, 2) for day in range(20)])
    assert not [each for each in judge(evidence(subject, career=usual)).signals if each.group == "results"]
    small = Career(results=[DailyResult(True, 1, 1)] * 8)  # where all get there, nobody is too good
    assert not [each for each in judge(evidence(subject, career=small)).signals if each.group == "results"]


def test_every_signal_can_be_stored_and_read_by_people() -> None:
    cards = deal(1)
    log = played(cards, at_random, 1)
    copied = line(cards, log, player=3, attempt=9, started=HOUR, times=[100] * len(log))
    judged = judge(evidence(copied, line(cards, log, player=2, attempt=7), who=Subject("person", 1000, 0)))
    assert judged.verdict == "hold"
    assert {each.group for each in judged.signals} >= {"moves", "time"}
    assert [each.points for each in judged.signals] == sorted((each.points for each in judged.signals), reverse=True)
    for each in judged.signals:
        assert json.loads(json.dumps(each.as_json())) == each.as_json()
        assert each.explanation.endswith(".")
        assert len(each.explanation) > 60
