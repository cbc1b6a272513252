"""`manage.py solve`: the stated JSON keys, positions mid-game, bad input with exit 1, and no live competition's deal."""

from __future__ import annotations

import datetime as dt
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from games.clock import now
from games.engine.cards import cards_text
from games.engine.codes import composed_code, parse_code, sealed_code
from games.engine.deals import deal_cards
from games.engine.moves import parse_log
from games.engine.replay import replay
from games.engine.rulesets import find_ruleset
from games.management.commands.solve import Command
from games.models import Deal
from tests.engine.tables import DECKS, E

ROOT = Path(__file__).parents[2]
KEYS = ["winnable", "fewest_draws", "best_result", "best_score", "line"]
AWAY = {"DATABASE_URL": "postgres://nobody@127.0.0.1:1/none", "REDIS_URL": "redis://127.0.0.1:1/0"}


@pytest.fixture
def no_database(settings: Any) -> None:
    settings.DATABASE_URL = ""


def run_solve(*arguments: str) -> tuple[str, str, int]:
    out, err = io.StringIO(), io.StringIO()
    try:
        call_command(Command(), *arguments, stdout=out, stderr=err)
    except SystemExit as done:
        return out.getvalue(), err.getvalue(), int(done.code or 0)
    return out.getvalue(), err.getvalue(), 0


def solve_json(*arguments: str) -> tuple[dict[str, Any], int]:
    out, _, status = run_solve("--json", *arguments)
    return json.loads(out), status


@pytest.mark.usefixtures("no_database")
def test_json_keys_are_the_stated_ones_and_the_line_replays() -> None:
    told, status = solve_json("--code", "tp1 e aaaaaab")
    assert (list(told), status) == (KEYS, 0)
    assert (told["winnable"], told["fewest_draws"], told["best_score"]) == (True, 12, 760)
    assert told["best_result"] == {"outcome": "won", "score": 760, "moves": 40, "peaks": 3, "cards_left": 0}
    cards = deal_cards(parse_code("TP1-E-AAAAAAB"))
    position = replay(E, cards, parse_log(told["line"])).position
    assert (position.outcome, position.score) == ("won", 760)


@pytest.mark.usefixtures("no_database")
def test_cards_by_the_ruleset_asked_for_and_after_a_log() -> None:
    deal = cards_text(DECKS["Z"])
    told, _ = solve_json("--cards", deal, "--ruleset", "R")
    assert told["best_score"] == 466
    told, _ = solve_json("--cards", deal, "--ruleset", "R", "--after", "t18 t19 u t19")
    assert (told["best_score"], told["best_result"]["moves"], len(told["line"].split())) == (466, 29, 26)
    told, _ = solve_json("--cards", cards_text(DECKS["V"]), "--ruleset", "C", "--after", "d " * 23)
    assert (told["winnable"], told["fewest_draws"], told["line"]) == (False, None, "")
    assert told["best_result"]["outcome"] == "stuck"


@pytest.mark.usefixtures("no_database")
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--code", "TP1-E-AAAAAAB", "--after", "t20 t18"], "not_adjacent"),
        (["--code", "TP1-E-AAAAAAB", "--after", "t20 x"], "move_text"),
        (["--code", "TPI-E-AAAAAAB"], "code_kind"),
        (["--code", "TP1-Q-AAAAAAB"], "unknown_ruleset"),
        (["--cards", "AC 2C"], "wrong_deck"),
        (["--cards", "AC AC"], "card_twice"),
        (["--cards", cards_text(DECKS["Z"]), "--ruleset", "J"], "wrong_deck"),
        (["--cards", cards_text(DECKS["Z"]), "--ruleset", "Q"], "unknown_ruleset"),
    ],
)
def test_bad_input_is_told_with_exit_1(arguments: list[str], code: str) -> None:
    told, status = solve_json(*arguments)
    assert (told["error"]["code"], status) == (code, 1)
    out, err, status = run_solve(*arguments)
    assert (out, status) == ("", 1)
    assert code in err


@pytest.mark.usefixtures("no_database")
def test_text_for_people() -> None:
    out, err, status = run_solve("--code", "TP1-C-AAAAAAD")
    assert (err, status) == ("", 0)
    assert "cannot be won" in out
    assert "best result   stuck" in out


@pytest.mark.parametrize("environment", [{"DATABASE_URL": "", "REDIS_URL": ""}, AWAY], ids=["none", "away"])
def test_it_works_without_a_database(environment: dict[str, str], tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "solve", "--code", "TP1-E-AAAAAAB", "--json"],
        cwd=ROOT,
        env={**os.environ, **environment, "TRIPEAKS_DATA": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["fewest_draws"] == 12
    assert ("cannot be asked" in done.stderr) == bool(environment["DATABASE_URL"])


@pytest.mark.django_db
def test_the_deal_of_a_live_competition_is_refused_by_code_by_cards_and_by_its_look() -> None:
    code = sealed_code(find_ruleset("E"), bytes(range(16)))
    cards = deal_cards(code)
    deal = Deal.objects.create(cards=bytes(cards), sealed_until=now() + dt.timedelta(hours=1))
    alike = (*cards[:18], *cards[18:28], *reversed(cards[28:]))
    asked = [
        ["--code", code.text],
        ["--code", composed_code(find_ruleset("C"), cards).text],
        ["--cards", cards_text(cards), "--ruleset", "R"],
        ["--cards", cards_text(alike), "--after", "d"],
    ]
    for arguments in asked:
        told, status = solve_json(*arguments)
        assert (told["error"]["code"], status) == ("sealed_deal", 1)
        out, err, _ = run_solve(*arguments)
        assert "sealed_deal" in err
        assert "t2" not in out
    told, status = solve_json("--code", sealed_code(find_ruleset("E"), bytes(16)).text)
    assert status == 0  # control: another TP2 code is nobody's secret
    deal.sealed_until = now()
    deal.save()
    for arguments in asked:
        told, status = solve_json(*arguments)
        assert (list(told), status) == (KEYS, 0)  # the competition is over
