"""Merged accounts are one person on every board, and two again when separated."""

from __future__ import annotations

import json

import pytest

from games.models import Attempt, DealExposure, Player
from leaderboards.models import Board, Entry
from leaderboards.moderation import actions
from leaderboards.moderation.models import ModeratorAction, Notice
from leaderboards.scopes import parse_board
from leaderboards.selectors import board_me, standings_snapshot
from leaderboards.services import account_delete
from tests.leaderboards.cast import NOON, RUNS, TEN, copy_answers, finish, person, places, reading_from
from tests.staff import staff

from .season import GAME_17, MINUTE, WHY, Season, boards, numbered, profiles, season, versions

pytestmark = pytest.mark.django_db


def merge(main: Player, second: Player, by: Player) -> ModeratorAction:
    return actions.accounts_merge(
        main_id=main.public_id, second_id=second.public_id, moderator_id=by.pk, now=NOON, **WHY
    )


def separate(second: Player, by: Player) -> ModeratorAction:
    return actions.accounts_separate(second_id=second.public_id, moderator_id=by.pk, now=NOON, **WHY)


def standing(player: Player, scope: str, view: str = "best") -> Attempt | None:
    row = Entry.objects.filter(board__scope=scope, board__view=view, player=player, active=True).first()
    return row.attempt if row else None


def test_the_better_of_both_stands_once_under_the_main_name() -> None:
    s = season()
    before, pages = boards(), profiles()
    merge(s.bob, s.second, s.head)
    assert places(RUNS) == [(1, "alice"), (1, "carol"), (3, "bob")]
    row = standings_snapshot(RUNS, "people", "best")["rows"][2]
    assert (row["player"]["id"], row["score"]) == (s.bob.public_id, 305), "the second account's result"
    assert standings_snapshot(GAME_17, "people", "best")["rows"][0]["player"]["name"] == "bob"
    assert json.loads(profiles()["bob"])["records"]["count"] == 1
    separate(s.second, s.head)
    assert (boards(), profiles()) == (before, pages)


def test_in_a_competition_only_the_attempt_begun_first_counts() -> None:
    s = season()
    bobs, seconds = (Attempt.objects.get(player=player, competition_key=s.daily.key) for player in (s.bob, s.second))
    assert seconds.started_at < bobs.started_at
    merge(s.bob, s.second, s.head)
    assert places(s.daily.key) == [(1, "bob"), (2, "alice")]
    assert standing(s.bob, s.daily.key) == seconds, "bob's better one was a second look"
    actions.attempt_disqualify(attempt_id=seconds.public_id, moderator_id=s.head.pk, now=NOON, **WHY)
    assert places(s.daily.key) == [(1, "alice")], "the second look is none the better for it"


def test_of_first_attempts_at_the_same_cards_only_the_one_begun_first_counts() -> None:
    alice, double, mod = person("alice"), person("alias"), staff(role="head")
    looked = finish(double, 100, at=TEN, ranked=False)
    finish(alice, 300, at=TEN + MINUTE)
    other = finish(alice, 200, at=TEN + MINUTE, code="TP1-R-AAAAAAC")
    merge(alice, double, mod)
    assert places(RUNS) == [(1, "alice")]
    assert places(RUNS, view="first") == [], "the other account had seen the cards, if only in practice"
    assert places("TP1-R-AAAAAAC", view="first") == [(1, "alice")], "other cards are not touched"
    assert standing(alice, "TP1-R-AAAAAAC", "first") == other
    separate(double, mod)
    assert places(RUNS, view="first") == [(1, "alice")]
    assert looked.number == 1
    assert DealExposure.objects.count() == 0


def test_only_boards_that_either_account_changes_get_a_new_version() -> None:
    s = season()
    finish(s.carol, 100, code="TP1-R-AAAAAAC")
    before = versions()
    merge(s.bob, s.second, s.head)
    changed = {name for name, at in versions().items() if at != before[name]}
    assert changed == {
        f"{scope} people {view}"
        for scope, view in [
            (RUNS, "best"),
            (RUNS, "first"),
            (GAME_17, "best"),
            (GAME_17, "first"),
            (s.daily.key, "best"),
        ]
    }
    assert all(versions()[name] == before[name] + 1 for name in changed)


