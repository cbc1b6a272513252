"""Starting an attempt: numbers, ranked or practice, sealed deals, and the facts stored with it."""

from __future__ import annotations

import dataclasses
import datetime as dt
import itertools

import pytest

from games.engine.cards import parse_cards
from games.engine.codes import GameCode, composed_code, parse_code
from games.engine.deals import deal_cards
from games.errors import BadInput, Conflict
from games.models import Deal
from games.services import attempt_start, random_code
from tests.attempts.hand import DAILY, NOON, Hand, deck_code


def test_R7_1_one_deal_whatever_the_ruleset_or_kind_of_code(alice: Hand) -> None:
    easy = alice.start("TP1-E-AAAAAAB", "a")
    classic = alice.start("tp1 c aaaaaab".replace(" ", "-"), "b")
    composed = alice.start(composed_code("R", deal_cards(parse_code("TP1-E-AAAAAAB"))).text, "c")
    joker = alice.start("TP1-J-AAAAAAB", "d")
    assert easy.deal_id == classic.deal_id == composed.deal_id != joker.deal_id
    assert [attempt.number for attempt in (easy, classic, composed, joker)] == [1, 2, 3, 1]
    assert (classic.code, classic.ruleset) == ("TP1-C-AAAAAAB", "C")


def test_the_old_letter_N_is_written_as_E(alice: Hand) -> None:
    attempt = alice.start("TP1-N-AAAAAAB")
    assert (attempt.code, attempt.ruleset) == ("TP1-E-AAAAAAB", "E")


def test_versions_are_stored_with_each_attempt(alice: Hand) -> None:
    attempt = alice.start("TP1-G-AAAAAAB")
    stored = (attempt.engine_version, attempt.deal_version, attempt.ruleset_version, attempt.scoring_version)
    assert stored == (1, 1, 1, 1)
    assert attempt.score == 28  # cards_left counts from all of them


def test_practice_is_fixed_at_the_start(alice: Hand) -> None:
    assert alice.start("TP1-E-AAAAAAB", "a", practice=True).ranked is False
    assert alice.start("TP1-E-AAAAAAB", "b").ranked is True
    assert alice.start("TP2-E-00041061050R3GG28A1C60T3GF", "c").ranked is False  # for competitions only


@pytest.fixture
def sealed() -> GameCode:
    """The code of a competition's deal that is final an hour after noon."""
    code = parse_code("TP2-E-00041061050R3GG28A1C60T3GF")
    Deal.objects.create(cards=bytes(deal_cards(code)), sealed_until=NOON + dt.timedelta(hours=1))
    return code


def test_R9_2_a_deal_of_a_competition_cannot_be_started_otherwise_before_it_is_final(
    alice: Hand, bob: Hand, sealed: GameCode
) -> None:
    spellings = [sealed.text, *(composed_code(letters, deal_cards(sealed)).text for letters in ("E", "W"))]
    for spelt in spellings:
        with pytest.raises(Conflict) as refused:
            alice.start(spelt)
        assert refused.value.code == "sealed_deal"
    alice.wait(hours=1)
    bob.wait(hours=1)
    attempts = [hand.start(spelt, f"k{n}") for hand in (alice, bob) for n, spelt in enumerate(spellings)]
    assert {(attempt.ranked, attempt.undo_allowed) for attempt in attempts} == {(False, True)}
    assert [attempt.number for attempt in attempts] == [1, 2, 3, 1, 2, 3]


def test_R10_1_the_refusal_of_a_sealed_deal_does_not_tell_the_order_of_its_last_cards(
    alice: Hand, sealed: GameCode
) -> None:
    """Who has seen all but three cards of a daily composes their six orders: all are refused alike."""
    cards = deal_cards(sealed)
    answers = set()
    for n, last in enumerate(itertools.permutations(cards[-3:])):
        with pytest.raises(Conflict) as refused:
            alice.start(composed_code("E", [*cards[:-3], *last]).text, f"k{n}")
        answers.add((refused.value.code, refused.value.message, str(refused.value.data)))
    assert len(answers) == 1
    assert Deal.objects.count() == 1
    other_row = [cards[19], cards[18]]
    assert alice.start(composed_code("E", [*cards[:18], *other_row, *cards[20:]]).text, "free").ranked


def test_a_key_that_started_a_competition_starts_nothing_else_and_the_other_way_round(alice: Hand) -> None:
    alice.start(deck_code("Z", "R"), "daily", competition=DAILY)
    alice.start(deck_code("Z", "R"), "plain")
    other = dataclasses.replace(DAILY, key="daily-other")
    for key, competition in (("daily", None), ("plain", other)):
        with pytest.raises(Conflict) as refused:
            alice.start(deck_code("Z", "R"), key, competition=competition)
        assert refused.value.code == "key_reused"
    assert alice.start(deck_code("Z", "R"), "fresh", competition=other).number == 3


def test_a_repeated_random_start_is_the_same_attempt(alice: Hand) -> None:
    made = [
        attempt_start(
            player_id=alice.player.pk,
            code=random_code("E"),
            start_key="lucky",
            practice=False,
            any_code=True,
            now=NOON,
        )
        for _ in range(3)
    ]
    assert len({attempt.pk for attempt, _ in made}) == 1
    assert [created for _, created in made] == [True, False, False]


def test_random_codes_are_not_walked_in_order() -> None:
    numbers = {random_code("E").number for _ in range(50)}
    assert len(numbers) == 50
    assert max(numbers) > 1_000_000


@pytest.mark.parametrize("key", ["", "a b", "x" * 65, "schlüssel", "a\x00"])
def test_a_start_key_that_makes_no_sense_is_refused(alice: Hand, key: str) -> None:
    with pytest.raises(BadInput) as refused:
        alice.start("TP1-E-AAAAAAB", key)
    assert refused.value.code == "bad_field"


def test_C01_the_same_code_is_the_same_deal_after_any_number_of_restarts(alice: Hand) -> None:
    cards = parse_cards("6D TC 3D 7H 7D 8S 9D 5D JS QC 4D JD 3C 7S TH 4H 6H 3H 3S 5S KC 4S 2D AS KD 8H 7C 9S AC")
    for key in ("a", "b", "c"):
        attempt = alice.start("TP1-E-AAAAAAB", key)
        alice.play_all(attempt, "t20 t23 t22")
        assert tuple(attempt.deal.cards)[:29] == cards
