"""`/fairness` without scripts: how to check by hand, and no code of a daily that is not final."""

from __future__ import annotations

import datetime as dt
import hashlib
import html

import pytest

from leaderboards.models import DailyChallenge
from leaderboards.services import dailies_prepare
from tests.leaderboards.cast import NOON

from .conftest import SetClock
from .reading import get

pytestmark = pytest.mark.django_db(transaction=True)
DAY = dt.timedelta(days=1)


def test_before_the_first_final_daily_there_is_only_the_way() -> None:
    page = get("/fairness")
    assert "No daily is final yet" in page.words
    assert "printf %s CODE | sha256sum" in page.words
    assert "No e-mail address" in page.words


def test_the_latest_final_daily_is_filled_in_and_agrees(set_clock: SetClock) -> None:
    dailies_prepare(now=NOON)
    first, second, third = DailyChallenge.objects.order_by("date")[:3]
    set_clock(first.final_at - dt.timedelta(seconds=1))
    assert first.code not in get("/fairness").text
    assert first.code not in get(f"/fairness?daily={first.date}").text
    set_clock(second.final_at)
    page = get("/fairness")
    assert f'value="{second.code}"' in page.text
    assert f">{second.commitment}</textarea>" in page.text
    assert f"printf %s {second.code} | sha256sum" in html.unescape(page.text)
    assert hashlib.sha256(second.code.encode()).hexdigest() == second.commitment
    assert f'value="{first.code}"' in get(f"/fairness?daily={first.date}").text
    for other in (third.date, "2026-02-30", "nonsense", "%00"):
        page = get(f"/fairness?daily={other}")
        assert f'value="{second.code}"' in page.text
        assert third.code not in page.text
