"""R8.1: who asks for a hint at a list of cards, or for an analysis of it, plays it as practice from then on."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from games.models import Attempt, DealExposure
from games.services import guest_claim
from tests.analysis.cast import EASY, Caller, stuck_log
from tests.attempts.hand import NOON
from tests.calls import Answer, call

Ask = Callable[[Caller, Attempt], Answer]
OTHER_CODE_SAME_CARDS = "TP1-C-AAAAAAB"


def exposures(who: Caller) -> int:
    return DealExposure.objects.filter(player=who.hand.player).count()


def ask_analysis(who: Caller, public: Attempt) -> Answer:
    return who.analysis(public)


def ask_opened(who: Caller, public: Attempt) -> Answer:
    return who.open_analysis(public)


def ask_hint(who: Caller, public: Attempt) -> Answer:
    del public
    return who.hint(who.start(EASY, "practice", practice=True))


def ask_winnable(who: Caller, public: Attempt) -> Answer:
    del public
    return who.winnable(who.start(EASY, "practice", practice=True))


@pytest.mark.parametrize("ask", [ask_analysis, ask_opened, ask_hint, ask_winnable])
@pytest.mark.parametrize("who", ["bob", "guest"])
def test_after_help_every_attempt_at_these_cards_is_practice(
    ask: Ask, who: str, alice: Caller, mallory: Caller, request: pytest.FixtureRequest
) -> None:
    asker: Caller = request.getfixturevalue(who)
    public = alice.finished()
    assert asker.start(EASY, "before").ranked, "control: ranked before"
    asker.hand.resign(Attempt.objects.get(start_key="before"))
    answer = ask(asker, public)
    assert answer.status == 200
    for code in (EASY, OTHER_CODE_SAME_CARDS, "TP1-R-AAAAAAB"):
        assert not asker.start(code, f"after-{code}").ranked
    assert asker.start("TP1-E-AAAAAAC", "other").ranked, "control: other cards are not concerned"
    assert mallory.start(EASY, "other").ranked, "control: nor is anybody else"
    assert exposures(asker) == 1


def test_asking_again_writes_one_row(alice: Caller, bob: Caller) -> None:
    public = alice.finished()
    first = bob.analysis(public)
    assert bob.analysis(public).json == first.json
    assert bob.open_analysis(public).json == first.json
    assert exposures(bob) == 1


def test_a_replay_is_no_exposure(alice: Caller, bob: Caller) -> None:
    """Open codes are open book: their cards may be seen; it is the solver that counts."""
    public = alice.finished()
    assert bob.ask("GET", f"/attempts/{public.public_id}/replay").status == 200
    assert bob.start().ranked


def test_without_a_player_there_is_nobody_to_write_down(alice: Caller) -> None:
    public = alice.finished()
    answer = call("GET", f"/attempts/{public.public_id}/analysis")
    assert answer.status == 200
    assert answer.json == alice.analysis(public).json
    assert not DealExposure.objects.exclude(player=alice.hand.player).exists()


def test_whoever_is_refused_is_not_exposed(alice: Caller, bob: Caller) -> None:
    running = alice.start()
    assert bob.analysis(running).status == 404
    assert bob.hint(running).status == 404
    assert alice.hint(running).status == 409
    assert DealExposure.objects.count() == 0


@pytest.mark.parametrize("ask", [ask_analysis, ask_opened, ask_hint, ask_winnable])
@pytest.mark.parametrize("state", ["begun", "stuck"])
def test_no_help_while_a_ranked_attempt_at_these_cards_runs(ask: Ask, state: str, alice: Caller, bob: Caller) -> None:
    public = alice.finished()
    mine = bob.start(OTHER_CODE_SAME_CARDS, "mine")
    if state == "stuck":
        bob.hand.play_all(mine, stuck_log(OTHER_CODE_SAME_CARDS))
    answer = ask(bob, public)
    assert (answer.status, answer.code) == (409, "finish_first")
    assert answer.data["attempt"] == mine.public_id
    assert exposures(bob) == 0
    bob.hand.resign(mine)
    again = (
        ask(bob, public) if ask in (ask_analysis, ask_opened) else bob.hint(Attempt.objects.get(start_key="practice"))
    )
    assert again.status == 200, "control: once it is over"


def test_a_claim_keeps_it(alice: Caller, guest: Caller) -> None:
    assert guest.analysis(alice.finished()).status == 200
    guest_claim(player_id=guest.id, name="Gerda", password="correct horse battery", now=NOON)
    attempt = guest.start()
    assert attempt.player.kind == "person"
    assert not attempt.ranked


def test_the_answer_to_a_repeated_start_stays_ranked_as_it_was(alice: Caller, bob: Caller) -> None:
    mine = bob.finished()
    assert bob.analysis(alice.finished()).status == 200
    again = bob.start(EASY, "f1")
    assert again.pk == mine.pk
    assert again.ranked, "fixed at its start"
