"""Playing on bad days: play.js and link.js between a socket that says what it likes and a table that only listens.

Run by Node in made-up time, so that hours, lost frames and closed sockets cost nothing.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tripeaks_site.quality import merge_static

WORLD = """
let now = 0, timers = [];
globalThis.setTimeout = (act, wait = 0) => { const id = { act, at: now + wait }; timers.push(id); return id; };
globalThis.clearTimeout = (id) => { timers = timers.filter((each) => each !== id); };
performance.now = () => now;
Date.now = () => now;
globalThis.later = (wait) => {
  const until = now + wait;
  for (;;) {
    timers.sort((a, b) => a.at - b.at);
    if (timers.length === 0 || timers[0].at > until) break;
    const next = timers.shift();
    now = Math.max(now, next.at);
    next.act();
  }
  now = until;
};
const page = new EventTarget();
globalThis.addEventListener = page.addEventListener.bind(page);
globalThis.removeEventListener = page.removeEventListener.bind(page);
globalThis.document = Object.assign(new EventTarget(), {
  documentElement: { lang: "en", dataset: {} }, visibilityState: "visible", getElementById: () => null,
});
globalThis.location = { origin: "http://here" };
globalThis.sockets = [];
globalThis.WebSocket = class extends EventTarget {
  static OPEN = 1;
  readyState = 0;
  sent = [];
  constructor() { super(); sockets.push(this); }
  send(text) { this.sent.push(JSON.parse(text)); }
  close() { this.readyState = 3; }
  open() { this.readyState = 1; this.dispatchEvent(new Event("open")); }
  say(frame) { this.dispatchEvent(Object.assign(new Event("message"), { data: JSON.stringify(frame) })); }
  end(code) { this.readyState = 3; this.dispatchEvent(Object.assign(new Event("close"), { code })); }
};
globalThis.awake = () => document.dispatchEvent(new Event("visibilitychange"));
globalThis.at = (ply, more = {}) => ({
  id: "a", ply, closed: false, outcome: null, score: ply, moves: ply, run: 0, peaks: 0, cards_left: 28, legal: [],
  view: { tableau: Array(28).fill("??"), open: [], waste: "2C", waste_count: 1, stock: 23 }, ...more,
});
globalThis.welcome = { type: "welcome" };
globalThis.state = (ply, since = [], more = {}) => ({ type: "state", attempt: at(ply, more), ply, since });
globalThis.ack = (sent, ply) => ({ type: "ack", attempt: at(ply), move: sent.move, ply, move_id: sent.move_id });
globalThis.error = (code, sent = {}, data = {}) =>
  ({ type: "error", error: { code, message: "", data }, attempt_id: "a", move_id: sent.move_id });
globalThis.seen = { shown: null, refused: [], messages: [], statuses: [], ended: [] };
const table = {
  show: (shown) => { seen.shown = shown; },
  refuse: (move, words) => seen.refused.push([move, words]),
  message: (words) => seen.messages.push(words),
};
const { Play } = await import("file://%(js)s/play.js");
globalThis.play = new Play(table, {
  onState() {}, onStatus: (status) => seen.statuses.push(status), onEnd: (code) => seen.ended.push(code),
});
globalThis.newest = () => sockets.at(-1);
globalThis.asked = () => newest().sent.filter(({ type }) => type === "resume").length;
globalThis.moved = () => newest().sent.filter(({ type }) => type === "move");
play.open(at(0));
newest().open();
newest().say(welcome);
newest().say(state(0));
"""


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The modules as browsers see them."""
    merged = tmp_path_factory.mktemp("static")
    merge_static(merged)
    return merged / "games" / "js"


