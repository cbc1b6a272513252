"""The page of the table as the server writes it: where it leads, whose attempt it holds, and which cards it does not."""

from __future__ import annotations

import datetime as dt
import json
import re
from typing import Any

import pytest
from django.test import Client

from games.engine.cards import cards_text
from games.models import Attempt, Player
from games.services.credentials import credential_create
from leaderboards.models import DailyChallenge
from leaderboards.services import dailies_prepare, daily_start
from tests.attempts.hand import DECKS, Hand, deck_code
from tests.factories import guest, person

from .conftest import SetClock

pytestmark = pytest.mark.django_db
NOON = dt.datetime(2026, 11, 29, 12, tzinfo=dt.UTC)
CODE = "TP1-E-AAAAAAB"
CARD = re.compile(r"[\"' >]([A2-9TJQK][CDHS]|XX)[\"' <]")


def browser(hand: Hand | None = None) -> Client:
    """Without a credential, or with the one of a player."""
    client = Client()
    if hand is not None:
        client.cookies["tripeaks"] = cookie_of(hand)
    return client


def cookie_of(hand: Hand) -> str:
    _, secret = credential_create(player=hand.player, kind="session", via="cookie", name="", now=hand.at)
    return secret


def data_of(text: str) -> Any:
    """What the page's script is told."""
    found = re.search(r'<script id="play-data" type="application/json">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    return json.loads(found.group(1))


@pytest.mark.parametrize(
    ("typed", "address"),
    [
        ("tp1-e-aaaaaab", f"/play/{CODE}"),
        ("TP1EAAAAAAB", f"/play/{CODE}"),
        ("TP1–E–AAAAAAB", f"/play/{CODE}"),
        ("ＴＰ１-Ｅ-ＡＡＡＡＡＡＢ", f"/play/{CODE}"),
        ("TP1-N-AAAAAAB", f"/play/{CODE}"),
        ("17", "/play/TP1-G-AAAAAAR"),
        ("2026-11-29", "/play/daily-2026-11-29"),
        ("DAILY-2026-11-29", "/play/daily-2026-11-29"),
    ],
)
def test_every_reading_leads_to_the_one_address(typed: str, address: str) -> None:
    answer = browser().get(f"/play/{typed}")
    assert (answer.status_code, answer.headers["Location"]) == (302, address)


@pytest.mark.parametrize(
    "typed", ["nonsense", "0", "007", "50001", "TP1-Z-AAAAAAB", "ТР1-E-AAAAAAB", "daily-2026-02-30"]
)
def test_what_is_no_game_gets_a_form_that_holds_it(typed: str) -> None:
    answer = browser().get(f"/play/{typed}")
    text = answer.content.decode()
    assert answer.status_code == 404
    assert 'action="/new"' in text
    assert typed in text


def test_a_daily_that_is_not_prepared_is_said_to_be_none(set_clock: SetClock) -> None:
    set_clock(NOON)
    answer = browser().get("/play/daily-2027-06-01")
    assert answer.status_code == 404
    assert "There is no such daily yet." in answer.content.decode()


def test_today_and_random_deals_are_another_address_each_time(set_clock: SetClock) -> None:
    set_clock(NOON)
    answer = browser().get("/play/daily")
    assert answer.headers["Location"] == "/play/daily-2026-11-29"
    assert answer.headers["Cache-Control"] == "no-store"
    codes = {browser().get("/play/random?ruleset=C").headers["Location"] for _ in range(5)}
    assert len(codes) == 5
    assert all(re.fullmatch(r"/play/TP1-C-[A-Z]{7}", code) for code in codes)
    assert browser().get("/play/random").headers["Location"].startswith("/play/TP1-E-")
    number = browser().get("/play/random?ruleset=G")
    assert re.fullmatch(r"/play/TP1-G-AAA[A-Z]{4}", number.headers["Location"]), "a game with a number"
    assert number.headers["Cache-Control"] == "no-store"
    assert browser().get("/play/random?ruleset=ZZ").status_code == 404


def test_an_open_attempt_is_gone_on_with_and_a_finished_one_is_not(set_clock: SetClock) -> None:
    set_clock(NOON)
    hand = Hand.of(guest())
    page = browser(hand)
    code = deck_code("Z", "R")
    assert data_of(page.get(f"/play/{code}").content.decode())["attempt"] is None
    attempt = hand.start(code)
    hand.play(attempt, "t18")
    answer = page.get(f"/play/{code}")
    assert answer.headers["Cache-Control"] == "private, no-cache"
    data = data_of(answer.content.decode())
    assert (data["attempt"]["id"], data["attempt"]["ply"]) == (attempt.public_id, 1)
    assert data["player"] == {"id": hand.player.public_id, "kind": "guest", "name": None}
    newer = hand.start(code, "k2")
    assert data_of(page.get(f"/play/{code}").content.decode())["attempt"]["id"] == newer.public_id
    chosen = page.get(f"/play/{code}?attempt={attempt.public_id}")
    assert data_of(chosen.content.decode())["attempt"]["id"] == attempt.public_id
    hand.resign(newer)
    hand.resign(attempt)
    assert data_of(page.get(f"/play/{code}").content.decode())["attempt"] is None


def test_C22_an_attempt_of_somebody_else_is_not_found(set_clock: SetClock) -> None:
    set_clock(NOON)
    hand, other = Hand.of(guest()), Hand.of(guest())
    attempt = hand.start(CODE)
    for client in (browser(), browser(other)):
        foreign = client.get(f"/play/{CODE}?attempt={attempt.public_id}")
        unknown = client.get(f"/play/{CODE}?attempt=nothing")
        assert (foreign.status_code, unknown.status_code) == (404, 404)
        assert foreign.content.decode().replace(attempt.public_id, "nothing") == unknown.content.decode()
    elsewhere = browser(hand).get(f"/play/TP1-C-AAAAAAB?attempt={attempt.public_id}")
    assert elsewhere.headers["Location"] == f"/play/{CODE}?attempt={attempt.public_id}", "where it is played"


def test_C23_no_page_before_or_while_playing_holds_a_card_not_turned_up(set_clock: SetClock) -> None:
    set_clock(NOON)
    dailies_prepare(now=NOON)
    daily = DailyChallenge.objects.get(date=NOON.date())
    hand = Hand.of(person("Alice"))
    page = browser(hand)
    before = page.get(f"/play/{daily.key}").content.decode()
    assert not CARD.search(before)
    attempt, _ = daily_start(player_id=hand.player.pk, kind="person", which="today", start_key="k", now=NOON)
    text = page.get(f"/play/{daily.key}").content.decode()
    cards = cards_text(tuple(daily.deal.cards)).split()
    assert set(CARD.findall(text)) == set(cards[18:29]), "the bottom row and the first of the waste"
    assert daily.code not in text
    assert data_of(text)["attempt"]["id"] == attempt.public_id
    open_code = deck_code("Z", "E")
    assert not CARD.search(page.get(f"/play/{open_code}").content.decode())
    hand.start(open_code)
    known = set(CARD.findall(page.get(f"/play/{open_code}").content.decode()))
    assert known == set(DECKS["Z"][18:29])


def test_a_daily_says_what_it_is_today_and_what_it_was_later(set_clock: SetClock) -> None:
    set_clock(NOON)
    dailies_prepare(now=NOON)
    daily = DailyChallenge.objects.get(date=NOON.date())
    address = f"/play/{daily.key}"
    text = browser().get(address).content.decode()
    assert "Play as a guest (unranked)" in text
    text = browser(Hand.of(person("Bea"))).get(address).content.decode()
    assert "unranked" not in text
    assert "data-play" in text
    set_clock(daily.closes_at + dt.timedelta(minutes=1))
    text = browser().get(address).content.decode()
    assert "This daily is closed" in text
    assert "data-play" not in text
    set_clock(daily.final_at)
    text = browser().get(address).content.decode()
    assert f'href="/play/{daily.code}"' in text
    practice = browser().get(f"/play/{daily.code}")
    assert data_of(practice.content.decode())["practiceOnly"]
    set_clock(NOON)
    assert daily.code not in browser().get(address).content.decode()
    tomorrow = browser().get("/play/daily-2026-11-30").content.decode()
    assert "Not open yet" in tomorrow
    assert "data-play" not in tomorrow


def test_a_numbered_game_leads_to_its_neighbours() -> None:
    text = browser().get("/play/TP1-G-AAAAAAR").content.decode()
    assert 'href="/play/TP1-G-AAAAAAQ" rel="prev"' in text
    assert 'href="/play/TP1-G-AAAAAAS" rel="next"' in text
    assert 'rel="prev"' not in browser().get("/play/TP1-G-AAAAAAB").content.decode()


def test_the_pages_make_no_players_and_no_attempts(set_clock: SetClock) -> None:
    set_clock(NOON)
    browser().get(f"/play/{CODE}")
    browser().get("/play/daily-2026-11-29")
    assert not Player.objects.exists()
    assert not Attempt.objects.exists()
