"""What fair play forgets: reports and links to other accounts, with their time and with the accounts."""

from __future__ import annotations

import datetime as dt
import io
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection, transaction
from pytest_django import Settings

from games import clock
from games.models import Attempt, Player
from leaderboards.moderation.cases import case_close
from leaderboards.moderation.judging import attempt_judge
from leaderboards.moderation.models import Case, Judgement, Report
from leaderboards.moderation.reports import report_make
from leaderboards.moderation.retention import links_purge, reports_purge
from leaderboards.moderation.signals import Signal
from leaderboards.services import account_delete, accounts_purge
from tests.factories import person
from tests.site.test_hot_queries import plans

from .fair import player, result
from .playing import judging, play, signal, somebody

pytestmark = pytest.mark.django_db(transaction=True)
DAY = dt.timedelta(days=1)


@pytest.fixture(autouse=True)
def times(settings: Settings) -> None:
    settings.EVIDENCE_DAYS, settings.DELETED_MOVES_DAYS = 10, 30


def reported(
    by: Player, *, attempt: Attempt | None = None, whom: Player | None = None, at: dt.datetime, text: str = "Hm."
) -> Case:
    subject = {"attempt_id": attempt.public_id if attempt else None, "player_id": whom.public_id if whom else None}
    return report_make(reporter_id=by.pk, reason_class="cheating", text=text, now=at, **subject).case


def closed(case: Case, at: dt.datetime) -> None:
    with transaction.atomic():
        assert case_close(attempt=case.attempt, player_id=case.player_id, now=at)


# --- reports -------------------------------------------------------------------------------------------------------


def test_reports_about_a_deleted_account_go_with_its_moves() -> None:
    alice, bob, now = person("alice"), person("bob"), clock.now()
    reported(bob, attempt=result(alice), at=now, text="of the game")
    reported(bob, whom=alice, at=now, text="of the player")
    other = reported(alice, whom=bob, at=now, text="of another")
    account_delete(player_id=alice.pk, now=now)
    assert list(Report.objects.filter(reporter=alice).values_list("text", flat=True)) == [""]
    accounts_purge(now=now + 29 * DAY)
    assert Report.objects.count() == 3
    for _ in range(2):
        accounts_purge(now=now + 30 * DAY)
        assert list(Case.objects.all()) == [other]
        assert Report.objects.get().case == other


def test_reports_go_some_time_after_their_case_is_closed() -> None:
    alice, bob, carol, now = person("alice"), person("bob"), person("carol"), clock.now()
    old = now - 30 * DAY
    game, open_still = reported(bob, attempt=result(alice), at=old), reported(bob, whom=alice, at=old)
    reported(carol, attempt=game.attempt, at=now - DAY)
    reported(alice, whom=carol, at=old)
    closed(Case.objects.get(player=carol), now - 9 * DAY)
    closed(game, now - 11 * DAY)
    severity = Case.objects.get(pk=game.pk).severity
    assert [reports_purge(now=now, batch=1), reports_purge(now=now)] == [1, 0]
    assert set(Report.objects.values_list("reporter__name", "case__player__name")) == {
        ("carol", "alice"),  # of a closed case, but new
        ("bob", "alice"),  # of an open one
        ("alice", "carol"),  # of one closed nine days ago
    }
    assert Report.objects.filter(case=open_still).exists()
    left = Case.objects.get(pk=game.pk)
    assert (left.severity, left.reports) == (severity, 2)
    call_command("maintenance", stdout=io.StringIO())
    assert Report.objects.count() == 3
    closed(open_still, now - 11 * DAY)
    call_command("maintenance", stdout=io.StringIO())
    assert not Report.objects.filter(case=open_still).exists()


# --- links ---------------------------------------------------------------------------------------------------------


def linked(to: Attempt, *others: Player, at: dt.datetime) -> Judgement:
    """An attempt of bob's, judged with links to the player of another attempt and to others."""
    found = play(somebody(), at=at)
    names = {"attempt_id": to.pk, "player_id": to.player_id}
    signals = [
        Signal("deal_seen", "account", 10, "The same network.", {**names, "ended": "won", "minutes_before": 3.5}),
        *(Signal("linked_accounts", "account", 9, "Both.", {"player_id": other.pk, "both": 6}) for other in others),
        Signal("same_line", "moves", 30, "The same line.", {"attempt_id": to.pk, "agreeing": 40}),
        signal(),
    ]
    row = attempt_judge(attempt_id=found.pk, ply=found.ply, now=at, judge=judging("nothing", *signals))
    assert row is not None
    return row


