"""The benchmark of moves runs over the site's own server (its figures are no test: they depend on the machine)."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from tests.processes import ROOT, fresh_database

SCRIPT = """
import json, django
django.setup()
from games.bench.moves import run
from tripeaks_site.serving import uvicorn_command
print(json.dumps(run(uvicorn_command(), rounds=1)))
"""


def test_the_bench_of_moves_measures_both_ways_and_a_floor() -> None:
    with fresh_database() as database:
        env = {**os.environ, "DATABASE_URL": database, "DJANGO_SETTINGS_MODULE": "tripeaks_site.settings"}
        command = [sys.executable, "-c", SCRIPT]
        done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)
    assert figures["floor_us"] > 0
    for way in ("socket", "rest"):
        assert figures[way]["samples"] > 100
