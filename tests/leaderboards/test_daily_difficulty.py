"""A daily's difficulty and best possible result: chosen with the solver, sealed until final, then published (R9.1, R9.3)."""

from __future__ import annotations

import datetime as dt
import json
import logging
import secrets

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from pytest_django import Settings

from games.engine.codes import parse_code
from games.engine.deals import deal_cards
from games.engine.layout import SLOTS, open_slots
from games.engine.moves import DRAW
from games.engine.position import Position, start
from games.engine.replay import replay
from games.engine.rulesets import find_ruleset
from games.solver.exact import solve, winnable
from games.solver.playouts import difficulty, play_out
from leaderboards import dealing
from leaderboards.dealing import daily_deal
from leaderboards.models import DailyChallenge
from leaderboards.selectors import daily_json
from leaderboards.services import dailies_prepare
from tests.leaderboards.cast import NOON, finish, person
from tests.pages.conftest import SetClock, set_clock
from tests.pages.reading import get
from tests.staff import signed_in_moderator
from tripeaks_site import env

__all__ = ["set_clock"]
EASY = find_ruleset("E")
TICK = dt.timedelta(milliseconds=1)


def easy(number: int) -> tuple[int, ...]:
    """The cards of a TP1 deal."""
    letters = "".join(chr(65 + number // 26**place % 26) for place in range(6, -1, -1))
    return deal_cards(parse_code(f"TP1-E-{letters}"))


# --- difficulty ----------------------------------------------------------------------------------------------------


def test_the_difficulty_of_a_deal_is_pinned() -> None:
    """Anybody can check a published one, on any machine: the orders of the play-outs follow from fixed seeds."""
    assert [difficulty(EASY, easy(number)) for number in range(1, 6)] == [0.48, 0.57, 1.0, 0.0, 0.09]
    assert difficulty(find_ruleset("C"), easy(1)) == 0.47


def test_a_deal_that_cannot_be_won_is_lost_by_every_play_out() -> None:
    classic = find_ruleset("C")
    assert not winnable(classic, easy(3))[0]  # R7.4
    assert difficulty(classic, easy(3)) == 1.0


def _plainly(deal: tuple[int, ...], *, greedy: bool) -> bool:
    """The same player over the engine's positions."""
    position = start(EASY, deal)

    def open_after(slot: int) -> int:
        return len(open_slots(position.removed | 1 << slot))

    while position.outcome is None:
        fitting = position.fitting()
        best = max((open_after(slot) for slot in fitting), default=0) if greedy else 0
        wanted = [slot for slot in fitting if not greedy or open_after(slot) == best]
        position = position.play(wanted[0] if wanted else DRAW)
    return position.won


@pytest.mark.parametrize("greedy", [False, True])
def test_a_play_out_plays_by_the_rules(greedy: bool) -> None:
    found = [play_out(EASY, easy(number), range(SLOTS), greedy=greedy) for number in range(60)]
    assert found == [_plainly(easy(number), greedy=greedy) for number in range(60)]
    assert 0 < sum(found) < 60


# --- choosing ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("letters", ["E", "R", "G"])
def test_the_stored_best_is_reached_by_a_line_of_the_deal(letters: str) -> None:
    deal = daily_deal(letters, (0.0, 1.0))
    assert deal_cards(deal.code) == deal.cards
    solved = solve(start(find_ruleset(letters), deal.cards))
    played: Position = replay(find_ruleset(letters), deal.cards, solved.line).position
    assert (played.score, played.moves) == (deal.best_score, deal.best_moves)
    assert 0 <= deal.difficulty <= 1
    assert deal.code.text not in repr(deal)
    assert repr(deal) == "DailyDeal()"


def test_deals_outside_the_wanted_range_are_drawn_again() -> None:
    for low, high in [(0.0, 0.2), (0.8, 1.0), (0.4, 0.6)]:
        for _ in range(5):
            deal = daily_deal("E", (low, high))
            assert low <= deal.difficulty <= high
            assert deal.difficulty == difficulty(EASY, deal.cards)
    assert {low <= daily_deal("E", (0.0, 1.0)).difficulty <= high for _ in range(30)} == {True, False}, "control"


def test_a_range_that_is_never_met_gets_the_nearest_deal_and_a_warning(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(dealing, "DRAWS", 20)
    with caplog.at_level(logging.WARNING):
        deal = daily_deal("E", (0.4321, 0.4322))
    assert winnable(EASY, deal.cards)[0]
    assert abs(deal.difficulty - 0.4321) < 0.5
    assert "0.4321" in caplog.text
    assert deal.code.text not in caplog.text


@pytest.mark.parametrize("raw", ["1", "0.5-", "-0.5", "0.6-0.4", "0-2", "easy", "0.1-0.2-0.3", "nan-1", "-1-1"])
def test_a_range_that_makes_no_sense_stops_the_start(raw: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRIPEAKS_DAILY_DIFFICULTY", raw)
    with pytest.raises(ImproperlyConfigured, match="TRIPEAKS_DAILY_DIFFICULTY"):
        env.span("DAILY_DIFFICULTY", (0.0, 1.0))
    monkeypatch.setenv("TRIPEAKS_DAILY_DIFFICULTY", " 0.25 - 0.5 ")
    assert env.span("DAILY_DIFFICULTY", (0.0, 1.0)) == (0.25, 0.5)


# --- publishing ----------------------------------------------------------------------------------------------------


@pytest.fixture
def daily(settings: Settings) -> DailyChallenge:
    settings.DAILY_DIFFICULTY = (0.3, 0.7)
    settings.DAILY_DAYS_AHEAD = 1
    dailies_prepare(now=NOON)
    return DailyChallenge.objects.get(number=1)


@pytest.mark.django_db
def test_difficulty_and_best_are_stored_sealed_and_published_when_final(daily: DailyChallenge) -> None:
    assert daily.difficulty is not None
    assert 0.3 <= daily.difficulty <= 0.7
    for now in (NOON - dt.timedelta(days=3), NOON, daily.closes_at, daily.final_at - TICK):
        shown = daily_json(daily, now)
        assert (shown["difficulty"], shown["best"]) == (None, None)
    final = daily_json(daily, daily.final_at)
    assert final["difficulty"] == daily.difficulty
    assert final["best"] == {"score": daily.best_score, "moves": daily.best_moves}
    ended = solve(start(EASY, deal_cards(parse_code(daily.code)), undo_allowed=False)).best
    assert ended is not None
    assert final["best"] == {"score": ended.score, "moves": ended.moves}
    DailyChallenge.objects.filter(pk=daily.pk).update(difficulty=None, best_score=None, best_moves=None)
    daily.refresh_from_db()
    old = daily_json(daily, daily.final_at)
    assert (old["difficulty"], old["best"]) == (None, None), "a daily older than the solver"


@pytest.mark.django_db(transaction=True)
def test_the_pages_tell_the_best_possible_of_yesterday_and_nothing_of_today(
    daily: DailyChallenge, set_clock: SetClock
) -> None:
    finish(person("alice"), 700, at=NOON, code=daily.code, competition=daily.key, moves=45)
    told = f"Best possible: {daily.best_score} in {daily.best_moves} moves ."
    for now, final in [(NOON, False), (daily.final_at - dt.timedelta(seconds=5), False), (daily.final_at, True)]:
        set_clock(now + dt.timedelta(milliseconds=1))
        for page in (get("/"), get(f"/boards/{daily.key}")):
            assert ("Best possible" in page.words) is final, page.words
            assert (told in page.words) is final
            assert ("Without thinking ahead it is lost" in page.words) is final
    answer = json.dumps(get(f"/api/v1/daily/{daily.date}").text)
    assert f'\\"best\\":{{\\"score\\":{daily.best_score}' in answer


@pytest.mark.django_db
def test_moderators_see_no_more_of_a_sealed_day_than_others(daily: DailyChallenge) -> None:
    """R10.1: its admin pages name neither the deal nor what the solver says of it."""
    moderator = Client()
    signed_in_moderator(moderator, role="superuser")
    for address in ("/admin/leaderboards/dailychallenge/", f"/admin/leaderboards/dailychallenge/{daily.pk}/change/"):
        answer = moderator.get(address)
        assert answer.status_code == 200
        text = answer.content.decode()
        assert daily.date.strftime("%Y") in text
        for secret in (daily.code, "ifficulty", "est score", "est moves"):
            assert secret not in text


def test_codes_of_dailies_come_from_the_systems_randomness(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[bytes] = []
    real = secrets.token_bytes

    def watched(size: int | None = None) -> bytes:
        drawn.append(real(size))
        return drawn[-1]

    monkeypatch.setattr(secrets, "token_bytes", watched)
    deal = daily_deal("E", (0.0, 1.0))
    assert deal.code.seed == drawn[-1]
    assert len(drawn[-1]) == 16