def test_the_copy_follows_although_both_rows_share_one_attempt() -> None:
    s = season()
    for _ in range(2):
        for together in (True, False):
            with reading_from("cache"):
                places(RUNS)  # the copy is there, and at the version before
            if together:
                merge(s.bob, s.second, s.head)
            else:
                separate(s.second, s.head)
            shown = {}
            for way in ("cache", "database"):
                with reading_from(way):
                    shown[way] = places(RUNS)
            assert shown["cache"] == shown["database"]
            assert copy_answers(RUNS)
    merge(s.bob, s.second, s.head)
    separate(s.second, s.head)
    merge(s.bob, s.second, s.head)  # several changes in one step of the copy
    with reading_from("cache"):
        assert places(RUNS) == [(1, "alice"), (1, "carol"), (3, "bob")]
    assert copy_answers(RUNS)


def test_what_either_plays_later_counts_for_the_main_account() -> None:
    s = season()
    merge(s.bob, s.second, s.head)
    later = finish(s.second, 400, at=NOON)
    assert standing(s.bob, RUNS) == later
    assert standing(s.second, RUNS) is None
    assert places(RUNS)[0] == (1, "bob")
    finish(s.bob, 390, at=NOON)
    assert standing(s.bob, RUNS) == later
    best = finish(s.bob, 410, at=NOON)
    assert standing(s.bob, RUNS) == best
    fresh = finish(s.second, 100, code="TP1-R-AAAAAAC", at=NOON)
    assert standing(s.bob, "TP1-R-AAAAAAC") == standing(s.bob, "TP1-R-AAAAAAC", "first") == fresh
    before = boards()
    separate(s.second, s.head)
    assert standing(s.second, RUNS) == later
    assert standing(s.bob, RUNS) == best
    merge(s.bob, s.second, s.head)
    assert boards() == before


def test_a_daily_counts_as_finished_for_each_who_finished_it() -> None:
    s = season()
    merge(s.carol, s.second, s.head)
    finished = Board.objects.get(scope=s.daily.key, kind="people").finished
    finish(s.carol, 640, code=s.daily.code, competition=s.daily.key, at=NOON)
    board = Board.objects.get(scope=s.daily.key, kind="people")
    assert board.finished == finished + 1
    assert places(s.daily.key)[1] == (2, "carol"), "with what was begun first"
    assert standing(s.carol, s.daily.key) == Attempt.objects.get(player=s.second, competition_key=s.daily.key)


def test_both_see_the_one_place_they_have() -> None:
    s = season()
    merge(s.bob, s.second, s.head)
    seen = [board_me(parse_board(RUNS), player_id=player.pk) for player in (s.bob, s.second)]
    assert seen[0] == seen[1]
    assert (seen[0]["rank"], seen[0]["row"]["player"]["name"], seen[0]["provisional"]) == (3, "bob", False)


def test_both_are_told() -> None:
    s = season()
    merge(s.bob, s.second, s.head)
    assert set(Notice.objects.values_list("player__name", "kind")) == {("bob", "merged"), ("bobby", "merged")}


def test_a_hidden_second_account_counts_for_nobody_and_a_hidden_main_hides_both() -> None:
    s = season()
    merge(s.bob, s.second, s.head)
    merged = boards()
    hide = actions.player_hide(player_id=s.second.public_id, moderator_id=s.head.pk, now=NOON, **WHY)
    assert standings_snapshot(RUNS, "people", "best")["rows"][2]["score"] == 300
    actions.action_revert(action_id=hide.public_id, moderator_id=s.head.pk, reason="x", words="", now=NOON)
    assert boards() == merged
    actions.player_hide(player_id=s.bob.public_id, moderator_id=s.head.pk, now=NOON, **WHY)
    assert {name for _rank, name in places(RUNS)} == {"alice", "carol"}
    assert numbered(s.second, 0, 20, 90).ranked
    assert {name for _rank, name in places(GAME_17)} == {"alice", "carol"}
    actions.player_show(player_id=s.bob.public_id, moderator_id=s.head.pk, now=NOON, **WHY)
    assert places(GAME_17)[0] == (1, "bob")


def test_a_deleted_account_takes_its_results_with_it_from_the_main_one() -> None:
    s = season()
    merge(s.bob, s.second, s.head)
    account_delete(player_id=s.second.pk, now=NOON)
    assert standings_snapshot(RUNS, "people", "best")["rows"][2]["score"] == 300
    assert standing(s.bob, s.daily.key) is None, "bob had seen the deal all the same"
    account_delete(player_id=s.bob.pk, now=NOON)
    assert {name for _rank, name in places(RUNS)} == {"alice", "carol"}


def test_merging_needs_two_accounts_that_are_there() -> None:
    s: Season = season()
    account_delete(player_id=s.second.pk, now=NOON)
    from games.errors import NotFound

    for main, second in ((s.bob, s.second), (s.second, s.bob)):
        with pytest.raises(NotFound):
            merge(main, second, s.head)