def evidence(row: Judgement) -> dict[str, dict[str, Any]]:
    row.refresh_from_db()
    return {each["name"]: each["evidence"] for each in row.signals}


def test_links_are_kept_as_long_as_the_networks_that_told_them() -> None:
    alice, carol, now = person("alice"), person("carol"), clock.now()
    seen = result(alice)
    old, young = linked(seen, carol, at=now - 11 * DAY), linked(seen, carol, at=now - 9 * DAY)
    whole = evidence(old)
    assert whole["deal_seen"]["player"] == alice.public_id, "control"
    kept = {name: value for name, value in row_of(old).items() if name != "signals"}
    assert [links_purge(now=now, batch=1), links_purge(now=now)] == [1, 0]
    assert evidence(old) == {
        "deal_seen": {"ended": "won", "minutes_before": 3.5},
        "linked_accounts": {"both": 6},
        "same_line": {"attempt": seen.public_id, "agreeing": 40},  # compared by its moves, which are public
        "machine_speed": {"plies": [1]},
    }
    assert {name: value for name, value in row_of(old).items() if name != "signals"} == kept
    assert [each["points"] for each in old.signals] == [10, 9, 30, 40]
    assert evidence(young) == whole
    call_command("maintenance", stdout=io.StringIO())
    assert evidence(young) == whole
    Judgement.objects.filter(pk=young.pk).update(judged_at=now - 11 * DAY)
    call_command("maintenance", stdout=io.StringIO())
    assert evidence(young) == evidence(old)


def row_of(row: Judgement) -> dict[str, Any]:
    return dict(Judgement.objects.filter(pk=row.pk).values().get())


def test_a_deleted_account_is_linked_to_nothing_any_more() -> None:
    alice, carol, now = player("alice"), person("carol"), clock.now()
    seen = result(alice.player)
    row, other = linked(seen, carol, at=now), linked(result(carol), at=now)
    theirs = evidence(other)
    account_delete(player_id=alice.player.pk, now=now)
    assert evidence(row)["deal_seen"] == {"ended": "won", "minutes_before": 3.5}
    assert evidence(row)["linked_accounts"] == {"player": carol.public_id, "both": 6}, "carol is still there"
    assert evidence(other) == theirs
    judged_since = linked(seen, at=now)
    assert evidence(judged_since)["deal_seen"]["player"] == alice.player.public_id, "control"
    assert [links_purge(now=now), links_purge(now=now)] == [1, 0]
    assert "player" not in evidence(judged_since)["deal_seen"]
    assert links_purge(now=now + 11 * DAY) == 3, "what is left of the others goes with its time"


def looks_for_links(act: Callable[[], object]) -> list[set[str]]:
    """The indexes and nodes of each statement that looks for links."""

    def nodes(node: dict[str, Any]) -> Iterator[str]:
        yield node.get("Index Name") or f"{node['Node Type']} {node.get('Relation Name', '')}"
        for child in node.get("Plans", ()):
            yield from nodes(child)

    with plans() as found:
        act()
    looks = [plan["Plan"] for plan in found if re.match(r"\s*SELECT.*forgotten", plan["Query Text"], re.DOTALL)]
    return [set(nodes(look)) for look in looks]


def test_links_are_found_by_an_index() -> None:
    alice, now = person("alice"), clock.now()
    linked(result(alice), at=now - 11 * DAY)
    account_delete(player_id=alice.pk, now=now)
    looks = looks_for_links(lambda: links_purge(now=now))
    assert len(looks) == 2
    for used in looks:
        assert "judgement_linking" in used
        assert "Seq Scan leaderboards_judgement" not in used


def test_a_deletion_looks_through_no_links_of_others() -> None:
    alice, now = person("alice"), clock.now()
    row = linked(result(alice), at=now)
    others = json.loads(json.dumps(row.signals).replace(alice.public_id, "0" * 16))
    like_it = {**row_of(row), "id": None, "signals": others}
    Judgement.objects.bulk_create([Judgement(**{**like_it, "version": 100 + number}) for number in range(3000)])
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE leaderboards_judgement")  # of a few, all are as soon read
    [used] = looks_for_links(lambda: account_delete(player_id=alice.pk, now=now))
    assert "judgement_naming" in used
    assert not used & {"judgement_linking", "leaderboards_judgement_pkey", "Seq Scan leaderboards_judgement"}
    assert "player" not in evidence(row)["deal_seen"]
