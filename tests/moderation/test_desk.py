"""The desk's queue and pages: what waits, why, and everything that there is to know about it."""

from __future__ import annotations

import datetime as dt

import pytest
from django.test import Client

from games import clock
from games.models import SharedBrowser
from leaderboards.moderation import selectors
from leaderboards.moderation.models import ModeratorAction
from leaderboards.moderation.reports import report_make
from leaderboards.services import account_delete, accounts_purge
from tests.factories import bot, guest, person, token

from .desk import (
    LOG,
    QUEUE,
    REASON,
    check,
    confirm,
    do,
    do_path,
    flagged,
    held,
    judged,
    names,
    page_of,
    player_page,
    read,
    signal,
    words_of,
)
from .playing import EASY, play, somebody

pytestmark = pytest.mark.django_db
DAY = dt.timedelta(days=1)


def test_the_gravest_case_comes_first_and_of_equals_the_oldest(mod: Client) -> None:
    now = clock.now()
    flagged(play(somebody("alice")), signal("too_good", 30), at=now - DAY)
    flagged(play(somebody("bob")), signal("machine_speed", 60), at=now)
    flagged(play(somebody("carol")), signal("too_good", 30), at=now - 3 * DAY)
    page = read(mod, QUEUE)
    assert names(page) == ["bob", "carol", "alice"]
    told = words_of(page)
    assert "3 open, the gravest first. The oldest has waited 3 days." in told
    assert "Flagged for machine speed." in told


def test_every_filter_finds_what_it_says_and_nothing_else(mod: Client) -> None:
    now = clock.now()
    alice, bob = somebody("alice"), somebody("bob")
    robot = token(bot("robotnik", owner=bob.player))
    flagged(play(alice), signal("machine_speed", 50), at=now - 10 * DAY)
    held(play(bob, code="TP1-C-AAAAAAB", line=["d"], resign=True), signal("same_line", 40), signal("too_good", 20))
    flagged(play(robot), signal("foreknowledge", 30), at=now - 2 * DAY)
    report_make(reporter_id=alice.player.pk, player_id=bob.player.public_id, reason_class="name", text="", now=now)

    def found(**query: str) -> list[str]:
        return sorted(names(read(mod, QUEUE, 200, **query)))

    assert found() == ["alice", "bob", "bob", "robotnik"]
    assert found(state="held") == ["bob"]
    assert found(state="flagged") == ["alice", "robotnik"]
    assert found(state="reported") == ["bob"]
    assert found(state="appealed") == []
    assert found(state="closed") == []
    for state, count in selectors.queue_counts().items():
        assert state == "oldest" or len(found(state=state)) == count, state
    assert found(signal="same_line") == ["bob"]
    assert found(ruleset="C") == ["bob"]
    assert found(ruleset="E") == ["alice", "robotnik"]
    assert found(competition="daily") == []
    assert found(competition="open") == ["alice", "bob", "robotnik"]
    assert found(role="bots") == ["robotnik"]
    assert found(role="people") == ["alice", "bob", "bob"]
    assert found(age="older") == ["alice"]
    assert found(age="week") == ["robotnik"]
    assert found(age="day") == ["bob", "bob"]
    assert found(q="ROBOT") == ["robotnik"]
    assert found(q=alice.player.public_id) == ["alice"]
    assert found(q="nobody") == []
    assert "No case is like that." in read(mod, QUEUE, q="nobody")


def test_what_makes_no_sense_in_the_address_is_left_out(mod: Client) -> None:
    flagged(play(somebody("alice")))
    for query in ({"state": "x"}, {"page": "-1"}, {"page": "x"}, {"signal": "'"}, {"ruleset": "\0"}, {"q": "\0"}):
        assert names(read(mod, QUEUE, 200, **query)) == ["alice"]
    assert "this filter was left out" in read(mod, QUEUE, competition="yesterday")
    assert names(read(mod, QUEUE, page="7")) == []


def test_an_empty_queue_says_so(mod: Client) -> None:
    assert "Nothing waits for you." in read(mod, QUEUE)


def test_closed_cases_are_found_too(mod: Client) -> None:
    attempt = play(somebody("alice"))
    case = flagged(attempt)
    do(mod, "clear", attempt.public_id)
    assert names(read(mod, QUEUE)) == []
    assert names(read(mod, QUEUE, state="closed")) == ["alice"]
    assert "Closed" in words_of(read(mod, page_of(case)))