def run(scripts: Path, body: str) -> Any:
    """What `body` returns at a table whose attempt "a" is connected, in step, and at ply 0."""
    node = shutil.which("node")
    if node is None:
        if os.environ.get("CI", "").lower() == "true":
            pytest.fail("There is no Node, and with CI=true the page's scripts must be tested.")
        pytest.skip("NO NODE HERE: the page's scripts are not tested by themselves.")
    script = WORLD.replace("%(js)s", str(scripts)) + f"process.stdout.write(JSON.stringify((() => {{ {body} }})()));"
    done = subprocess.run(
        [node, "--input-type=module"], input=script, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_what_changes_while_the_answer_to_resume_is_under_way_is_asked_for_too(scripts: Path) -> None:
    """The answer may have been read before the other tab's move and written after its hint."""
    found = run(
        scripts,
        """
        newest().say({ type: "changed", attempt: "a", ply: 5 });
        newest().say({ type: "changed", attempt: "a", ply: 6 });
        newest().say(state(5, ["d", "d", "d", "d", "d"]));
        newest().say(state(6, ["d"]));
        return [asked(), seen.shown.score];
        """,
    )
    assert found == [3, 6]


@pytest.mark.parametrize("code", [4001, 4002])
def test_C21_page_a_credential_that_is_gone_ends_the_table_and_takes_back_what_nobody_will_answer(
    code: int, scripts: Path
) -> None:
    """4002: signed out elsewhere while the link was down, so that the next handshake had no cookie at all."""
    found = run(
        scripts,
        f"""
        play.move("d");
        newest().end({code});
        const statuses = seen.statuses.length;
        later(60_000);
        return [sockets.length, seen.ended, seen.shown.pending, seen.statuses.slice(statuses)];
        """,
    )
    assert found == [1, [code], [], []]


def test_an_attempt_of_somebody_else_ends_the_table(scripts: Path) -> None:
    """Another tab has signed in as another player, and the link came back with the new cookie."""
    found = run(
        scripts,
        """
        newest().end(1012);
        play.move("d");
        later(5000);
        newest().open();
        newest().say(welcome);
        newest().say(error("not_found"));
        later(60_000);
        return [sockets.length, seen.ended.length, seen.shown.pending, asked()];
        """,
    )
    assert found == [2, 1, [], 1]


def test_a_row_of_moves_refused_for_speed_is_one_pause_and_then_sent_again(scripts: Path) -> None:
    found = run(
        scripts,
        """
        for (let n = 0; n < 10; n += 1) play.move("d");
        const [first, ...rest] = moved();
        newest().say(ack(first, 1));
        for (const each of rest) newest().say(error("throttled", each, { retry_after: 1 }));
        later(1100);
        const resumed = asked();
        newest().say(state(1));
        return [resumed, moved().length, seen.shown.pending.length];
        """,
    )
    assert found == [2, 19, 9]


def test_pauses_are_short_again_once_the_server_answers(scripts: Path) -> None:
    found = run(
        scripts,
        """
        for (let n = 0; n < 5; n += 1) {
          play.move("d");
          newest().say(error("unavailable", moved().at(-1)));
          later(1_100);
          newest().say(state(n));
          newest().say(ack(moved().at(-1), n + 1));
        }
        const before = asked();
        play.move("d");
        newest().say(error("unavailable", moved().at(-1)));
        later(1_100);
        return asked() - before;
        """,
    )
    assert found == 1


def test_an_answer_that_never_comes_after_a_reconnect_is_asked_for_again(scripts: Path) -> None:
    found = run(
        scripts,
        """
        newest().end(1012);
        play.move("d");
        later(5000);
        newest().open();
        newest().say(welcome);
        for (let n = 0; n < 4; n += 1) { later(5000); newest().say({ type: "heartbeat" }); }
        return [asked() > 1, seen.statuses.includes("delayed")];
        """,
    )
    assert found == [True, True]


def test_a_page_that_wakes_up_with_a_silent_link_makes_a_new_one_at_once(scripts: Path) -> None:
    found = run(
        scripts,
        """
        later(9000);
        awake();
        later(1000);
        const after = sockets.length;
        newest().open();
        newest().say(welcome);
        awake();
        return [after, sockets.length];
        """,
    )
    assert found == [2, 2], "and one that has just been heard of stays"


def test_no_more_moves_wait_than_a_server_would_take_at_once(scripts: Path) -> None:
    found = run(
        scripts,
        """
        newest().end(1006);
        for (let n = 0; n < 200; n += 1) play.move("d");
        return [seen.shown.pending.length, new Set(seen.messages).size];
        """,
    )
    assert found == [60, 1]
