"""Case C25: a second account, or a copied list of moves, must not turn a seen deal into a record."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

import pytest

from games import clock
from games.engine.codes import numbered_code, parse_code
from games.engine.deals import deal_cards
from games.engine.moves import DRAW, format_log, move_text
from games.engine.position import start
from games.engine.rulesets import find_ruleset
from games.models import Attempt, Player
from leaderboards.moderation.actions import attempt_clear
from leaderboards.moderation.judging import attempt_judge
from leaderboards.moderation.lines import Fields
from leaderboards.moderation.models import Case, Exclusion, Judgement, Notice
from leaderboards.scopes import parse_board
from leaderboards.selectors import numbered_random
from leaderboards.selectors.boards import board_page
from tests.attempts.hand import deck_code
from tests.factories import person
from tests.moderation.lines_made import at_random, played
from tests.moderation.playing import play, somebody

pytestmark = pytest.mark.django_db(transaction=True)

SEVENTEEN = numbered_code(17)
G = find_ruleset("G")


def own_line(seed: int) -> list[str]:
    """Somebody's line through game 17: the first card drawn onto the empty waste, then now this, now that."""
    return format_log(played(deal_cards(SEVENTEEN), at_random, seed, G)).split()


def judged(attempt: Attempt, fields: Fields) -> Judgement:
    assert attempt.result_ply is not None
    found = attempt_judge(attempt_id=attempt.pk, ply=attempt.result_ply, now=clock.now(), fields=fields)
    assert found is not None
    return found


def places() -> list[tuple[int, str]]:
    page = board_page(parse_board(SEVENTEEN.text), cursor=None, limit=100, now=clock.now())
    return [(row["rank"], row["player"]["name"]) for row in page["rows"]]


def test_C25_a_young_account_that_repeats_a_line_is_held_until_somebody_has_looked() -> None:
    fields, now = Fields(), clock.now()
    others = [
        play(
            somebody(f"other {seed}"), own_line(seed), code=SEVENTEEN.text, at=now - dt.timedelta(hours=2), uneven=True
        )
        for seed in range(20, 26)
    ]
    for attempt in others:
        assert judged(attempt, fields).verdict == "nothing"
    line = own_line(1)
    first = play(somebody("P1"), line, code=SEVENTEEN.text, at=now - dt.timedelta(minutes=6), pace_ms=2400, uneven=True)
    assert judged(first, fields).verdict == "nothing"
    standings = places()

    young = somebody("P9")
    Player.objects.filter(pk=young.player.pk).update(created_at=now - dt.timedelta(minutes=10))
    second = play(young, line, code=SEVENTEEN.text, at=now, pace_ms=20_000 // len(line), uneven=True)
    row = judged(second, fields)

    assert row.verdict == "hold", [(s["name"], s["points"]) for s in row.signals]
    copied = next(signal for signal in row.signals if signal["name"] == "same_line")
    assert "Same line as an earlier finish" in copied["explanation"]
    assert copied["evidence"]["attempt"] == first.public_id
    assert len({signal["group"] for signal in row.signals}) >= 2
    case = Case.objects.get(attempt=second)
    assert case.closed_at is None
    assert "same_line" in case.reasons
    assert Exclusion.objects.get().attempt_id == second.pk
    assert Notice.objects.get(player=young.player).kind == "under_review"
    assert places() == standings, "P9 is nowhere, P1 is untouched"
    assert not Case.objects.filter(attempt=first).exists()

    mod = person("mod", is_staff=True, is_superuser=True)
    attempt_clear(
        attempt_id=second.public_id,
        moderator_id=mod.pk,
        reason_class="mistake",
        reason="it was his brother",
        words="",
        now=clock.now(),
    )
    assert "P9" in [name for _, name in places()], "the control: cleared, it counts"


def test_C25_a_forced_line_shared_by_two_people_is_never_removed() -> None:
    """Deck P: nothing can be played before the last card of the stock, and then hardly anything else."""
    fields, now = Fields(), clock.now()
    position = start(find_ruleset("R"), deal_cards(parse_code(deck_code("P", "R"))))
    log: list[str] = []
    while position.outcome is None:
        move = next(iter(position.fitting()), DRAW)
        log.append(move_text(move))
        position = position.play(move)
    for name, minutes in (("P1", 6), ("P2", 0)):
        at = now - dt.timedelta(minutes=minutes)
        attempt = play(somebody(name), log, code=deck_code("P", "R"), at=at, pace_ms=400, uneven=True)
        row = judged(attempt, fields)
        assert row.verdict == "nothing"
        assert "same_line" not in [signal["name"] for signal in row.signals]
    assert not Exclusion.objects.exists()


def test_C25_new_accounts_are_not_given_the_same_or_the_lowest_game() -> None:
    asked: Sequence[int] = [numbered_random(unbeaten=False) for _ in range(50)]
    assert len(set(asked)) > 40
    assert 1 not in asked[:1] or len(set(asked)) > 1
    assert sorted(asked) != list(range(1, 51))
