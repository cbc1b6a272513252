"""Cases as the desk finds them, and the desk's pages read and its forms filled in by Django's test client."""

from __future__ import annotations

import datetime as dt
import html
import re
from typing import Any

from django.db import transaction
from django.test import Client

from games import clock
from games.models import Attempt, Player
from leaderboards.moderation.actions import attempt_hold
from leaderboards.moderation.cases import case_raise
from leaderboards.moderation.models import Case, Judgement

QUEUE = "/admin/leaderboards/case/"
LOG = "/admin/leaderboards/moderatoraction/"
MINUTE = dt.timedelta(minutes=1)
SPEED = {
    "name": "machine_speed",
    "version": 1,
    "group": "time",
    "points": 45,
    "explanation": "Choices were made faster than people see them.",
    "evidence": {"plies": [3, 7], "choices": 12, "median_ms": 90},
}
REASON = {"reason_class": "speed", "reason": "Nobody plays so fast.", "words": ""}


def signal(name: str, points: int = 30, **evidence: Any) -> dict[str, Any]:
    """A finding of the judge's, as JSON."""
    return {**SPEED, "name": name, "points": points, "evidence": evidence}


def judged(
    attempt: Attempt, *signals: dict[str, Any], verdict: str = "flag", at: dt.datetime | None = None
) -> Judgement:
    """A judgement of an attempt."""
    found = list(signals) or [SPEED]
    return Judgement.objects.create(
        attempt=attempt,
        ply=attempt.ply,
        version=Judgement.objects.filter(attempt=attempt).count() + 1,
        verdict=verdict,
        points=sum(each["points"] for each in found),
        signals=found,
        judged_at=at or clock.now(),
    )


def flagged(attempt: Attempt, *signals: dict[str, Any], at: dt.datetime | None = None) -> Case:
    """An attempt that the judge has flagged."""
    row = judged(attempt, *signals, at=at)
    with transaction.atomic():
        return case_raise(
            attempt=attempt,
            player_id=attempt.player_id,
            severity=row.points,
            reasons=[each["name"] for each in row.signals],
            now=at or clock.now(),
        )


def held(attempt: Attempt, *signals: dict[str, Any]) -> Case:
    """An attempt that the judge has held."""
    case = flagged(attempt, *signals)
    with transaction.atomic():
        attempt_hold(
            attempt_id=attempt.public_id, moderator_id=None, **{**REASON, "reason": "By the signals."}, now=clock.now()
        )
    return case


def page_of(case: Case) -> str:
    return f"{QUEUE}{case.public_id}/"


def player_page(player: Player) -> str:
    return f"{QUEUE}players/{player.public_id}/"


def read(client: Client, path: str, status: int = 200, **query: Any) -> str:
    """A page's HTML, entities resolved."""
    answer = client.get(path, query)
    assert answer.status_code == status, (path, answer.status_code)
    return html.unescape(answer.content.decode())


def words_of(page: str) -> str:
    """What there is to read in a page, in one line."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


def names(page: str) -> list[str]:
    """The players of the queue, in its order."""
    return re.findall(r'class="case-link"[^>]*><bdi>([^<]*)<', page)


def do_path(kind: str, subject: str) -> str:
    return f"{QUEUE}do/{kind}/{subject}/"


def fields_of(page: str) -> dict[str, str]:
    """The hidden fields of the form that asks for confirmation."""
    return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', page))


def check(client: Client, kind: str, subject: str, **given: str) -> str:
    """Fill in an act's form; the page that asks for confirmation."""
    answer = client.post(do_path(kind, subject), {**REASON, **given, "step": "check"})
    assert answer.status_code == 200, (answer.status_code, words_of(answer.content.decode()))
    return html.unescape(answer.content.decode())


def confirm(client: Client, kind: str, subject: str, page: str) -> Any:
    """Press the button of that page."""
    return client.post(do_path(kind, subject), {**fields_of(page), "step": "do"})


def do(client: Client, kind: str, subject: str, **given: str) -> None:
    """An act from its form to its end."""
    answer = confirm(client, kind, subject, check(client, kind, subject, **given))
    assert answer.status_code == 302, (answer.status_code, words_of(answer.content.decode()))
