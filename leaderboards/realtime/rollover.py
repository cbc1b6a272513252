"""The daily of this moment, for the sockets that wait for the next one."""

from __future__ import annotations

import datetime as dt
from typing import Any

from leaderboards.selectors.dailies import daily_today
from leaderboards.services.dailies import daily_ensure


def current_daily(now: dt.datetime) -> tuple[dict[str, Any], dt.datetime]:
    """The daily of the official date at `now` as everybody may see it, and when it closes. Raises NotFound."""
    daily_ensure(now=now)
    daily = daily_today(now)
    return daily, dt.datetime.fromisoformat(daily["closes_at"])