def test_the_queue_costs_the_same_few_statements_however_long_it_is(
    mod: Client, django_assert_max_num_queries: object
) -> None:
    for number in range(3):
        flagged(play(somebody(f"player {number}x"), ["d"], resign=True))
    with django_assert_max_num_queries(12):  # type: ignore[operator]
        read(mod, QUEUE)
    for number in range(3, 12):
        held(play(somebody(f"player {number}x"), ["d"], resign=True))
    with django_assert_max_num_queries(12):  # type: ignore[operator]
        assert len(names(read(mod, QUEUE))) == 12


# --- a case --------------------------------------------------------------------------------------------------------


def test_a_case_tells_signals_replay_times_and_the_player(mod: Client) -> None:
    alice = somebody("alice")
    attempt = play(alice, pace_ms=90)
    case = flagged(attempt, signal("machine_speed", 45, plies=[3, 7], median_ms=90, share=0.5))
    report_make(
        reporter_id=person("bob").pk,
        attempt_id=attempt.public_id,
        reason_class="cheating",
        text="<b>So fast</b>",
        now=clock.now(),
    )
    raw = mod.get(page_of(case)).content.decode()
    assert "<b>So fast</b>" not in raw
    assert "&lt;b&gt;So fast&lt;/b&gt;" in raw
    page = read(mod, page_of(case))
    told = words_of(page)
    assert "Flagged for machine speed; reported by 1 player." in told
    assert "Choices were made faster than people see them." in told
    assert "Median 0.09 s" in told
    assert "Share 50 %" in told
    assert page.count('data-board="seen"') == page.count('data-board="hidden"') == 1
    assert 'data-plot data-last="50"' in page
    assert page.count("<circle") == 50
    assert page.count('class="marked" cx=') == 2
    assert "Before ply 1 of 50" in told
    assert "1 started, 1 ranked, 1 with a result, 1 won" in told


def test_without_scripts_the_address_steps_through_the_replay(mod: Client) -> None:
    attempt = play(somebody("alice"))
    case = flagged(attempt)
    opening, end = read(mod, page_of(case)), read(mod, page_of(case), ply="51")
    assert opening.split('data-board="seen"')[1] != end.split('data-board="seen"')[1]
    assert 'href="?ply=2#replay"' in opening
    assert "The end: won" in words_of(end)
    for odd in ("0", "-3", "999", "x", "²", "9" * 30):
        assert "Before ply" in words_of(read(mod, page_of(case), ply=odd))


def test_a_running_attempt_shows_no_cards(mod: Client) -> None:
    attempt = play(somebody("alice"), ["d"])
    page = read(mod, page_of(flagged(attempt)))
    assert "It is still being played." in page
    assert 'id="card-' not in page
    assert "desk-steps" not in page


def test_two_lines_stand_side_by_side_with_what_agrees(mod: Client) -> None:
    first = play(somebody("alice"))
    second = play(somebody("bob"), resign=False)
    case = flagged(second, signal("same_line", 50, attempt=first.public_id))
    told = words_of(read(mod, page_of(case)))
    assert "50 of 50 moves agree." in told
    other_cards = play(somebody("carol"), ["d"], code="TP1-E-AAAAAAC", resign=True)
    judged(second, signal("same_line", 50, attempt=other_cards.public_id), at=clock.now() + DAY)
    assert "It was played with other cards." in read(mod, page_of(case))


def test_a_case_of_a_player_leads_to_the_players_page(mod: Client) -> None:
    bob = person("bob")
    report_make(
        reporter_id=somebody("alice").player.pk,
        player_id=bob.public_id,
        reason_class="name",
        text="It is rude.",
        now=clock.now(),
    )
    page = read(mod, QUEUE)
    assert player_page(bob) in page
    told = words_of(read(mod, player_page(bob)))
    assert "Reported by 1 player." in told
    assert "It is rude." in told


def test_accounts_nearby_are_told_with_what_they_share(mod: Client) -> None:
    alice, looker = person("alice"), guest()
    SharedBrowser.objects.create(first=alice, second=looker, first_at=clock.now(), at=clock.now())
    told = words_of(read(mod, player_page(alice)))
    assert "Accounts nearby" in told
    assert "same browser" in told
    assert "same network" not in told


def test_the_statements_of_a_case_do_not_grow_with_the_history(
    mod: Client, django_assert_max_num_queries: object
) -> None:
    alice = somebody("alice")
    case = flagged(play(alice))
    for number in range(4):
        flagged(play(alice, ["d"], code=f"TP1-E-AAAAAA{'CDEF'[number]}", resign=True))
        do(mod, "warn", alice.player.public_id, reason=f"Warning {number}.")
    with django_assert_max_num_queries(60):  # type: ignore[operator]
        read(mod, page_of(case))


