"""What the page holds of an attempt: confirmed, waiting, taken back. The functions of state.js, without any socket."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page

from .conftest import OpenPage

PRELUDE = """
  const s = await import("/static/games/js/state.js");
  const at = (ply, more = {}) => ({ id: "a", ply, closed: false, ...more });
  const taps = (held, ...moves) => moves.reduce((h, move, n) => s.tapped(h, move, `m${held.queue.length + n}`), held);
  const synced = (ply) => ({ ...s.heldOf(at(ply)), synced: true });
  const plies = ({ queue }) => queue.map((each) => each.expected_ply);
  const refusal = (code, data = {}) => ({ code, message: "", data });
"""


@pytest.fixture
def page(open_page: OpenPage) -> Page:
    return open_page("/boards")


def run(page: Page, body: str) -> Any:
    return page.evaluate(f"async () => {{ {PRELUDE} {body} }}")


def test_taps_build_on_each_other_and_answers_confirm_them_in_order(page: Page) -> None:
    found = run(
        page,
        """
        let held = taps(synced(5), "t18", "d", "t19");
        const first = plies(held);
        held = s.acked(held, { attempt: at(6), move_id: "m0" });
        held = taps(held, "u");
        return [first, plies(held), s.pending(held), held.confirmed.ply];
        """,
    )
    assert found == [[5, 6, 7], [6, 7, 8], ["d", "t19", "u"], 6]


def test_nothing_takes_the_confirmed_state_backwards(page: Page) -> None:
    found = run(
        page,
        """
        const held = { ...synced(7), confirmed: at(7, { closed: true }) };
        return [at(6), at(7), at(8, { id: "b" }), undefined].map((state) => s.adopted(held, state) === held);
        """,
    )
    assert found == [True] * 4


def test_a_refusal_drops_what_was_built_on_it_and_later_answers_find_nothing(page: Page) -> None:
    found = run(
        page,
        """
        let held = taps(synced(0), "t18", "t9", "t19");
        held = s.acked(held, { attempt: at(1), move_id: "m0" });
        const one = s.refused(held, { error: refusal("not_adjacent"), move_id: "m1" });
        const two = s.refused(one.held, { error: refusal("stale_ply", { attempt: at(1) }), move_id: "m2" });
        return [one.refused.move, one.held.queue, two.refused, two.held.confirmed.ply, plies(taps(two.held, "d"))];
        """,
    )
    assert found == ["t9", [], None, 1, [1]]


def test_what_the_server_took_although_we_dropped_it_counts(page: Page) -> None:
    found = run(
        page,
        """
        let held = taps(synced(0), "t18", "t19");
        held = s.refused(held, { error: refusal("stale_ply", { attempt: at(1) }), move_id: "m0" }).held;
        held = s.acked(held, { attempt: at(2), move_id: "m1" });
        return [held.confirmed.ply, plies(taps(held, "d"))];
        """,
    )
    assert found == [2, [2]]


@pytest.mark.parametrize("code", ["throttled", "unavailable", "internal_error"])
def test_a_passing_refusal_loses_nothing(page: Page, code: str) -> None:
    found = run(
        page,
        f"""
        const {{ held, refused, wait }} = s.refused(taps(synced(0), "t18", "t19"), {{
          error: refusal("{code}", {{ retry_after: 4 }}),
        }});
        const later = s.refused(held, {{ error: refusal("stale_ply", {{ attempt: at(0) }}), move_id: "m1" }});
        return [held.synced, plies(later.held), refused, later.refused, wait];
        """,
    )
    assert found == [False, [0, 1], None, None, 4]


@pytest.mark.parametrize(
    ("ply", "since", "expected"),
    [
        (0, [], {"queue": ["t18", "t19"], "pending": ["t18", "t19"], "taken": None, "elsewhere": False}),
        (1, ["t18"], {"queue": ["t18", "t19"], "pending": ["t19"], "taken": None, "elsewhere": False}),
        (2, ["t18", "t19"], {"queue": ["t18", "t19"], "pending": [], "taken": None, "elsewhere": False}),
        (1, ["d"], {"queue": [], "pending": [], "taken": "t18", "elsewhere": True}),
        (2, ["t18", "d"], {"queue": ["t18"], "pending": [], "taken": "t19", "elsewhere": True}),
        (3, ["t18", "t19", "d"], {"queue": ["t18", "t19"], "pending": [], "taken": None, "elsewhere": True}),
    ],
)
def test_C19_page_after_a_cut_the_servers_log_decides_what_is_sent_again(
    page: Page, ply: int, since: list[str], expected: dict[str, Any]
) -> None:
    found = run(
        page,
        f"""
        const before = s.unsynced(taps(synced(0), "t18", "t19"));
        const {{ held, taken, elsewhere }} = s.resumed(before, {{ attempt: at({ply}), ply: {ply}, since: {since} }});
        return {{ queue: held.queue.map((each) => each.move), pending: s.pending(held), taken, elsewhere }};
        """,
    )
    assert found == expected


def test_C19_page_a_second_cut_before_the_repeats_are_answered_changes_nothing(page: Page) -> None:
    found = run(
        page,
        """
        const cut = s.unsynced(taps(synced(0), "t18", "t19"));
        const once = s.resumed(cut, { attempt: at(1), ply: 1, since: ["t18"] }).held;
        const { held, taken, elsewhere } = s.resumed(s.unsynced(once), { attempt: at(2), ply: 2, since: ["t19"] });
        return [held.queue.map((each) => each.move_id), s.pending(held), taken, elsewhere];
        """,
    )
    assert found == [["m0", "m1"], [], None, False]


def test_an_attempt_that_is_over_waits_for_nothing(page: Page) -> None:
    found = run(
        page,
        """
        const held = taps(synced(3), "d");
        return s.adopted(held, at(3, { closed: true })).queue;
        """,
    )
    assert found == []
