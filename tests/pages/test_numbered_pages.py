"""The pages of numbered games: what the solver says, the records, the neighbours; and when there is nothing yet."""

from __future__ import annotations

import re
from urllib.parse import quote

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from games.engine.codes import numbered_code
from games.solver.numbered import NUMBERED_VERSION, game_facts, games_facts
from leaderboards.services.numbered import numbered_write
from tests.leaderboards.cast import bot, finish, person

from .reading import get

pytestmark = pytest.mark.django_db
UNWINNABLE = 103


def record(number: int, left: int, moves: int, name: str, *, robot: bool = False) -> str:
    """A result of somebody new at a numbered game; the attempt's id."""
    player = bot(name, person(f"{name} owner")) if robot else person(name)
    outcome, peaks = ("stuck", 0) if left else ("won", 3)
    code = numbered_code(number).text
    return finish(player, left, code=code, outcome=outcome, moves=moves, peaks=peaks, cards_left=left).public_id


@pytest.fixture
def solved() -> None:
    numbered_write(facts=games_facts([*range(1, 60), UNWINNABLE]), version=NUMBERED_VERSION)


def test_a_game_tells_what_is_possible_and_who_holds_the_record(solved: None) -> None:
    attempt = record(17, 0, game_facts(17).fewest_moves + 3, "alice")
    record(17, 5, 47, "peakbot", robot=True)
    page = get("/numbered/17")
    assert page.status == 200
    assert "It can be won, in as few as 41 moves." in page.words
    assert "People alice Won · 44 moves 29 Nov 2026 3 moves from perfect." in page.words
    assert "Bots peakbot 5 left · 47 moves 29 Nov 2026 5 cards from perfect. No bot has beaten it yet." in page.words
    assert page.link("Won · 44 moves") == f"/attempts/{attempt}"
    assert page.link("The whole board") == "/boards/TP1-G-AAAAAAR"
    assert (page.link("Previous"), page.link("Next")) == ("/numbered/16", "/numbered/18")


def test_a_perfect_record_and_a_game_that_cannot_be_won_are_told(solved: None) -> None:
    record(UNWINNABLE, 1, 51, "bob")
    page = get(f"/numbered/{UNWINNABLE}")
    assert "It cannot be won. The best possible end leaves 1 card." in page.words
    assert "bob 1 left · 51 moves 29 Nov 2026 perfect Nobody can do better." in page.words
    assert "has beaten it yet" not in page.words


def test_nothing_solved_and_nothing_played_is_designed_too() -> None:
    page = get("/numbered/50000")
    assert "Nobody knows yet." in page.words
    assert "solve_numbered" in page.words
    assert "Nobody has played it to the end yet. The first result holds the record." in page.words
    assert "Next" not in page.words
    assert "Previous" not in get("/numbered/1").words
    record(50_000, 2, 50, "carol")
    page = get("/numbered/50000")
    assert "carol 2 left · 50 moves 29 Nov 2026 Nobody has beaten it yet." in page.words
    assert "from perfect" not in page.words
    shown = get("/numbered")
    assert "The solver has not been through these games yet" in shown.words
    assert "1 unknown nobody yet" in shown.words
    assert "There is no record to better here." in get("/numbered?filter=imperfect").words


def test_the_list_goes_on_by_number_and_by_filter(solved: None) -> None:
    record(1, 0, 41, "alice")
    record(2, 0, 50, "bob")
    page = get("/numbered")
    assert "1 41 moves alice Won · 41 moves perfect best: 41 moves" in page.words
    assert "2 42 moves bob Won · 50 moves 8 moves best: 42 moves" in page.words
    assert page.link("Next 50") == "/numbered?cursor=50"
    assert "Back to the start" not in page.words
    later = get("/numbered?cursor=50")
    assert games_on(later.text) == list(range(51, 101))
    assert later.link("Back to the start") == "/numbered"
    assert games_on(get("/numbered?filter=imperfect").text) == [2]
    assert games_on(get("/numbered?filter=unplayed").text)[:2] == [3, 4]
    assert get("/numbered?filter=unbeaten&kind=bots").link("People") == "/numbered?filter=unbeaten"
    assert games_on(get("/numbered?cursor=49998").text) == [49_999, 50_000]


def games_on(text: str) -> list[int]:
    """The numbers of a list's rows."""
    return [int(number) for number in re.findall(r'<th scope="row"[^>]*><a href="/numbered/(\d+)"', text)]


@pytest.mark.parametrize("typed", ["0", "007", "50001", "-1", "٣", "１７", "seventeen"])
def test_what_is_no_number_gets_a_friendly_word(typed: str) -> None:
    for address, status in [(f"/numbered/{quote(typed)}", 404), (f"/numbered?number={quote(typed)}", 200)]:
        page = get(address)
        assert page.status == status
        assert "Numbered games are 1 to 50000, in plain digits." in page.words
        assert f'value="{typed}"' in page.text


def test_a_number_typed_leads_to_its_page() -> None:
    assert get("/numbered?number=%2017%20").location == "/numbered/17"
    assert get("/numbered/%2017").location == "/numbered/17"


def test_what_is_typed_is_text_and_never_markup() -> None:
    page = get("/numbered?number=" + quote('"><script>alert(1)</script>'))
    assert "<script>alert" not in page.text


@pytest.mark.parametrize("query", ["filter=easy", "kind=guests", "cursor=x", "cursor=50000"])
def test_addresses_that_nobody_links_to_are_not_found(query: str) -> None:
    assert get(f"/numbered?{query}").status == 404


def test_random_leads_somewhere_and_is_never_cached(solved: None) -> None:
    for address in ("/numbered/random", "/numbered/random?unbeaten=1"):
        answer = Client().get(address)
        assert re.fullmatch(r"/numbered/[1-9]\d{0,4}", answer.headers["Location"])
        assert answer.headers["Cache-Control"] == "no-store"


def test_a_game_and_a_random_one_lead_to_their_tables(solved: None) -> None:
    assert get("/numbered/17").link("Play</a>") == "/play/TP1-G-AAAAAAR"
    for address in ("/numbered/random?play=1", "/numbered/random?unbeaten=1&play=1"):
        assert re.fullmatch(r"/play/TP1-G-[A-Z]{7}", get(address).location)


def test_the_pages_take_few_queries(solved: None, django_assert_max_num_queries: DjangoAssertNumQueries) -> None:
    record(1, 0, 41, "alice")
    record(2, 0, 50, "bob")
    for address, most in [("/numbered", 1), ("/numbered?filter=imperfect", 3), ("/numbered/2", 2)]:
        with django_assert_max_num_queries(most):
            assert get(address).status == 200


def test_the_bar_leads_there() -> None:
    assert get("/boards").link("Numbered") == "/numbered"
    assert re.search(r'href="/numbered" aria-current="page"', get("/numbered/17").text)