def test_players_are_found_by_name_also_without_a_case(mod: Client) -> None:
    anna, _ = person("anna"), person("annabel")
    guest()
    found = read(mod, f"{QUEUE}players/", q="ann")
    assert "anna" in found
    assert "annabel" in found
    assert mod.get(f"{QUEUE}players/", {"q": anna.public_id}).status_code == 302
    assert "Nobody is called that." in read(mod, f"{QUEUE}players/", q="zebra")


def test_the_log_tells_who_did_what_and_why_with_filters(mod: Client) -> None:
    attempt = play(somebody("alice"))
    case = held(attempt)
    do(mod, "disqualify", attempt.public_id)
    told = words_of(read(mod, LOG))
    assert "mod disqualified the attempt" in told
    assert "the judge held the attempt" in told
    assert "Nobody plays so fast." in told
    assert f"entry of {attempt.player.name} on {EASY}" not in told  # it was held before: no entry then, none now
    assert "the attempt held since" in told
    only = words_of(read(mod, LOG, moderator="judge"))
    assert "mod disqualified" not in only
    assert "the judge held" in only
    assert "the judge held" not in words_of(read(mod, LOG, kind="disqualify"))
    assert "mod disqualified" in words_of(read(mod, LOG, moderator="MOD", since=f"{clock.now():%Y-%m-%d}"))
    assert "Nothing has been done yet." in read(mod, LOG, until="2020-01-01")
    assert "disqualified" in words_of(read(mod, page_of(case)))


@pytest.mark.parametrize(
    "day", ["9999-12-31", "9999-12-30", "3000-01-01", "0001-01-01", "1999-12-31", "2026-02-30", "x"]
)
@pytest.mark.parametrize("end", ["since", "until"])
def test_a_day_that_makes_no_sense_is_left_out_of_the_logs_filters(mod: Client, end: str, day: str) -> None:
    do(mod, "warn", somebody("alice").player.public_id)
    assert "mod warned the player" in words_of(read(mod, LOG, 200, **{end: day}))


def test_the_last_day_of_the_logs_filters_is_one(mod: Client) -> None:
    do(mod, "warn", somebody("alice").player.public_id)
    assert "mod warned the player" in words_of(read(mod, LOG, since="2000-01-01", until="2999-12-31"))
    assert "mod warned the player" not in words_of(read(mod, LOG, since="2999-12-31"))


@pytest.mark.django_db(transaction=True)
def test_an_act_whose_attempt_is_gone_is_neither_offered_to_be_taken_back_nor_a_fault(mod: Client) -> None:
    attempt = play(somebody("alice"))
    do(mod, "disqualify", attempt.public_id)
    do(mod, "warn", attempt.player.public_id)
    warning, done = ModeratorAction.objects.order_by("-id")
    stale = check(mod, "revert", done.public_id)
    account_delete(player_id=attempt.player_id, now=clock.now() - 999 * DAY)
    accounts_purge(now=clock.now())
    done.refresh_from_db()
    assert done.attempt is None
    assert "/do/" not in read(mod, f"{LOG}{done.public_id}/")
    assert "/do/revert/" in read(mod, f"{LOG}{warning.public_id}/")
    asked = mod.post(do_path("revert", done.public_id), {**REASON, "step": "check"})
    form = mod.get(do_path("revert", done.public_id))
    for answer in (form, asked, confirm(mod, "revert", done.public_id, stale)):
        assert answer.status_code == 409
        assert "This cannot be taken back." in answer.content.decode()
    assert not ModeratorAction.objects.filter(kind="revert").exists()


def test_of_an_act_that_has_been_taken_back_the_form_says_so(mod: Client) -> None:
    do(mod, "warn", somebody("alice").player.public_id)
    done = ModeratorAction.objects.get()
    assert mod.get(do_path("revert", done.public_id)).status_code == 200
    do(mod, "revert", done.public_id)
    asked = mod.post(do_path("revert", done.public_id), {**REASON, "step": "check"})
    for answer in (mod.get(do_path("revert", done.public_id)), asked):
        assert answer.status_code == 409
        assert "This has been taken back already." in answer.content.decode()


def test_what_is_not_there_is_not_found(mod: Client) -> None:
    for path in (
        f"{QUEUE}{'0' * 16}/",
        f"{QUEUE}players/{'0' * 16}/",
        f"{LOG}{'0' * 16}/",
        f"{QUEUE}1/",
        f"{QUEUE}add/",
    ):
        read(mod, path, status=404)
    for kind in ("warn", "clear", "answer", "revert", "dance"):
        read(mod, f"{QUEUE}do/{kind}/{'0' * 16}/", status=404)
