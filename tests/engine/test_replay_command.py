"""`manage.py replay`: each ply as the player sees it, or the first refusal with its ply and exit 1."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from games.engine.cards import cards_text
from games.management.commands.replay import Command
from tests.engine.tables import DECKS, GOLDEN

ROOT = Path(__file__).parents[2]


def run_replay(*arguments: str) -> tuple[str, str, int]:
    out, err = io.StringIO(), io.StringIO()
    try:
        call_command(Command(), *arguments, stdout=out, stderr=err)
    except SystemExit as done:
        return out.getvalue(), err.getvalue(), int(done.code or 0)
    return out.getvalue(), err.getvalue(), 0


def replay_json(*arguments: str) -> tuple[dict[str, Any], int]:
    out, _, status = run_replay("--json", *arguments)
    return json.loads(out), status


def test_published_line_replays_to_750() -> None:
    """R7.5."""
    line = GOLDEN["line_37_42_50"]
    told, status = replay_json("--code", line["code"], "--moves", line["moves"])
    assert (status, told["outcome"], told["score"], told["error"]) == (0, "won", 750, None)
    assert [ply["ply"] for ply in told["plies"]] == list(range(51))
    peaks = [ply["peaks"] for ply in told["plies"]]
    assert [ply for ply in range(1, 51) if peaks[ply] > peaks[ply - 1]] == [37, 42, 50]


def test_json_keys_are_the_stated_ones() -> None:
    told, _ = replay_json("--code", "tp1 e aaaaaab", "--moves", "t20 u")
    assert set(told) == {"plies", "outcome", "score", "error"}
    opening, removed, undone = told["plies"]
    assert set(opening) == {"ply", "move", "score", "moves", "run", "peaks", "legal", "outcome", "view"}
    assert (opening["move"], opening["legal"], opening["outcome"]) == (None, ["t20", "t22", "t24", "d"], None)
    assert (removed["move"], removed["score"], removed["moves"], removed["run"]) == ("t20", 499, 1, 1)
    assert (undone["move"], undone["score"], undone["moves"], undone["view"]) == ("u", 500, 1, opening["view"])
    assert "deal" not in opening["view"]


def test_cards_are_played_by_the_ruleset_asked_for() -> None:
    moves = "t18 t19 t20 d t21 t22"
    told, status = replay_json("--cards", cards_text(DECKS["Z"]), "--ruleset", "R", "--moves", moves)
    assert status == 0
    assert [ply["score"] for ply in told["plies"]] == [0, 1, 3, 6, 1, 2, 4]
    told, status = replay_json("--cards", cards_text(DECKS["V"]), "--ruleset", "C", "--moves", "d " * 23)
    assert (status, told["outcome"]) == (0, "stuck")


@pytest.mark.parametrize(
    ("arguments", "ply", "code", "shown"),
    [
        (["--code", "TP1-E-AAAAAAB", "--moves", "t20 t18 d"], 2, "not_adjacent", 2),
        (["--code", "TP1-E-AAAAAAB", "--moves", "t20 t3"], 2, "covered", 2),
        (["--code", "TP1-E-AAAAAAB", "--moves", "d x"], 2, "move_text", 2),
        (["--code", "TP1-E-AAAAAAB", "--moves", "d u u"], 3, "nothing_to_undo", 3),
        (["--code", "TP1-E-AAAAAAB", "--moves", "d u", "--no-undo"], 2, "undo_not_allowed", 2),
        (["--code", "TP1-E-AAAAAAB", "--moves", "d u " * 1000 + "d"], 2001, "log_full", 2001),
        (["--code", "TP1-E-AAAAAAB", "--moves", "d " * 100_000], None, "log_too_long", 1),
        (["--code", "TPI-E-AAAAAAB"], None, "code_kind", 0),
        (["--cards", "AC 2C"], None, "wrong_deck", 0),
        (["--cards", "AC 2C", "--ruleset", "Q"], None, "unknown_ruleset", 0),
    ],
)
def test_first_refusal_ends_it_with_exit_1(arguments: list[str], ply: int | None, code: str, shown: int) -> None:
    told, status = replay_json(*arguments)
    assert status == 1
    assert (told["error"]["ply"], told["error"]["code"], len(told["plies"])) == (ply, code, shown)
    _, err, status = run_replay(*arguments)
    assert status == 1
    assert code in err


def test_text_for_people_shows_the_peaks() -> None:
    out, err, status = run_replay("--code", "TP1-E-AAAAAAB", "--moves", "t20 t23 t22")
    assert (err, status) == ("", 0)
    assert "ply 3   t22" in out
    assert "      ??  ??  ??  ??  7S  ??  ??  ??  ??" in out
    assert "    3S  5S   .  4S   .   .  KD  8H  7C  9S" in out
    assert "score 497" in out


def test_no_hidden_card_is_printed() -> None:
    """R10.1."""
    deal = cards_text(DECKS["Z"]).split()
    for arguments in ([], ["--json"]):
        out, _, _ = run_replay("--cards", " ".join(deal), "--moves", "t18 t19 d", *arguments)
        hidden = set(deal[:9]) | set(deal[10:18]) | set(deal[30:])
        assert not any(card in out for card in hidden)
        assert deal[9] in out


def test_it_needs_no_database_and_no_redis() -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "replay", "--code", "TP1-E-AAAAAAB", "--moves", "t18", "--json"],
        cwd=ROOT,
        env={
            **os.environ,
            "DATABASE_URL": "postgres://nobody@127.0.0.1:1/none",
            "REDIS_URL": "redis://127.0.0.1:1/0",
        },
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert json.loads(done.stdout)["error"]["code"] == "not_adjacent"
