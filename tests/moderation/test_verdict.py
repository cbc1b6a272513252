"""Signals add up to nothing, a flag or a hold; one kind of evidence alone never holds anybody."""

from __future__ import annotations

import json
from typing import Any

import pytest

from leaderboards.moderation.evidence import Career, DailyResult, Link, Retries, Subject
from leaderboards.moderation.same_line import VOUCHES
from leaderboards.moderation.signals import Signal
from leaderboards.moderation.verdict import FLAG_AT, judge, verdict_of
from tests.moderation.lines_made import HOUR, PERSON, at_random, deal, evidence, line, played


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
    # The controls: two bots of one owner, and open cards.
    sisters = [Link(2, "bot", True, True, 6, 6, look, "resigned")]
    assert not judge(evidence(after, links=sisters, who=Subject("bot", 1000, 0))).signals
    assert not judge(evidence(after, links=links, sealed=False)).signals


def test_an_owner_s_bot_and_a_bot_s_owner_are_no_free_looks() -> None:
    """From whatever network, and whether that attempt was given up or left idle. Not the other way round in time."""
    cards = deal(1)
    look = line(cards, (28,) * 23, player=2, attempt=5)
    after = line(cards, played(cards, at_random, 2), player=3, attempt=6, started=HOUR)
    bot = Subject("bot", 1000, 0)
    words = {}
    for who, kind, ended in ((PERSON, "bot", "resigned"), (PERSON, "bot", ""), (bot, "person", "")):
        links = [Link(2, kind, False, True, 6, 6, look, ended)]  # type: ignore[arg-type]
        judged = judge(evidence(after, links=links, who=who))
        (seen,) = judged.signals
        assert (seen.name, seen.points, judged.verdict) == ("deal_seen", 16, "nothing")
        words[kind] = seen.explanation
        assert not judge(evidence(after, links=links, who=who, sealed=False)).signals
    assert "own bot" in words["bot"]
    assert "owner" in words["person"]
    assert "network" not in "".join(words.values())
    network = judge(evidence(after, links=[Link(2, "person", True, False, 1, 1, look, "resigned")])).signals
    assert [each.points for each in network if each.name == "deal_seen"] == [16]
    whole = line(cards, played(cards, at_random, 3), player=2, attempt=5)
    played_on = judge(evidence(after, links=[Link(2, "bot", False, True, 6, 6, whole, "won")])).signals
    assert [(each.name, each.points) for each in played_on] == [("deal_seen", 10)]
    late = line(cards, (28,) * 23, player=2, attempt=5, started=2 * HOUR)
    assert not judge(evidence(after, links=[Link(2, "bot", False, True, 6, 6, late, "resigned")])).signals


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
