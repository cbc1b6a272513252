"""`manage.py verify`: silent over what was really played, and loud about every kind of damage."""

from __future__ import annotations

import datetime as dt
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection, transaction
from django.db.models import F

from games import clock
from games.compact import Log, log_pack
from games.engine.codes import parse_code
from games.engine.deals import deal_cards
from games.engine.moves import format_log
from games.engine.position import start
from games.engine.rulesets import find_ruleset
from games.models import Attempt, CompactLog, Deal
from games.services import attempts_compact
from leaderboards.models import Board, DailyChallenge, Entry
from leaderboards.services import dailies_prepare
from tests.leaderboards.cast import raw, reading_from
from tests.moderation.playing import EASY, WON, competition, play, somebody

DAY = dt.timedelta(days=1)


def history() -> list[Attempt]:
    """A won attempt in rows, a resigned one, a running one, a stuck one that was bettered by undo, and an old compact one."""
    now = clock.now()
    alice, bob = somebody("alice"), somebody("bob")
    stuck = stuck_line()
    attempts = [
        play(bob, WON, at=now - 40 * DAY),
        play(alice, WON, at=now - DAY),
        play(alice, WON[:9], at=now - DAY, resign=True),
        play(alice, WON[:9], at=now - DAY),
        play(somebody("carol"), [*stuck, *["u"] * len(stuck), *WON], at=now - DAY),
        play(bob, WON, at=now - DAY, competition=competition(now - DAY)),
    ]
    Board.objects.filter(timed=True).update(started=1)  # as a daily counts it
    list(attempts_compact(now=now))
    assert Attempt.objects.get(pk=attempts[0].pk).compacted
    dailies_prepare(now=now)
    return attempts


def stuck_line() -> list[str]:
    """All draws, then whatever fits, until nothing does."""
    code = parse_code(EASY)
    position = start(find_ruleset(code.ruleset), deal_cards(code))
    log: list[int] = []
    while position.outcome is None:
        log.append(28 if len(log) < 23 else position.fitting()[0])
        position = position.play(log[-1])
    assert position.outcome == "stuck"
    return format_log(log).split()


def verified(tmp_path: Path, *options: str) -> tuple[int, str]:
    """(exit code, what was said)."""
    said = io.StringIO()
    code = 0
    try:
        call_command("verify", f"--progress={tmp_path}/verify.jsonl", *options, stdout=said)
    except SystemExit as end:
        code = int(str(end.code))
    return code, said.getvalue()


def change(model: Any, **values: Any) -> Callable[[list[Attempt]], None]:
    """Damage the row of the second attempt."""

    def damage(attempts: list[Attempt]) -> None:
        where = {"pk": attempts[1].pk} if model is Attempt else {"attempt": attempts[1]}
        assert model.objects.filter(**where).update(**values)

    return damage


def sql(statement: str) -> Callable[[list[Attempt]], None]:
    def damage(attempts: list[Attempt]) -> None:
        with connection.cursor() as cursor:
            cursor.execute(statement, {"old": attempts[0].pk, "won": attempts[1].pk, "bettered": attempts[4].pk})
            assert cursor.rowcount

    return damage


def other_deal(attempts: list[Attempt]) -> None:
    deal = Deal.objects.create(cards=bytes(reversed(bytes(attempts[1].deal.cards))))
    Attempt.objects.filter(pk=attempts[1].pk).update(deal=deal)


def other_compact(attempts: list[Attempt]) -> None:
    packed = log_pack(Log((28, 28), (1, 2)), ["a", "b"])
    assert CompactLog.objects.filter(attempt=attempts[0]).update(packed=packed)


