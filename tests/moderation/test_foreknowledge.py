"""Choices are held against the hidden cards: who cannot see them wins nothing by it, who can is found."""

from __future__ import annotations

import itertools
import math
import random
from dataclasses import replace
from statistics import fmean

import pytest

from games.engine.layout import SLOTS, open_slots
from games.engine.moves import DRAW
from leaderboards.moderation import foreknowledge, verdict
from leaderboards.moderation.choices import decisions
from leaderboards.moderation.evidence import Career
from leaderboards.moderation.foreknowledge import DEGREES, STAKES, WINDOWS, decibans, logs, telling
from leaderboards.moderation.honest import FEATURES, chances, features
from leaderboards.moderation.shuffles import FIRST, FULL, Care, Studied, careful_logs, study
from leaderboards.moderation.verdict import judge
from tests.moderation.lines_made import E, at_random, deal, evidence, from_the_left, knowing_all, line, played


def test_the_stake_is_spread_without_rest() -> None:
    assert math.isclose(sum(STAKES), 1)
    assert len(STAKES) == 2 * len(DEGREES)
    assert math.isclose(sum(WINDOWS.values()), 1)


def test_what_is_seen_is_the_same_whatever_lies_hidden() -> None:
    cards = deal(1)
    log = played(cards, at_random, 1)
    rng = random.Random(5)
    compared = 0
    for decision in itertools.islice(decisions(E, cards, log), 6):
        seen = set(open_slots(decision.choice.removed))
        hidden = [s for s in range(SLOTS) if s not in seen and not decision.choice.removed >> s & 1]
        hidden += range(E.stock_start + decision.choice.drawn, 52)
        other = list(cards)
        shuffled = [cards[place] for place in hidden]
        rng.shuffle(shuffled)
        for place, card in zip(hidden, shuffled, strict=True):
            other[place] = card
        assert features(E, other, decision) == features(E, cards, decision)
        assert chances(E, other, [decision]) == chances(E, cards, [decision])
        compared += tuple(other) != cards
    assert compared == 6
    # The control: an open card that changes its rank is seen.
    first = next(iter(decisions(E, cards, log)))
    there = next(move for move in first.choice.moves if move != DRAW)
    other = list(cards)
    place = next(p for p in range(SLOTS) if p not in open_slots(0) and cards[p] % 13 != cards[there] % 13)
    other[there], other[place] = other[place], other[there]
    assert all(len(row) == len(FEATURES) for row in features(E, cards, first))
    assert features(E, other, first) != features(E, cards, first)


def test_the_factors_of_a_choice_average_to_one_over_all_arrangements() -> None:
    """Exactly, whatever was chosen: near the end the unseen cards are few enough to lay them out in every order."""
    from games.solver.options import worths

    tried = 0
    for seed in range(80):
        cards = deal(seed)
        for decision in decisions(E, cards, played(cards, at_random, seed)):
            removed = decision.choice.removed
            hidden = [s for s in range(SLOTS) if s not in open_slots(removed) and not removed >> s & 1]
            hidden += range(E.stock_start + decision.choice.drawn, 52)
            if not 2 <= len(hidden) <= 5:
                continue
            hits = []
            for order in itertools.permutations([cards[place] for place in hidden]):
                other = list(cards)
                for place, card in zip(hidden, order, strict=True):
                    other[place] = card
                values = worths(E, other, [decision.choice])[0]
                if min(values) < max(values):
                    hits.append(values[decision.made] == max(values))
            if not hits or not 0 < sum(hits) < len(hits):
                continue
            tried += 1
            chance = sum(hits) / len(hits)
            for at, _ in enumerate(DEGREES):
                factors = []
                for hit in hits:
                    sums = [0.0] * len(STAKES)
                    foreknowledge._add(sums, 0, hit, chance, 0.3)
                    factors.append(math.exp(sums[at]))
                assert math.isclose(fmean(factors), 1)
    assert tried >= 3


@pytest.mark.parametrize("choose", [at_random, from_the_left])
def test_honest_players_win_nothing_however_they_choose(choose: object) -> None:
    careers = []
    for seed in range(120):
        cards = deal(seed)
        careers.append(logs(line(cards, played(cards, choose, seed)))[0])  # type: ignore[arg-type]
    assert fmean(10 ** (decibans([each])[0] / 10) for each in careers) < 1.5
    assert max(decibans([each])[0] for each in careers) < 30
    assert decibans(careers)[0] < 15


def test_who_knows_the_cards_is_found_within_ten_dailies() -> None:
    found = 0
    for player in range(3):
        career = []
        for day in range(10):
            cards = deal(1000 * player + day)
            career.append(logs(line(cards, played(cards, knowing_all, day)))[0])
        found += decibans(career)[0] >= 33
    assert found == 3


def test_careful_figures_agree_with_the_model_and_are_the_same_each_time() -> None:
    cards = deal(3)
    known = line(cards, played(cards, knowing_all, 3))
    careful = careful_logs([study(known, Care(8, 3))])
    assert careful == careful_logs([study(known, Care(8, 3))])
    assert careful != careful_logs([study(replace(known, attempt_id=2), Care(8, 3))]), "other shuffles"
    assert decibans(careful)[0] > 3
    honest = line(cards, played(cards, at_random, 3))
    assert decibans(careful_logs([study(honest, Care(8, 3))]))[0] < 3


def test_open_codes_are_open_book() -> None:
    cards = deal(3)
    known = line(cards, played(cards, knowing_all, 3))
    assert telling(known)
    assert judge(evidence(known, sealed=False)).signals == ()
    assert judge(evidence(known, sealed=False)).knowledge == ()
    assert len(judge(evidence(known)).knowledge) == len(STAKES)


def test_the_judge_asks_for_care_only_where_it_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    cards = deal(4)
    honest = line(cards, played(cards, at_random, 4))

    def confirm(care: Care) -> list[Studied]:
        asked.append(care)
        return []

    assert judge(evidence(honest), confirm=confirm).verdict == "nothing"
    assert not asked
    suspicious = Career(knowledge=[(3.0,) * len(STAKES)] * 6)
    assert judge(evidence(honest, career=suspicious), confirm=confirm).verdict == "nothing", "care found nothing"
    assert asked == [FIRST], "and more of it was not asked for"

    # The control: with a career that does know the cards it does decide.
    def knowing(care: Care) -> list[Studied]:
        asked.append(care)
        return [study(line(dealt, played(dealt, knowing_all, day)), care) for day, dealt in enumerate(days)]

    days = [deal(100 + day) for day in range(6)]
    judged = judge(evidence(honest, career=suspicious), confirm=knowing)
    assert judged.verdict == "flag"
    assert {signal.name for signal in judged.signals} == {"foreknowledge_over_time"}
    assert asked[1:] == [FIRST, FULL]

    assert judged.settles
    assert not judge(evidence(honest, career=replace(suspicious, settled=6)), confirm=knowing).signals
    assert asked[3:] == [], "what a flag has settled is no reason to look again"
    last = judge(evidence(honest, career=replace(suspicious, settled=4)), confirm=knowing)
    assert [signal.evidence["dailies"] for signal in last.signals if signal.name == "foreknowledge_over_time"] == [3]
    assert last.points < judged.points
    del asked[3:]

    monkeypatch.setattr(verdict, "CLOSER", judged.points + 50)
    told = judge(evidence(honest, career=suspicious), confirm=knowing)
    assert asked[3:] == [FIRST], "too little for a second look"
    assert {signal.name for signal in told.signals} == {"foreknowledge_over_time"}
