"""A test that hangs costs its own deadline and not the whole run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests import deadline
from tests.processes import ROOT

HANGING = """
import threading
from concurrent.futures import ThreadPoolExecutor
from tests import deadline

deadline.SECONDS, deadline.AGAIN = 2, 1

def test_waits_for_nobody():
    threading.Barrier(2).wait()

def test_waits_for_a_thread_in_its_cleaning_up_too():
    go_on = threading.Event()
    try:
        with ThreadPoolExecutor(1) as pool:
            pool.submit(go_on.wait, 60).result()
    finally:
        go_on.set()

def test_is_quick():
    pass
"""


def test_hanging_tests_fail_and_the_next_one_runs(tmp_path: Path) -> None:
    (tmp_path / "test_hanging.py").write_text(HANGING)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.deadline", "-p", "no:cacheprovider", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert "2 failed, 1 passed" in done.stdout, done.stdout + done.stderr
    assert "not over after 2 seconds" in done.stdout
    assert "most recent call first" in done.stdout, "where it hung, of all threads"


def test_every_run_has_the_deadline() -> None:
    assert f'"-p", "{deadline.__name__}"' in (ROOT / "pyproject.toml").read_text()
