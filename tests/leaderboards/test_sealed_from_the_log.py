"""R10.1: a daily that cannot be stored says so without its code or its cards, in the traceback too."""

from __future__ import annotations

import datetime as dt
import traceback

import pytest
from django.db import IntegrityError, connection

from games.models import Deal
from leaderboards.models import DailyChallenge
from leaderboards.services import dailies_prepare

NOON = dt.datetime(2026, 11, 29, 12, tzinfo=dt.UTC)


@pytest.mark.django_db
def test_a_daily_that_cannot_be_stored_keeps_its_code_out_of_the_traceback() -> None:
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE leaderboards_dailychallenge ADD CONSTRAINT never CHECK (number < 0)")
    with pytest.raises(RuntimeError) as refused:
        dailies_prepare(now=NOON)
    told = "".join(traceback.format_exception(refused.value))
    assert "IntegrityError" in told
    assert "TP2-" not in told
    hour = dt.timedelta(hours=1)
    with pytest.raises(IntegrityError) as control:  # what PostgreSQL itself would have told
        DailyChallenge.objects.create(
            date=NOON.date(),
            number=1,
            ruleset="E",
            code="TP2-E-00000000000000000000000000",
            deal=Deal.objects.create(cards=bytes(52)),
            commitment="0" * 64,
            committed_at=NOON,
            late=False,
            opens_at=NOON,
            closes_at=NOON + hour,
            grace_ends_at=NOON + hour,
            final_at=NOON + 2 * hour,
        )
    assert "TP2-" in str(control.value)
