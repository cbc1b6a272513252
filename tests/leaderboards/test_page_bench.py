"""The benchmark of the pages runs, with and without a browser, and says what is reached."""

from __future__ import annotations

import os
from typing import Any

import pytest

from leaderboards.bench import page, page_browser
from tests.processes import run_bench

SCRIPT = """
import json, django
django.setup()
from leaderboards.bench import page, page_browser
from tripeaks_site.serving import uvicorn_command
page_browser.find_chromium = lambda: {chromium!r}
print(json.dumps(page.run(uvicorn_command(), updates={updates})))
"""


def test_a_figure_is_judged_against_the_most_it_may_be() -> None:
    assert page.judged(72.0, 80.0, by_gzip=83.0) == {
        "measured": 72.0,
        "target": 80.0,
        "ratio": 0.9,
        "verdict": "ok",
        "by_gzip": 83.0,
    }
    assert page.judged(81.0, 80.0)["verdict"] == "MISSED"


def run(*, chromium: str | None, updates: int = 50) -> dict[str, Any]:
    """`chromium` None: as where there is none."""
    return run_bench(SCRIPT.format(chromium=chromium, updates=updates), timeout=300)


def test_without_a_browser_it_says_so_and_measures_the_rest() -> None:
    figure = run(chromium=None)
    assert figure["browser"] == page.NO_BROWSER
    assert figure["scripts_and_styles_kb"]["verdict"] == "ok"
    assert [figure[name]["verdict"] for name in ("queries_signed_out", "queries_signed_in")] == ["ok", "ok"]


@pytest.mark.browser
@pytest.mark.slow
def test_in_a_browser_ten_quick_plays_over_a_long_line_are_accepted_in_order() -> None:
    chromium = page_browser.find_chromium()
    if chromium is None:
        assert os.environ.get("CI", "").lower() != "true", "there is no Chromium, and with CI=true this must run"
        pytest.skip("NO CHROMIUM HERE: the benchmark of the pages is not tried in a browser.")
    figure = run(chromium=chromium)
    plays = figure["quick_plays_not_in_order"]
    assert (plays["verdict"], plays["plays"], plays["delay_each_way_ms"]) == ("ok", 10, 300.0)
    assert figure["requests_of_first_view"]["verdict"] == "ok"
    assert figure["frames_until_tap_is_drawn"]["taps"] == 10
    assert figure["main_thread_ms_per_second"]["updates"] == 50
