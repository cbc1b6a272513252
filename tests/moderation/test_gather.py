"""Rows become the evidence that they are: whole lines, every earlier finish, careers, accounts of one network."""

from __future__ import annotations

import datetime as dt
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, connections, transaction
from django.test.utils import CaptureQueriesContext

from games import clock
from games.engine.cards import Card
from games.engine.codes import parse_code
from games.engine.deals import deal_cards
from games.engine.moves import parse_log
from games.engine.rulesets import find_ruleset
from games.models import Attempt, AttemptClient, Deal, Move, Player, SharedBrowser
from leaderboards.models import DailyChallenge
from leaderboards.moderation import gather, lines
from leaderboards.moderation.evidence import Evidence
from leaderboards.moderation.gather import evidence_of
from leaderboards.moderation.judging import attempt_judge
from leaderboards.moderation.lines import Fields
from leaderboards.moderation.linked import SEEN, account_signals, deal_seen
from leaderboards.moderation.verdict import OVER_TIME
from tests.calls import from_our_page
from tests.factories import PASSWORD, SignedIn, bot, person, token
from tests.moderation.playing import WON, best_line, competition, judging, play, signal, somebody

pytestmark = pytest.mark.django_db(transaction=True)

NOON = dt.datetime(2026, 11, 20, 12, tzinfo=dt.UTC)
HOUR = dt.timedelta(hours=1)
DEALS = ("TP1-E-AAAAAAB", "TP1-E-AAAAAAD", "TP1-E-AAAAAAF")


def evidence(attempt: Attempt, fields: Fields | None = None) -> Evidence:
    ply = attempt.ply if attempt.result_ply is None else attempt.result_ply
    with evidence_of(attempt=attempt, ply=ply, fields=fields or Fields()) as gathered:
        assert gathered is not None
        return gathered.evidence


def in_field(attempt: Attempt, fields: Fields) -> set[int]:
    cards: tuple[Card, ...] = tuple(attempt.deal.cards)
    with fields.hold(deal_id=attempt.deal_id, cards=cards, ruleset=find_ruleset(attempt.ruleset)) as field:
        return {finish.attempt_id for finish in field.finishes}


# --- the line ------------------------------------------------------------------------------------------------------


def test_a_line_is_the_log_with_the_server_s_times() -> None:
    attempt = play(somebody(), at=NOON, pace_ms=1234)
    line = evidence(attempt).line
    assert line.log == tuple(parse_log(" ".join(WON)))
    assert line.intervals_ms == (1234,) * 50
    assert line.ended_ms == clock.milliseconds(NOON)
    assert line.elapsed_ms == 50 * 1234 == attempt.result_elapsed_ms
    assert (line.cards, line.ruleset.letters, line.undo_allowed) == (tuple(attempt.deal.cards), "E", True)


def test_a_line_ends_with_the_result_that_is_judged() -> None:
    attempt = play(somebody(), at=NOON)
    with evidence_of(attempt=attempt, ply=20, fields=Fields()) as gathered:
        assert gathered is not None
        assert len(gathered.evidence.line.log) == 20


def test_without_its_moves_there_is_no_evidence() -> None:
    attempt = play(somebody(), at=NOON)
    Move.objects.filter(attempt=attempt, ply__gt=10).delete()
    with evidence_of(attempt=attempt, ply=50, fields=Fields()) as gathered:
        assert gathered is None


# --- the field -----------------------------------------------------------------------------------------------------


def test_a_field_holds_every_finish_and_grows() -> None:
    fields = Fields()
    first = play(somebody(), at=NOON)
    practice = play(somebody(), at=NOON, practice=True)
    play(somebody(), ["t20"], at=NOON)
    play(somebody(), best_line(DEALS[1]), code=DEALS[1], at=NOON)
    assert in_field(first, fields) == {first.pk, practice.pk}
    third = play(somebody(), at=NOON + HOUR)
    assert in_field(first, fields) == {first.pk, practice.pk, third.pk}
    with CaptureQueriesContext(connection) as asked:
        in_field(first, fields)
    assert len(asked) == 1


