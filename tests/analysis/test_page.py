"""The analysis part of a replay page, in every state it has, without a browser."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

import pytest
from django.conf import settings
from django.test import Client

from games.models import DealExposure
from games.selectors import analysis as selector
from games.solving import SolverGate
from tests.analysis.cast import CLASSIC_LOST, EASY, Caller, best_line, stuck_log
from tests.factories import credential

OUR_ORIGIN = "http://testserver"
PRICE = "From then on your own attempts at these cards are practice"


@dataclass(frozen=True)
class Seen:
    """A page as text; `part` is what stands in the analysis section."""

    status: int
    text: str
    headers: dict[str, str]

    @property
    def part(self) -> str:
        [section] = re.findall(r'<section class="panel analysis".*?</section>', self.text, re.DOTALL)
        return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", section)).split())


def browse(address: str, who: Caller | None = None, *, post: bool = False, origin: str = OUR_ORIGIN) -> Seen:
    """As a browser with this player's cookie. CSRF is checked, as in life."""
    client = Client(enforce_csrf_checks=True)
    data = {}
    if who is not None:
        client.cookies[settings.CREDENTIAL_COOKIE] = credential(who.hand.player, via="cookie").secret
    if post:
        found = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', client.get(address).content.decode())
        data = {"csrfmiddlewaretoken": found[1]} if found else {}
        answer = client.post(address, data, headers={"Origin": origin})
    else:
        answer = client.get(address)
    return Seen(answer.status_code, answer.content.decode(), dict(answer.headers))


def page_of(who: Caller, log: str, code: str = EASY, key: str = "f1") -> str:
    return f"/attempts/{who.finished(code, log, key).public_id}"


def test_it_waits_until_it_is_asked_for(alice: Caller) -> None:
    page = browse(page_of(alice, "d"))
    assert "Show analysis" in page.part
    assert PRICE not in page.part
    assert "Kept the best" not in page.text
    assert 'href="?analysis=1#analysis"' in page.text


def test_a_visitor_is_shown_it_and_nothing_is_written(alice: Caller) -> None:
    page = browse(page_of(alice, "d d") + "?analysis=1")
    assert page.status == 200
    assert "accuracy 50 %" in page.part
    assert "Cost 2 points" in page.text
    assert "best now" in page.text
    assert DealExposure.objects.count() == 0


def test_a_link_alone_exposes_no_player(alice: Caller, bob: Caller) -> None:
    address = page_of(alice, "d")
    page = browse(address + "?analysis=1", bob)
    assert PRICE in page.part
    assert "accuracy" not in page.part
    assert page.headers["Cache-Control"] == "private, no-cache"
    assert DealExposure.objects.count() == 0
    assert bob.start().ranked


def test_the_button_exposes_and_shows(alice: Caller, bob: Caller) -> None:
    address = page_of(alice, best_line(EASY))
    pressed = browse(address, bob, post=True)
    assert (pressed.status, pressed.headers["Location"]) == (303, f"{address}?analysis=1#analysis")
    assert DealExposure.objects.get().player == bob.hand.player
    page = browse(address + "?analysis=1", bob)
    assert "A perfect game" in page.part
    assert "Your own attempts at these cards are practice now." in page.part
    assert "practice already" in browse(address, bob).part
    assert not bob.start().ranked


def test_a_form_on_a_foreign_page_exposes_nobody(alice: Caller, bob: Caller) -> None:
    assert browse(page_of(alice, "d"), bob, post=True, origin="https://evil.example").status == 403
    assert DealExposure.objects.count() == 0


def test_who_plays_these_cards_ranked_is_told_to_finish_first(alice: Caller, bob: Caller) -> None:
    address = page_of(alice, "d")
    before = browse(address, bob)
    bob.start()
    for page in (browse(address + "?analysis=1", bob), browse(address, bob, post=True)):
        assert page.status in {409, 403}
    assert "Finish or resign it first" in browse(address, bob).part
    assert "Show analysis" in before.part, "control"
    assert DealExposure.objects.count() == 0


def test_a_busy_solver_is_said_and_may_be_asked_again(
    alice: Caller, bob: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = SolverGate(1, 0, wait=0.01)
    monkeypatch.setattr(selector, "solver_gate", gate)
    address = page_of(alice, "d")
    with gate.enter():
        page = browse(address + "?analysis=1")
        pressed = browse(address, bob, post=True)
    for busy in (page, pressed):
        assert busy.status == 503
        assert busy.headers["Retry-After"] == "1"
        assert "The solver is busy" in busy.part
        assert "Try again" in busy.part
    assert "Move by move" in page.text, "the replay itself is there"
    assert DealExposure.objects.count() == 0
    assert browse(address + "?analysis=1").status == 200


def test_what_was_lost_is_said_with_a_link_to_its_row(alice: Caller) -> None:
    attempt = alice.start()
    alice.hand.play_all(attempt, stuck_log())
    lost = alice.open_analysis(attempt).json["lost_at"]
    page = browse(f"/attempts/{attempt.public_id}?analysis=1")
    assert f"The win was lost at move {lost} ." in page.part
    assert f'href="#ply-{lost}"' in page.text
    row = page.text.split(f'<tr id="ply-{lost}"')[1].split("</tr>")[0]
    assert "Lost the win" in row
    assert page.text.count(">Lost the win<") == 1


@pytest.mark.parametrize(
    ("code", "log", "words"),
    [
        (CLASSIC_LOST, "", "No move was made. This deal cannot be won."),
        (EASY, "", "No move was made. The deal can be won with 12 draws."),
        (EASY, "d", "The win was still there at the end, with"),
        (CLASSIC_LOST, "d", "This deal cannot be won."),
        ("TP1-G-AAAAAAR", "d d d", "The win was still there at the end"),
    ],
)
def test_every_kind_of_end_has_its_words(code: str, log: str, words: str, alice: Caller) -> None:
    assert words in browse(page_of(alice, log, code) + "?analysis=1").part


def test_moves_taken_back_are_said_to_be(alice: Caller) -> None:
    page = browse(page_of(alice, "d u " + best_line(EASY)) + "?analysis=1")
    assert "taken back" in page.text
    assert "Undos are not judged" in page.part
    assert "Won with 760, the most there is. 40 moves would do." in page.part


def test_no_style_or_script_is_inline(alice: Caller) -> None:
    text = browse(page_of(alice, "d d d d") + "?analysis=1").text
    assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)", text)
    assert "<svg" in text
