"""The page's scripts say what the templates say, and keep standings as `games.client_sockets` does."""

from __future__ import annotations

import datetime as dt
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from django.utils import translation

from leaderboards.templatetags.tripeaks import (
    counts_text,
    day_format,
    duration,
    iso_day,
    place_text,
    players_text,
    remaining,
    result_text,
    short_months,
    thousands,
)
from tripeaks_site.quality import merge_static
from tripeaks_site.words import catalogue

COUNTS = [{"players": players, "playing": 0, "finished": 1204} for players in (0, 1, 2, 1204)]
TIMES = [0, 9, 420, 9_999, 10_000, 59_999, 60_000, 3_599_999, 3_600_000, 3_661_000]
DAYS = ["2026-11-29T23:59:59.999Z", "2027-01-01T00:00:00.000Z", "2026-05-09T12:00:00.000Z"]
RESULTS = [{"outcome": "won", "cards_left": 0}, {"outcome": "stuck", "cards_left": 3}]


PLACES = [(None, False, 5), (1, False, 5), (1204, False, 50_000), (12, True, 1204)]
LANGUAGES = ["en", "fi", "id", "ms", "pt-br"]


_PAGE = "globalThis.document = { documentElement: { lang: %s } };\n(0, eval)(%s);\n"
"""What the page has before its modules: its language, and that language's catalogue."""
_IMPORT = re.compile(r'import (.*?) from "(\.+/.*?)";')


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The static files of both apps below one root, as browsers see them."""
    merged = tmp_path_factory.mktemp("static")
    merge_static(merged)
    return merged / "leaderboards" / "js"


def run_module(scripts: Path, script: str, language: str = "en") -> object:
    """What an ES module prints as JSON, run by Node with our modules beside it, on a page of this language."""
    node = shutil.which("node")
    if node is None:
        if os.environ.get("CI", "").lower() == "true":
            pytest.fail("There is no Node, and with CI=true the page's scripts must be tested.")
        pytest.skip("NO NODE HERE: the page's scripts are not tested by themselves.")
    done = subprocess.run(
        [node, "--input-type=module"],
        input=_PAGE % (json.dumps(language), json.dumps(catalogue(language).script.decode()))
        + _IMPORT.sub(rf'const \1 = await import("file://{scripts}/\2");', script),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("language", LANGUAGES)
def test_both_sides_write_the_same_words_and_figures(scripts: Path, language: str) -> None:
    with translation.override(language):
        day = {"format": day_format(), "months": short_months().split("|")}
        expected = [
            [duration(each) for each in TIMES],
            [iso_day(each) for each in DAYS],
            [result_text(each) for each in RESULTS],
            [counts_text(each) for each in COUNTS],
            [players_text(each) for each in COUNTS],
            [place_text(*each) for each in PLACES],
        ]
    found = run_module(
        scripts,
        f"""
        import {{ countsText, duration, isoDay, placeText, playersText, resultText }} from "./rows.js";
        console.log(JSON.stringify([
            {json.dumps(TIMES)}.map(duration), {json.dumps(DAYS)}.map((each) => isoDay(each, {json.dumps(day)})),
            {json.dumps(RESULTS)}.map(resultText), {json.dumps(COUNTS)}.map(countsText),
            {json.dumps(COUNTS)}.map(playersText), {json.dumps(PLACES)}.map((each) => placeText(...each))]));
        """,
        language,
    )
    assert found == expected


@pytest.mark.parametrize("language", LANGUAGES)
def test_both_sides_group_digits_alike(scripts: Path, language: str) -> None:
    numbers = [0, 999, 1000, 1204, 50_000, 1_234_567]
    script = f'import {{ figure }} from "../../games/js/words.js"; console.log(JSON.stringify({numbers}.map(figure)));'
    with translation.override(language):
        expected = [thousands(each) for each in numbers]
    assert run_module(scripts, script, language) == expected


def test_the_script_applies_events_and_notices_gaps(scripts: Path) -> None:
    found = run_module(
        scripts,
        """
        import { applied, due } from "./live.js";
        const row = (id, rank) => ({ id, rank });
        const topic = { board: "b", kind: "bots", view: "best" };
        const snapshot = { ...topic, type: "snapshot", version: 3, entries: 1, counts: {}, rows: [row("a", 1)] };
        const event = (version, previous, order, rows) =>
            ({ ...topic, type: "event", version, previous, entries: 2, counts: {}, order, rows });
        const first = applied(null, snapshot);
        const second = applied(first, event(5, 3, ["c", "a"], [row("c", 1), row("a", 2)]));
        console.log(JSON.stringify({
            rows: second.rows, version: second.version,
            gap: applied(first, event(6, 5, ["a"], [])),
            unknown: applied(first, event(4, 3, ["a", "z"], [])),
            before: applied(null, event(4, 3, [], [])),
            old: applied(second, event(4, 3, [], [])) === second,
            stale: due(second, topic, { versions: [{ ...topic, version: 6 }] }),
            fresh: due(second, topic, { versions: [{ ...topic, version: 5 }, { ...topic, kind: "people", version: 9 }] }),
            missing: due(second, topic, { versions: [{ ...topic, kind: "people", version: 9 }] }),
        }));
        """,
    )
    assert found == {
        "rows": [{"id": "c", "rank": 1}, {"id": "a", "rank": 2}],
        "version": 5,
        "gap": None,
        "unknown": None,
        "before": None,
        "old": True,
        "stale": "resync",
        "fresh": None,
        "missing": "subscribe",
    }


@pytest.mark.parametrize(
    ("milliseconds", "words"),
    [
        (-5, "0 s"),
        (1, "1 s"),
        (59_000, "59 s"),
        (60_000, "1 min 00 s"),
        (725_000, "12 min 05 s"),
        (3_600_000, "1 h 00 min"),
        (18_720_000, "5 h 12 min"),
        (90_000_000, "25 h 00 min"),
    ],
)
def test_the_time_left_is_told_in_words(scripts: Path, milliseconds: int, words: str) -> None:
    script = f'import {{ remaining }} from "./rows.js"; console.log(JSON.stringify(remaining({milliseconds})));'
    assert run_module(scripts, script) == words
    now = dt.datetime(2026, 11, 29, tzinfo=dt.UTC)
    until = now + dt.timedelta(milliseconds=milliseconds)
    assert remaining(until.isoformat(), now.isoformat()) == words
