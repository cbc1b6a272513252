"""A small season for the tests of decisions: every kind of board with somebody on it, and a picture of all of them."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import dataclass
from typing import Any

from games.engine.codes import numbered_code
from games.models import Attempt, Player
from leaderboards import standings
from leaderboards.models import Board, DailyChallenge, Entry, ScoreBucket
from leaderboards.scopes import parse_board
from leaderboards.selectors import board_me, board_page, player_profile
from leaderboards.services import dailies_prepare
from tests.attempts.hand import Z_LINE, Hand, deck_code
from tests.leaderboards.cast import EASY, NOON, RUNS, TEN, bot, finish, person, reading_from
from tests.staff import staff

GAME_17 = numbered_code(17).text
MINUTE = dt.timedelta(minutes=1)
WHY: dict[str, Any] = {"reason_class": "copied", "reason": "the same forty moves", "words": "Play your own line."}
DECK = deck_code("Z", "R")


@dataclass
class Season:
    """Who has played, and who moderates."""

    alice: Player
    bob: Player
    carol: Player
    second: Player
    """Bob's second account."""
    robot: Player
    mod: Player
    head: Player
    record: Attempt
    """Alice's, of numbered game 17."""
    daily: DailyChallenge


def numbered(player: Player, left: int, moves: int, minute: int, **options: Any) -> Attempt:
    """A result of numbered game 17."""
    outcome, peaks = ("stuck", 0) if left else ("won", 3)
    given = {"code": GAME_17, "outcome": outcome, "peaks": peaks, "cards_left": left, "moves": moves, **options}
    return finish(player, left, at=TEN + minute * MINUTE, **given)


def season() -> Season:
    """Five players, a record with its runners-up, equal results, second-bests, a bot, and a daily that is running."""
    alice, bob, carol, second = (person(name) for name in ("alice", "bob", "carol", "bobby"))
    robot = bot("robot", carol)
    record = numbered(alice, 0, 40, 1)
    numbered(alice, 2, 44, 2)
    numbered(bob, 0, 41, 3)
    numbered(bob, 0, 41, 4, undos=3)
    numbered(second, 0, 39, 5)
    numbered(carol, 3, 45, 6)
    numbered(robot, 0, 50, 7)
    for minute, (player, score) in enumerate([(bob, 300), (alice, 310), (carol, 310), (second, 305), (alice, 310)]):
        finish(player, score, code=RUNS, at=TEN + minute * MINUTE)
    finish(alice, 700, code=EASY, at=TEN)
    dailies_prepare(now=TEN)
    daily = DailyChallenge.objects.get(date=TEN.date())
    for player, score, minute in ((alice, 600, 1), (second, 650, 2), (bob, 655, 3), (robot, 500, 4)):
        begun = finish(player, score, code=daily.code, competition=daily.key, at=TEN + minute * MINUTE)
        Attempt.objects.filter(pk=begun.pk).update(sealed_until=daily.final_at, deadline=daily.grace_ends_at)
    return Season(
        alice=alice,
        bob=bob,
        carol=carol,
        second=second,
        robot=robot,
        mod=staff("mod"),
        head=staff("hilda", role="head"),
        record=record,
        daily=daily,
    )


def bettered_with_undo(player: Player) -> Attempt:
    """One more attempt, with a real log: stuck without undo, then won with it. On the two views stand different results."""
    hand = Hand.of(player)
    hand.at = TEN
    attempt = hand.start(DECK, key="undone")
    stuck = ["d"] * 23 + [f"t{slot}" for slot in range(27, 17, -1)]
    for move in [*stuck, *(["u"] * len(stuck)), *Z_LINE]:
        hand.wait(seconds=2)
        hand.play(attempt, move)
    attempt.refresh_from_db()
    assert attempt.outcome == "won"
    views = Entry.objects.filter(attempt=attempt).order_by("board__view").values_list("board__view", "outcome")
    assert list(views) == [("best", "won"), ("first", "stuck")]
    return attempt


# --- pictures ------------------------------------------------------------------------------------------------------


def boards(*, without: tuple[str, ...] = ()) -> dict[str, str]:
    """Every board as programs read it, version aside, from the database and from the copy; and the rows themselves."""
    shown: dict[str, str] = {}
    for board in Board.objects.exclude(scope__in=without).order_by("id"):
        name = parse_board(board.scope, board.kind, board.view)
        for way in ("database", "cache"):
            with reading_from(way):
                page = board_page(name, cursor=None, limit=100, now=NOON)
                mine = [
                    board_me(name, player_id=pk) for pk in Player.objects.order_by("id").values_list("id", flat=True)
                ]
            page["board"].pop("version")
            for own in mine:
                own.pop("version")
            shown[f"{board} {way}"] = json.dumps([page, mine], indent=1)
        rows = Entry.objects.filter(board=board, active=True).order_by("player_id")
        shown[f"{board} rows"] = str(list(rows.values_list("player_id", "attempt_id", "key", "finished_ms", "score")))
        buckets = ScoreBucket.objects.filter(board=board).order_by("bucket").values_list("bucket", "count")
        shown[f"{board} counts"] = str([board.entries, board.started, board.finished, *buckets])
    return shown


def profiles() -> dict[str, str]:
    """Every player's page as a stranger reads it, or why not."""
    from games.errors import NotFound

    shown = {}
    for player in Player.objects.filter(is_staff=False).order_by("id"):
        try:
            found: object = player_profile(public_id=player.public_id, viewer_id=None, now=NOON)
        except NotFound:
            found = "not found"
        shown[str(player)] = json.dumps(found, indent=1)
    return shown


def versions() -> dict[str, int]:
    return {str(board): board.version for board in Board.objects.order_by("id")}


def copies_rebuilt() -> None:
    """Make every copy anew."""
    for board in Board.objects.order_by("id"):
        assert standings.rebuild(board.pk)