DAMAGE: dict[str, tuple[str, Callable[[list[Attempt]], None]]] = {
    "score": ("score", change(Attempt, score=1)),
    "moves": ("moves", change(Attempt, moves=3)),
    "run": ("run", change(Attempt, run=27)),
    "peaks": ("peaks", change(Attempt, peaks=1)),
    "cards left": ("cards_left", change(Attempt, cards_left=5)),
    "undos": ("undos", change(Attempt, undos=5)),
    "outcome": ("outcome", change(Attempt, outcome="resigned")),
    "last move": ("last_move_at", change(Attempt, last_move_at=clock.EPOCH)),
    "result": ("result_score", change(Attempt, result_score=700)),
    "a result that no game comes to": ("result_score", change(Attempt, result_score=12_345)),
    "such a result on boards": ("entries_unknown", change(Attempt, result_score=12_345)),
    "an unreadable code": ("deal", change(Attempt, code="nonsense")),
    "an unknown ruleset": ("unplayable", change(Attempt, ruleset="Q")),
    "a card twice": ("deal", sql("UPDATE games_deal SET cards = set_byte(cards, 0, get_byte(cards, 1))")),
    "an unknown card": ("deal", sql("UPDATE games_deal SET cards = set_byte(cards, 0, 99)")),
    "result's ply": ("result_ply", change(Attempt, result_ply=49)),
    "result's time": ("result_elapsed_ms", change(Attempt, result_elapsed_ms=1)),
    "result's date": ("result_at", change(Attempt, result_at=clock.EPOCH)),
    "a result that was bettered": ("result_undos", sql("UPDATE games_attempt SET result_undos = 0 WHERE id = %(bettered)s")),
    "ply": ("ply", change(Attempt, ply=51)),
    "a move lost": ("ply", sql("DELETE FROM games_move WHERE attempt_id = %(won)s AND ply = 50")),
    "another move": ("refused", sql("UPDATE games_move SET move = 0 WHERE attempt_id = %(won)s AND ply = 4")),
    "the deal": ("deal", other_deal),
    "a compact log lost": ("ply", sql("DELETE FROM games_compactlog WHERE attempt_id = %(old)s")),
    "a compact log cut off": ("log_unreadable", sql("UPDATE games_compactlog SET packed = substring(packed FROM 1 FOR 100)")),
    "another compact log": ("ply", other_compact),
    "both forms": (
        "two_logs",
        sql("INSERT INTO games_move (attempt_id, ply, move, move_id, at) SELECT %(old)s, ply, move, move_id, at FROM games_move WHERE attempt_id = %(won)s"),
    ),
    "the mark": ("compacted", sql("UPDATE games_attempt SET compacted = false WHERE id = %(old)s")),
    "an entry's key": ("entry_key", change(Entry, key=F("key") + 1)),
    "an entry's date": ("entry_finished_ms", change(Entry, finished_ms=1)),
    "an entry lost": ("entry_missing", change(Entry, active=False)),
    "an entry too many": (
        "entry_unfounded",
        sql("INSERT INTO leaderboards_exclusion (attempt_id, kind, since) VALUES (%(won)s, 'held', now())"),
    ),
    "a first try's entry": (
        "entry_score",
        sql("UPDATE leaderboards_entry e SET score = 1 FROM leaderboards_board b WHERE b.id = board_id AND b.view = 'first' AND attempt_id = %(bettered)s"),
    ),
    "entries counted": ("entries", sql("UPDATE leaderboards_board SET entries = entries + 1")),
    "a board's version": ("version", sql("UPDATE leaderboards_board SET version = 0")),
    "a histogram": ("histogram", sql("UPDATE leaderboards_scorebucket SET count = count + 1")),
    "competition counters": ("counters", sql("UPDATE leaderboards_board SET finished = 0 WHERE timed")),
    "a commitment": ("commitment", sql("UPDATE leaderboards_dailychallenge SET commitment = 'x' || id")),
    "a daily's unreadable code": ("code", sql("UPDATE leaderboards_dailychallenge SET code = 'nonsense ' || number")),
    "a daily's code": ("deal", sql("UPDATE leaderboards_dailychallenge SET code = 'TP1-E-AAAAAA' || chr(65 + number)")),
}  # fmt: skip


@pytest.mark.django_db
def test_what_was_really_played_has_no_difference_and_every_damage_is_named(tmp_path: Path) -> None:
    attempts = history()
    code, said = verified(tmp_path)
    assert (code, said.splitlines()[-1]) == (0, "No difference."), said
    assert said.startswith("6 attempts; ")
    secret = list(DailyChallenge.objects.values_list("code", flat=True))
    missed: dict[str, str] = {}
    for name, (expected, damage) in DAMAGE.items():
        with transaction.atomic():
            damage(attempts)
            code, said = verified(tmp_path)
            transaction.set_rollback(True)
        if code != 1 or f": {expected}: " not in said:
            missed[name] = said
        assert not any(code in said for code in secret)
    assert missed == {}
    assert verified(tmp_path)[0] == 0


@pytest.mark.django_db(transaction=True)
def test_the_copy_in_redis_is_compared(tmp_path: Path) -> None:
    history()
    board = Board.objects.get(scope=EASY, kind="people", view="best")
    with reading_from("cache"):
        from leaderboards import standings

        for each in Board.objects.all():
            standings.rebuild(each.pk)
        code, said = verified(tmp_path)
        assert (code, f"{Board.objects.count()} Redis copies" in said) == (0, True), said
        ordered = standings._keys(board.pk)[0]
        [first] = raw().zrange(ordered, 0, 0)
        raw().zincrby(ordered, 5000, first)
        code, said = verified(tmp_path)
    assert code == 1
    assert f"copy of {board}: order: " in said