def test_a_finish_that_commits_late_with_an_earlier_date_is_not_missed() -> None:
    fields = Fields()
    at = clock.now()
    begun, go_on = threading.Event(), threading.Event()

    def late() -> int:
        try:
            with transaction.atomic():
                attempt = play_row(at - dt.timedelta(seconds=20))
                begun.set()
                go_on.wait(20)
                return attempt.pk
        finally:
            connections.close_all()

    template = play(somebody(), at=at - HOUR)
    players = iter([somebody().player.pk])

    def play_row(when: dt.datetime) -> Attempt:
        copied = Attempt.objects.get(pk=template.pk)
        moves = list(Move.objects.filter(attempt=template).order_by("ply"))
        copied.pk, copied.public_id, copied.player_id, copied.result_at = None, "late", next(players), when
        copied._state.adding = True
        copied.save()
        Move.objects.bulk_create(
            Move(attempt=copied, ply=move.ply, move=move.move, move_id=move.move_id, at=move.at) for move in moves
        )
        return copied

    with ThreadPoolExecutor(1) as pool:
        later = pool.submit(late)
        assert begun.wait(10)
        newer = play(somebody(), at=at)
        assert in_field(template, fields) == {template.pk, newer.pk}
        go_on.set()
        pk = later.result()
    assert in_field(template, fields) == {template.pk, newer.pk, pk}


def test_the_fields_used_longest_ago_make_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "KEPT_LINES", 2)
    fields = Fields()
    attempts = [play(somebody(), best_line(code), code=code, at=NOON) for code in DEALS]
    for attempt in attempts:
        assert in_field(attempt, fields) == {attempt.pk}
    assert {key[0] for key in fields._kept} == {attempt.deal_id for attempt in attempts[1:]}
    assert in_field(attempts[0], fields) == {attempts[0].pk}


# --- the player ----------------------------------------------------------------------------------------------------


def test_the_subject_is_the_account_as_it_was_at_the_end() -> None:
    alice = somebody()
    alice.player.created_at = NOON - 3 * HOUR
    alice.player.save()
    for hours in (2, 1):
        play(alice, at=NOON - hours * HOUR)
    attempt = play(alice, at=NOON)
    play(alice, at=NOON + HOUR)
    subject = evidence(attempt).subject
    assert (subject.kind, subject.age_ms, subject.finished_before) == ("person", 3 * 3600 * 1000, 2)
    robot = play(token(bot()), at=NOON)
    assert evidence(robot).subject.kind == "bot"


def test_own_attempts_given_up_before_count_on_open_cards() -> None:
    alice = somebody()
    play(alice, ["t20"], at=NOON - 3 * HOUR, resign=True)
    play(alice, ["t20"], at=NOON - 2 * HOUR)
    play(alice, at=NOON - HOUR)
    attempt = play(alice, at=NOON)
    play(alice, ["t20"], at=NOON + HOUR, resign=True)
    assert evidence(attempt).retries.own_given_up == 2


# --- careers -------------------------------------------------------------------------------------------------------


def of_day(who: SignedIn, day: int, line: list[str] | None = None) -> Attempt:
    """An attempt at the daily of 1 January 2020 and so on, on the deal of that day."""
    code, at = DEALS[day], NOON + day * 24 * HOUR
    return play(
        who, line or best_line(code), code=code, at=at, competition=competition(at, f"daily-2020-01-0{day + 1}")
    )


def test_a_career_is_the_knowledge_of_earlier_dailies_oldest_first_by_the_newest_version() -> None:
    alice = somebody()
    attempts = [of_day(alice, day) for day in range(3)]
    play(alice, at=NOON)
    for attempt in attempts[:2]:
        for version in (2, 1):
            row = attempt_judge(
                attempt_id=attempt.pk,
                ply=attempt.ply,
                now=NOON,
                judge=judging("nothing"),
                version=version,
                fields=Fields(),
            )
            assert row is not None
            row.knowledge = [float(attempt.pk), float(version)]
            row.save()
    assert list(evidence(attempts[2]).career.knowledge) == [(float(each.pk), 2.0) for each in attempts[:2]]
    assert list(evidence(attempts[0]).career.knowledge) == []


