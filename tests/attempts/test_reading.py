"""What reading an attempt tells: one moment only, the code once it is published, and nothing when printed (R9.3, R10.1)."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from games.engine.cards import CARD_TEXTS
from games.errors import MoveRefused
from games.models import Attempt
from games.selectors import attempt_get, attempt_replay, attempt_resume, attempt_state, attempts_list
from games.selectors.attempts import facts_of
from games.services.attempt_rows import Asked, attempt_read
from tests.attempts.hand import DAILY, Z_LINE, Hand, deck_code

TP2 = "TP2-E-00041061050R3GG28A1C60T3GF"


def test_a_move_that_comes_while_a_state_is_read_is_not_half_in_it(alice: Hand) -> None:
    """Row and log are two statements: the log is read up to the row's ply."""
    attempt = alice.start(deck_code("Z", "R"))
    alice.play_all(attempt, Z_LINE[:-1])
    before = attempt_get(public_id=attempt.public_id, player_id=alice.player.pk, now=alice.at)
    row = Attempt.objects.select_related("deal").get(pk=attempt.pk)
    alice.play(attempt, Z_LINE[-1])
    assert attempt_state(row, alice.at) == before
    assert (before["ply"], before["outcome"], before["legal"]) == (27, None, ["t2", "d", "u"])


def test_R9_3_the_code_of_a_daily_attempt_is_null_until_it_is_final_and_then_told_everywhere(alice: Hand) -> None:
    attempt = alice.start(TP2, competition=DAILY)

    def codes() -> list[object]:
        who: dict[str, Any] = {"public_id": attempt.public_id, "player_id": alice.player.pk}
        return [
            attempt_get(**who, now=alice.at)["code"],
            attempt_resume(**who, ply=0, now=alice.at)["attempt"]["code"],
            attempts_list(player_id=alice.player.pk, cursor=None, now=alice.at)["attempts"][0]["code"],
        ]

    assert codes() == [None] * 3
    alice.wait(hours=12, minutes=30, seconds=59)
    assert codes() == [None] * 3
    alice.wait(seconds=1)
    assert codes() == [TP2] * 3


def test_R10_1_neither_rows_nor_their_values_print_a_code_or_a_card(alice: Hand) -> None:
    attempt = alice.start(TP2, competition=DAILY)
    row = Attempt.objects.select_related("deal", "player").get(pk=attempt.pk)
    asked = Asked(attempt.public_id, bytes(alice.credential.token_hash), "bearer", "m1", alice.at)
    read = attempt_read(asked, lock=False)
    assert read is not None
    told = "\n".join(map(repr, (row, row.deal, facts_of(row), read, read.position()))) + str(row) + str(row.deal)
    assert TP2[6:] not in told
    assert not any(card in told for card in CARD_TEXTS)
    assert str(tuple(row.deal.cards))[1:-1] not in told
    assert TP2[6:] in repr(row.code), "control: the check would find it"
    assert str(tuple(row.deal.cards))[1:-1] in repr(read.cards), "control: this one too"


def test_resuming_brings_the_plies_after_the_last_one_seen(alice: Hand) -> None:
    attempt = alice.start(deck_code("Z", "R"))
    alice.play_all(attempt, "t18 d u")
    for seen, since in ((0, ["t18", "d", "u"]), (1, ["d", "u"]), (2, ["u"]), (3, []), (9, [])):
        found = attempt_resume(public_id=attempt.public_id, player_id=alice.player.pk, ply=seen, now=alice.at)
        assert (found["ply"], found["since"], found["attempt"]["ply"]) == (3, since, 3)


def test_own_attempts_are_listed_newest_first_each_once_and_to_nobody_else(alice: Hand, bob: Hand) -> None:
    made = [alice.start("TP1-E-AAAAAAB", f"k{n}").public_id for n in range(103)]
    bob.start("TP1-E-AAAAAAB")
    found: list[str] = []
    sizes: list[int] = []
    cursor: str | None = None
    while True:
        page = attempts_list(player_id=alice.player.pk, cursor=cursor, now=alice.at)
        sizes.append(len(page["attempts"]))
        found += [each["id"] for each in page["attempts"]]
        cursor = page["next"]
        if cursor is None:
            break
        alice.start("TP1-E-AAAAAAB", f"new{len(found)}")  # a start between two pages moves nothing
    assert found == made[::-1]
    assert sizes == [50, 50, 3]


@pytest.mark.parametrize("ruleset", ["E", "O", "W", "J"])
def test_R10_1_no_exit_of_a_sealed_daily_names_a_card_that_was_not_turned_up(alice: Hand, ruleset: str) -> None:
    """Also for O, which shows its tableau and no more: the stock stays a secret to the owner, during and after."""
    attempt = alice.start(TP2.replace("-E-", f"-{ruleset}-"), competition=DAILY)
    attempt = Attempt.objects.select_related("deal").get(pk=attempt.pk)
    cards = [CARD_TEXTS[card] for card in attempt.deal.cards]
    stock_start = 28 if ruleset == "W" else 29
    who: dict[str, Any] = {"public_id": attempt.public_id, "player_id": alice.player.pk}
    turned_up = set(cards[: 28 if ruleset == "O" else 0]) | set(cards[18:stock_start])
    drawn = 0
    for _ in range(12):
        state = attempt_get(**who, now=alice.at)
        legal = state["legal"]
        answers = [state, attempt_resume(**who, ply=0, now=alice.at), attempt_state(attempt, alice.at)]
        for move in ("t0", "t3", "t9", "t18", "t27", "d", "u"):
            if move not in legal:
                with pytest.raises(MoveRefused) as refused:
                    alice.play(attempt, move)
                answers.append(refused.value.as_json())
        move = legal[-1] if "d" in legal else legal[0]
        drawn += move == "d"
        answers.append(alice.play(attempt, move).as_json())
        turned_up |= set(cards[stock_start : stock_start + drawn])
        turned_up |= {cards[slot] for slot in answers[-1]["attempt"]["view"]["open"]}
        assert named(answers) <= turned_up
    alice.resign(attempt)
    replay = attempt_replay(public_id=attempt.public_id, viewer_id=alice.player.pk, now=alice.at)
    assert named(replay) <= turned_up
    assert replay["deal"] is None
    assert TP2[6:] not in json.dumps(replay)
    alice.wait(hours=13)
    assert named(attempt_replay(public_id=attempt.public_id, viewer_id=None, now=alice.at)) == set(cards), "control"


def named(answers: object) -> set[str]:
    """The cards that stand in an answer."""
    return set(re.findall(r"\b(?:[A23456789TJQK][CDHS]|XX)\b", json.dumps(answers)))
