"""A disqualification reaches what it must and no further, and is taken back to the byte (C16, R8.5, C15)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from games.clock import milliseconds
from games.models import Attempt
from leaderboards.models import DailyChallenge
from leaderboards.moderation import actions
from leaderboards.moderation.models import ModeratorAction
from leaderboards.scopes import parse_board
from leaderboards.selectors import board_me, daily_json, news_get, numbered_get, standings_snapshot
from tests.calls import call
from tests.leaderboards.cast import NOON, RUNS, person, places, reading_from

from .season import GAME_17, WHY, Season, boards, copies_rebuilt, numbered, profiles, season, versions

pytestmark = pytest.mark.django_db


def disqualify(s: Season, attempt: Attempt) -> ModeratorAction:
    return actions.attempt_disqualify(attempt_id=attempt.public_id, moderator_id=s.mod.pk, now=NOON, **WHY)


def reinstate(s: Season, attempt: Attempt) -> ModeratorAction:
    return actions.attempt_reinstate(attempt_id=attempt.public_id, moderator_id=s.mod.pk, now=NOON, **WHY)


def record() -> Any:
    return numbered_get(number=17)["record"]


def test_C16_only_the_game_and_what_counts_it_change_and_everything_comes_back_to_the_byte() -> None:
    s = season()
    p1 = numbered(person("p1"), 0, 35, 20)
    p2 = numbered(person("p2"), 0, 38, 21)
    running = daily_json(DailyChallenge.objects.get(pk=s.daily.pk), NOON)
    before, pages, version = boards(), profiles(), versions()
    replay = call("GET", f"/attempts/{p1.public_id}/replay")
    assert replay.status == 200
    assert record()["player"]["name"] == "p1"

    action = disqualify(s, p1)
    after = boards()
    assert {name.split()[0] for name in after if after[name] != before[name]} == {GAME_17}
    assert {name for name, at in versions().items() if at != version[name]} == {
        f"{GAME_17} people best",
        f"{GAME_17} people first",
    }
    assert {name for name, page in profiles().items() if page != pages[name]} == {"p1", "p2"}
    assert json.loads(profiles()["p2"])["records"] == {"count": 1, "numbers": [17]}
    assert daily_json(DailyChallenge.objects.get(pk=s.daily.pk), NOON) == running
    assert (running["status"], running["code"], running["best"]) == ("open", None, None), "D stays open and unrated"
    assert s.daily.key not in {row["board"] for row in action.before["entries"]}
    name = parse_board(GAME_17)
    assert board_me(name, player_id=p1.player_id)["rank"] is None
    assert (record()["player"]["name"], record()["finished_at"]) == ("p2", "2026-11-29T10:21:00.000Z")
    assert call("GET", f"/attempts/{p1.public_id}/replay").json == replay.json, "the replay is kept"

    disqualify(s, p2)
    for attempt in (p1, p2):
        mine = board_me(name, player_id=attempt.player_id)
        assert (mine["rank"], mine["row"], mine["around"], mine["provisional"]) == (None, None, [], False)
    assert {"p1", "p2"} & {name for _rank, name in places(GAME_17)} == set()
    assert record()["player"]["name"] == "bobby"

    reinstate(s, p2)
    assert boards() == after
    reinstate(s, p1)
    assert boards() == before
    assert profiles() == pages
    assert call("GET", f"/attempts/{p1.public_id}/replay").json == replay.json
    log = [(row.kind, row.moderator, row.at, row.reason) for row in ModeratorAction.objects.order_by("id")]
    assert log == [
        (kind, s.mod, NOON, WHY["reason"]) for kind in ("disqualify", "disqualify", "reinstate", "reinstate")
    ]
    assert [row["attempt"] for row in action.before["entries"]] == [p1.public_id] * 2
    assert (action.before["exclusion"], action.after["exclusion"]["kind"]) == (None, "disqualified")


def test_C16_control_a_reinstatement_with_the_date_of_the_decision_would_be_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from leaderboards.selectors import standing

    s = season()
    before = boards()
    disqualify(s, s.record)
    real = milliseconds
    monkeypatch.setattr(standing, "milliseconds", lambda at: real(NOON if at == s.record.result_at else at))
    reinstate(s, s.record)
    assert boards() != before


def test_C16_the_same_while_the_daily_itself_is_running() -> None:
    s = season()
    before, counts = boards(), standings_snapshot(s.daily.key, "people", "best", now=NOON)["counts"]
    mine = Attempt.objects.get(player=s.alice, competition_key=s.daily.key)
    disqualify(s, mine)
    after = boards()
    assert {name.split()[0] for name in after if after[name] != before[name]} == {s.daily.key}
    assert [name for _rank, name in places(s.daily.key)] == ["bob", "bobby"]
    assert standings_snapshot(s.daily.key, "people", "best", now=NOON)["counts"] == counts, "they did play"
    reinstate(s, mine)
    assert boards() == before


def test_what_does_not_count_is_not_told_as_news_and_comes_back_as_it_was() -> None:
    s = season()

    def told() -> Any:
        return news_get(public_id=s.record.public_id, player_id=s.alice.pk)["news"]

    before = told()
    assert before["kind"] == "first_win"
    disqualify(s, s.record)
    assert told() is None
    reinstate(s, s.record)
    assert told() == before
    actions.player_hide(player_id=s.alice.public_id, moderator_id=s.head.pk, now=NOON, **WHY)
    assert told() is None


# --- C15: hiding a player, who is then gone from everywhere ---------------------------------------------------------


def test_C15_a_hidden_player_is_on_no_board_of_any_kind_and_in_no_copy() -> None:
    s = season()
    pages = profiles()
    with reading_from("cache"):
        assert "alice" in {name for _rank, name in places(RUNS)}
    actions.player_hide(player_id=s.alice.public_id, moderator_id=s.head.pk, now=NOON, **WHY)
    for rebuilt in (False, True):
        if rebuilt:
            copies_rebuilt()
        for way in ("database", "cache"):
            with reading_from(way):
                for view in ("best", "first"):
                    assert places(RUNS, view=view) == [(1, "carol"), (2, "bobby"), (3, "bob")]
                assert places(GAME_17)[0] == (1, "bobby")
                assert [name for _rank, name in places(s.daily.key)] == ["bob", "bobby"]
                assert places(GAME_17, kind="bots") == [(1, "robot")]
        now = standings_snapshot(RUNS, "people", "best")
        assert (now["entries"], now["counts"]["players"]) == (3, 3)
        assert "alice" not in json.dumps(
            [boards(), {name: page for name, page in profiles().items() if name != "alice"}]
        )
    assert profiles()["alice"] == '"not found"'
    assert profiles()["carol"] == pages["carol"]


def test_C15_results_of_a_hidden_player_wait_and_are_there_when_shown_again() -> None:
    s = season()
    actions.player_hide(player_id=s.alice.public_id, moderator_id=s.head.pk, now=NOON, **WHY)
    numbered(s.alice, 0, 30, 60)
    assert [name for _rank, name in places(GAME_17)] == ["bobby", "bob", "carol"]
    actions.player_show(player_id=s.alice.public_id, moderator_id=s.head.pk, now=NOON, **WHY)
    assert places(GAME_17)[0] == (1, "alice")
    assert record()["moves"] == 30


def test_a_result_on_a_deal_of_ones_own_makes_its_board_when_shown_again() -> None:
    alice, s = person("annie"), season()
    actions.player_hide(player_id=alice.public_id, moderator_id=s.head.pk, now=NOON, **WHY)
    numbered(alice, 0, 40, 1, code="TP1-G-AAAAAAS")
    assert places("TP1-G-AAAAAAS") == []
    actions.player_show(player_id=alice.public_id, moderator_id=s.head.pk, now=NOON, **WHY)
    assert places("TP1-G-AAAAAAS") == places("TP1-G-AAAAAAS", view="first") == [(1, "annie")]
