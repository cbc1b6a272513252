"""Starting an attempt: numbers, ranked or practice, sealed deals, and the facts stored with it."""

from __future__ import annotations

import datetime as dt

import pytest

from games.engine.cards import parse_cards
from games.engine.codes import composed_code, parse_code
from games.engine.deals import deal_cards
from games.errors import BadInput, Conflict
from games.models import Deal
from games.services import attempt_start, random_code
from tests.attempts.hand import NOON, Hand


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


def test_a_deal_of_a_competition_cannot_be_started_otherwise_before_it_is_final(alice: Hand) -> None:
    code = parse_code("TP2-E-00041061050R3GG28A1C60T3GF")
    cards = deal_cards(code)
    Deal.objects.create(cards=bytes(cards), sealed_until=NOON + dt.timedelta(hours=1))
    composed = composed_code("E", cards)
    for spelt in (code.text, composed.text):
        with pytest.raises(Conflict) as refused:
            alice.start(spelt)
        assert refused.value.code == "sealed_deal"
    alice.wait(hours=1)
    attempt = alice.start(composed.text)
    assert (attempt.ranked, attempt.undo_allowed) == (False, True)


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