@pytest.mark.parametrize(
    ("verdict", "names", "settled"),
    [
        ("flag", [OVER_TIME, "same_line"], 2),
        ("hold", [OVER_TIME], 2),
        ("flag", ["same_line", OVER_TIME], 0),
        ("nothing", [OVER_TIME], 0),
        ("nothing", [], 0),
    ],
)
def test_a_flag_of_the_career_settles_it_up_to_that_attempt(verdict: str, names: list[str], settled: int) -> None:
    alice = somebody()
    attempts = [of_day(alice, day) for day in range(3)]
    for number, attempt in enumerate(attempts):
        found = [signal(name, 40, "moves") for name in names] if number == 1 else []
        judge = judging(verdict if number == 1 else "nothing", *found)
        assert attempt_judge(attempt_id=attempt.pk, ply=attempt.ply, now=NOON, judge=judge, fields=Fields())
    career = evidence(
        play(alice, at=NOON + 9 * 24 * HOUR, competition=competition(NOON + 9 * 24 * HOUR, "daily-2020-01-09"))
    ).career
    assert (len(career.knowledge), career.settled) == (3, settled)
    assert evidence(attempts[1]).career.settled == 0


@pytest.fixture
def dailies() -> list[DailyChallenge]:
    """Three dailies that were final a minute after noon of the day before the next."""
    gather._final.clear()
    made = []
    for day, code in enumerate(DEALS):
        deal = Deal.objects.get_or_create(cards=bytes(deal_cards(parse_code(code))))[0]
        opens = NOON + day * 24 * HOUR - 12 * HOUR
        best = best_line(code)
        made.append(
            DailyChallenge.objects.create(
                date=dt.date(2020, 1, day + 1),
                number=day + 1,
                ruleset="E",
                code=code,
                deal=deal,
                commitment=f"{day}" * 64,
                committed_at=opens,
                late=False,
                opens_at=opens,
                closes_at=opens + 20 * HOUR,
                grace_ends_at=opens + 20 * HOUR,
                final_at=opens + 21 * HOUR,
                best_score=800 - len(best),
                best_moves=len(best),
            )
        )
    return made


def test_results_of_final_dailies_are_compared_with_the_exact_best_and_the_field(
    dailies: list[DailyChallenge],
) -> None:
    alice, bob, carol = somebody(), somebody(), somebody()
    of_day(alice, 0)
    of_day(bob, 0)
    of_day(carol, 0, list(WON))  # a win, but not a best one
    of_day(alice, 1)
    attempt = of_day(alice, 2)
    (first, second) = evidence(attempt).career.results
    assert (first.reached_best, first.others, first.others_best) == (True, 2, 1)
    assert (second.reached_best, second.others, second.others_best) == (True, 0, 0)
    gather._final.clear()
    DailyChallenge.objects.filter(pk=dailies[1].pk).update(final_at=NOON + 72 * HOUR)
    assert len(evidence(attempt).career.results) == 1  # the second was not final at that time


# --- accounts of one network ---------------------------------------------------------------------------------------


def from_network(attempt: Attempt, who: SignedIn, network: bytes) -> None:
    AttemptClient.objects.create(
        attempt=attempt,
        player=who.player,
        credential=who.credential,
        client="page_rest",
        network=network.ljust(16, b"\0"),
        first_ply=0,
        at=attempt.started_at,
    )


