"""`manage.py winnability`: equal output whatever the processes, and on from where a kill has left it."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from games.engine.deals import deal_cards
from games.engine.rulesets import RULESETS
from games.management.commands.winnability import Command
from games.management.work import AlreadyWorking, Progress, kept_results
from games.solver.exact import winnable
from games.solver.survey import Survey, survey_block, survey_codes, wilson

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _data(settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path


def told(*arguments: str) -> str:
    out = io.StringIO()
    call_command(Command(), *arguments, stdout=out)
    return out.getvalue()


def test_the_same_arguments_give_the_same_output_whatever_the_processes(tmp_path: Path) -> None:
    arguments = ["--ruleset", "C", "--deals", "2500", "--seed", "7"]
    one = told(*arguments, "--processes", "1")
    assert told(*arguments, "--processes", "3") == one
    assert told("--ruleset", "C", "--deals", "2500", "--seed", "8", "--processes", "1") != one
    assert list(tmp_path.iterdir()) == []  # nothing is kept from a finished run: the second one solved anew


def test_the_numbers_are_those_of_the_deals() -> None:
    answers = [winnable(RULESETS["T"], deal_cards(code)) for code in survey_codes("T", 3, 0, 300)]
    wins = [draws for _, draws in answers if draws is not None]
    found = json.loads(told("--ruleset", "T", "--deals", "300", "--seed", "3", "--processes", "1", "--json"))
    assert (found["winnable"], found["deals"]) == (len(wins), 300)
    assert found["fewest_draws"] == {str(draws): wins.count(draws) for draws in sorted(set(wins))}
    assert found["interval_95"][0] < found["share"] < found["interval_95"][1]
    assert len(set(survey_codes("T", 3, 0))) > 990


def test_after_a_kill_the_same_command_goes_on(tmp_path: Path) -> None:
    arguments = ["--ruleset", "E", "--deals", "8000", "--seed", "2", "--json"]
    command = [sys.executable, "manage.py", "winnability", *arguments, "--processes", "2", "--data", str(tmp_path)]
    env = {**os.environ, "DATABASE_URL": "", "REDIS_URL": ""}
    kept = tmp_path / "winnability-E-2.jsonl"
    with subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        deadline = time.monotonic() + 120
        while not kept.exists() or kept.read_bytes().count(b"\n") < 3:  # the first says what they are of
            assert time.monotonic() < deadline
            assert process.poll() is None
            time.sleep(0.02)
        workers = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        process.kill()
    assert workers
    assert kept.read_bytes().count(b"\n") < 9
    with kept.open("a") as file:
        file.write('["7 1000", [1, 2')  # as a kill in the middle of a write would leave it
    while any(_lives(int(worker)) for worker in workers):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=240, check=True)
    first = done.stderr.splitlines()[0]
    assert not first.strip().startswith("0 %")
    assert done.stdout == told(*arguments, "--processes", "1")
    assert not kept.exists()


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


def test_an_interrupt_says_how_to_go_on(tmp_path: Path) -> None:
    command = [sys.executable, "manage.py", "winnability", "--deals", "900000", "--data", str(tmp_path)]
    env = {**os.environ, "DATABASE_URL": "", "REDIS_URL": ""}
    with subprocess.Popen(command, cwd=ROOT, env=env, stderr=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + 120
        kept = tmp_path / "winnability-E-1.jsonl"
        while not kept.exists() or kept.read_bytes().count(b"\n") < 2:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "goes on from here" in error
    assert "Traceback" not in error


def test_bad_arguments_are_refused(tmp_path: Path) -> None:
    for arguments in (["--ruleset", "Q"], ["--deals", "0"], ["--processes", "0"]):
        with pytest.raises(CommandError):
            told(*arguments)
    with kept_results(tmp_path / "winnability-E-1.jsonl", {}), pytest.raises(CommandError, match="already"):
        told("--deals", "10", "--processes", "1")
    with kept_results(tmp_path / "one", {}), pytest.raises(AlreadyWorking), kept_results(tmp_path / "one", {}):
        pass


def test_results_of_another_release_are_not_believed(tmp_path: Path) -> None:
    arguments = ["--ruleset", "E", "--deals", "50", "--processes", "1"]
    kept = tmp_path / "winnability-E-1.jsonl"
    true = told(*arguments)
    for first in ('["results of", {"release": "another"}]\n', ""):
        kept.write_text(first + '["0 50", [50, [50]]]\n')
        assert told(*arguments) == true


def test_wilson_interval_by_known_values() -> None:
    low, high = wilson(8, 10)
    assert (round(low, 4), round(high, 4)) == (0.4902, 0.9433)  # the textbook example
    assert wilson(0, 10)[0] == 0
    assert wilson(10, 10)[1] == pytest.approx(1)
    survey = Survey.of(2_000, [survey_block("E", 1, block) for block in (0, 1)])
    assert survey.interval[0] < survey.share < survey.interval[1]


def test_progress_is_a_line_each_tenth_off_a_terminal() -> None:
    stream = io.StringIO()
    with Progress(1_000, "deals", done=200, stream=stream) as progress:
        for _ in range(80):
            progress.add(10)
    lines = stream.getvalue().splitlines()
    assert len(lines) == 9
    assert lines[0].startswith(" 20 %  200 of 1,000 deals")
    assert lines[-1] == "100 %  1,000 of 1,000 deals"