def test_an_account_of_the_same_network_is_a_link_with_its_line_at_these_cards() -> None:
    looker, alice, stranger = somebody(), somebody(), somebody()
    look = play(looker, ["t20", "t23"], at=NOON - HOUR, resign=True, competition=competition(NOON, "daily-2020-01-01"))
    far = play(stranger, at=NOON - HOUR)
    attempt = play(alice, at=NOON, competition=competition(NOON, "daily-2020-01-01"))
    for each, who, network in ((look, looker, b"one"), (attempt, alice, b"one"), (far, stranger, b"two")):
        from_network(each, who, network)
    found = evidence(attempt)
    (link,) = found.links
    assert (link.player_id, link.same_network, link.same_owner) == (looker.player.pk, True, False)
    assert (link.dailies_both, link.dailies_after, link.line_ended) == (1, 1, "resigned")
    assert link.line is not None
    assert link.line.log == tuple(parse_log("t20 t23"))
    assert (found.retries.linked_given_up, found.retries.own_given_up) == (1, 0)
    assert found.sealed


def test_a_guest_who_looks_and_signs_in_over_another_network_in_that_browser_has_seen_the_deal() -> None:
    visit = from_our_page("POST", "/guests", {})
    looker = Player.objects.get()
    person("alice", password=PASSWORD)
    today = competition(NOON, "daily-2020-01-01")
    look = play(token(looker), ["t20", "t23"], at=NOON - HOUR, resign=True, competition=today)
    signed = from_our_page("POST", "/login", {"name": "alice", "password": PASSWORD}, cookie=visit.cookie)
    assert signed.status == 200
    alice = token(Player.objects.get(name="alice"))
    attempt = play(alice, at=clock.now(), competition=competition(clock.now(), "daily-2020-01-01"))
    from_network(look, token(looker), b"one")
    from_network(attempt, alice, b"two")
    found = evidence(attempt)
    (link,) = found.links
    assert (link.player_id, link.same_browser, link.same_network) == (looker.pk, True, False)
    assert found.retries.linked_given_up == 1
    signals = {each.name: each for each in account_signals(found) if each is not None}
    assert (signals["deal_seen"].evidence["player_id"], signals["deal_seen"].points) == (looker.pk, SEEN + 6 + 4)
    assert "the same browser" in signals["deal_seen"].explanation
    assert "given_up" in signals
    SharedBrowser.objects.all().delete()  # control
    assert not any(account_signals(evidence(attempt)))


@pytest.mark.parametrize("resign", [True, False])
def test_a_bot_and_its_owner_are_links_with_their_lines_from_wherever_they_play(resign: bool) -> None:
    """Given up or left idle; and what was seen so is a signal, in both directions."""
    alice = somebody()
    robot = token(bot(owner=alice.player))
    other = token(bot(owner=alice.player))
    noon, evening = competition(NOON, "daily-2020-01-01"), competition(NOON + HOUR, "daily-2020-01-01")
    look = play(robot, ["t20", "t23"], at=NOON - HOUR, resign=resign, competition=noon)
    attempt = play(alice, at=NOON, competition=noon)
    sister = play(other, at=NOON + HOUR, competition=evening)
    links = {link.player_id: link for link in evidence(attempt).links}
    assert set(links) == {robot.player.pk, other.player.pk}
    link = links[robot.player.pk]
    assert (link.same_network, link.same_owner, link.line_ended) == (False, True, "resigned" if resign else "")
    assert link.line is not None
    assert (link.line.attempt_id, link.line.log) == (look.pk, tuple(parse_log("t20 t23")))
    assert links[other.player.pk].line is None
    seen = deal_seen(evidence(attempt))
    assert seen is not None
    assert (seen.evidence["attempt_id"], evidence(attempt).retries.linked_given_up) == (look.pk, 0)
    of_bot = deal_seen(evidence(sister))
    assert of_bot is not None
    assert of_bot.evidence["attempt_id"] == attempt.pk  # the owner's, not the other bot's
    assert deal_seen(evidence(look)) is None


def test_few_queries_gather_it_all() -> None:
    alice = somebody()
    for day in range(2):
        of_day(alice, day)
    attempt = of_day(alice, 2)
    fields = Fields()
    evidence(attempt, fields)
    with CaptureQueriesContext(connection) as asked:
        evidence(attempt, fields)
    assert len(asked) <= 7
