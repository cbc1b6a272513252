"""Reads of the moderators' desk: the queue, a case and everything around it. Plain rows; never a deal or a sealed code."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery

from games.errors import NotFound
from games.models import Attempt, Player
from games.names import name_key
from games.selectors.clients import LinkedPlayer, linked_players
from games.statements import execute

from .models import (
    Appeal,
    Case,
    Exclusion,
    HiddenPlayer,
    Judgement,
    MergedAccount,
    ModeratorAction,
    Notice,
    Report,
)

PAGE: Final = 50
COUNTED: Final = 10_000
"""Further than this nobody counts what a filter finds: "more than 10,000" is said instead."""
STATES: Final = ("open", "held", "flagged", "reported", "appealed", "closed", "all")
ROLES: Final = ("people", "bots", "guests")
AGES: Final = {"day": (None, 1), "week": (1, 7), "older": (7, None)}
"""Days since the case was opened: more than the first, at most the second."""
NOT_SIGNALS: Final = ("report", "appeal")
"""Reasons of a case that no signal gave."""
_PLAYER_KINDS: Final = {"people": "person", "bots": "bot", "guests": "guest"}


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which cases are asked for; "" is any."""

    state: str = "open"
    signal: str = ""
    ruleset: str = ""
    competition: str = ""
    """"daily": of any competition; "open": of none; else the key of one."""
    role: str = ""
    age: str = ""
    text: str = ""
    """A name or the beginning of one, or the public id of a player, attempt or case."""


@dataclass(frozen=True, slots=True)
class Found:
    """A page of cases. `total` stops at COUNTED + 1."""

    rows: list[Case]
    total: int
    first: int
    more: bool


_HELD = Exists(Exclusion.objects.filter(attempt=OuterRef("attempt"), kind=Exclusion.Kind.HELD))
_STATE: Final[dict[str, Q]] = {
    "open": Q(),
    "held": Q(_HELD),
    "flagged": Q(attempt__isnull=False) & ~Q(reasons__contained_by=list(NOT_SIGNALS)) & ~Q(_HELD),
    "reported": Q(reports__gt=0),
    "appealed": Q(reasons__contains=["appeal"]),
}


def cases_find(wanted: Wanted, *, page: int, now: dt.datetime) -> Found:
    """The queue: the gravest first, then the oldest; closed ones by the day they were closed, newest first."""
    rows = _matching(wanted, now)
    newest_first = ("-closed_at", "-id") if wanted.state == "closed" else ("-updated_at", "-id")
    rows = rows.order_by(*(newest_first if wanted.state in ("closed", "all") else ("-severity", "opened_at", "id")))
    first = (page - 1) * PAGE
    ids = list(rows.values_list("pk", flat=True)[first : first + PAGE + 1])  # the rest for these only, however deep
    total = first + len(ids) if len(ids) <= PAGE and (ids or not first) else _counted(rows)
    found = {case.pk: case for case in _with_state(Case.objects.filter(pk__in=ids[:PAGE]))}
    return Found([found[pk] for pk in ids[:PAGE] if pk in found], total, first, len(ids) > PAGE)


def _counted(rows: QuerySet[Case]) -> int:
    return rows.order_by()[: COUNTED + 1].count()


# The conditions of _STATE once more: joined, they cost a third of what a subquery for each of 100,000 cases does.
_COUNTS: Final = """
SELECT count(*), count(held.kind), count(*) FILTER (WHERE c.attempt_id IS NOT NULL AND held.kind IS NULL
                                                    AND NOT c.reasons <@ %(not_signals)s::varchar[]),
       count(*) FILTER (WHERE c.reports > 0), count(*) FILTER (WHERE c.reasons @> ARRAY['appeal']::varchar[]),
       min(c.opened_at)
  FROM leaderboards_case c
  LEFT JOIN leaderboards_exclusion held ON held.attempt_id = c.attempt_id AND held.kind = 'held'
 WHERE c.closed_at IS NULL
"""


def queue_counts() -> dict[str, Any]:
    """How many open cases there are of each state, and since when the `oldest` waits."""
    [row] = execute(_COUNTS, {"not_signals": list(NOT_SIGNALS)})
    return dict(zip((*_STATE, "oldest"), row, strict=True))


def _matching(wanted: Wanted, now: dt.datetime) -> QuerySet[Case]:
    rows = Case.objects.all()
    if wanted.state in _STATE:
        rows = rows.filter(_STATE[wanted.state], closed_at=None)
    elif wanted.state == "closed":
        rows = rows.filter(closed_at__isnull=False)
    if wanted.signal:
        rows = rows.filter(reasons__contains=[wanted.signal])
    if wanted.ruleset:
        rows = rows.filter(attempt__ruleset=wanted.ruleset)
    if wanted.competition == "open":
        rows = rows.filter(attempt__isnull=False, attempt__competition_key=None)
    elif wanted.competition == "daily":
        rows = rows.filter(attempt__competition_key__isnull=False)
    elif wanted.competition:
        rows = rows.filter(attempt__competition_key=wanted.competition)
    if wanted.role in _PLAYER_KINDS:
        rows = rows.filter(player__kind=_PLAYER_KINDS[wanted.role])
    if wanted.age in AGES:
        least, most = AGES[wanted.age]
        if least is not None:
            rows = rows.filter(opened_at__lt=now - dt.timedelta(days=least))
        if most is not None:
            rows = rows.filter(opened_at__gte=now - dt.timedelta(days=most))
    text = wanted.text.strip()
    if text:
        rows = rows.filter(
            Q(player__in=list(players_matching(text).values_list("pk", flat=True)[:200]))
            | Q(attempt__in=list(Attempt.objects.filter(public_id=text).values_list("pk", flat=True)))
            | Q(public_id=text)
        )
    return rows


def players_matching(text: str) -> QuerySet[Player]:
    """Players by public id, or by the beginning of a name as names are compared (an index serves both)."""
    key = name_key(text)
    rows = Player.objects.select_related("owner").order_by("name_key", "id")
    return rows.filter(Q(public_id=text) | Q(name_key__startswith=key) if key else Q(public_id=text))


def _with_state(rows: QuerySet[Case]) -> QuerySet[Case]:
    """With the players, the attempts (never their codes) and whether these count."""
    excluded = Exclusion.objects.filter(attempt=OuterRef("attempt")).values("kind")
    return rows.select_related("player__owner", "attempt").defer("attempt__code").annotate(excluded=Subquery(excluded))


# --- one case ------------------------------------------------------------------------------------------------------


def case_get(public_id: str) -> Case:
    """A case with its player and attempt; raises NotFound."""
    found = _with_state(Case.objects.filter(public_id=public_id)).first()
    if found is None:
        raise NotFound
    return found


def player_get(public_id: str) -> Player:
    """A player of any kind, deleted ones too; raises NotFound."""
    found = Player.objects.select_related("owner").filter(public_id=public_id).first()
    if found is None:
        raise NotFound
    return found


def case_of_player(player: Player) -> Case | None:
    """The case of reports on the player (not on an attempt), if there ever was one."""
    return _with_state(Case.objects.filter(player=player, attempt=None)).first()


def attempt_for_desk(pk: int) -> Attempt:
    """An attempt with its deal, for what `desk.replay` may show of it; never its code."""
    return Attempt.objects.select_related("player", "deal").defer("code").get(pk=pk)


def exclusion_of(attempt: Attempt) -> Exclusion | None:
    """Why an attempt does not count; None when it does."""
    return Exclusion.objects.filter(attempt=attempt).first()


def judgements_of(attempt: Attempt) -> list[Judgement]:
    """What was ever judged of an attempt, newest first."""
    return list(Judgement.objects.filter(attempt=attempt).order_by("-judged_at", "-version", "-ply"))


def reports_of(case: Case) -> list[Report]:
    """The newest hundred reports."""
    return list(Report.objects.filter(case=case).select_related("reporter").order_by("-at", "-id")[:100])


def attempts_by_id(public_ids: Collection[str]) -> dict[str, Attempt]:
    """Attempts with their players and deals: for what a signal compares."""
    rows = Attempt.objects.select_related("player", "deal").defer("code").filter(public_id__in=public_ids)
    return {row.public_id: row for row in rows}


# --- a player ------------------------------------------------------------------------------------------------------


def standing_of(player: Player) -> dict[str, Any]:
    """Whether a player is hidden, and with whom the account is merged."""
    merged = MergedAccount.objects.select_related("main").filter(second=player).first()
    return {
        "hidden": HiddenPlayer.objects.filter(player=player).first(),
        "main": merged.main if merged else None,
        "seconds": [row.second for row in MergedAccount.objects.select_related("second").filter(main=player)],
        "bots": list(player.bots.order_by("id")[:50]),
    }


def player_cases(player: Player, *, but: Case | None = None) -> list[Case]:
    """The newest cases of a player."""
    rows = Case.objects.filter(player=player).order_by("-updated_at", "-id")
    return list(_with_state(rows.exclude(pk=but.pk) if but else rows)[:20])


def player_attempts(player: Player) -> list[Attempt]:
    """The newest attempts of a player, each with `excluded` (why it does not count) and `case` (public id)."""
    excluded = Exclusion.objects.filter(attempt=OuterRef("pk")).values("kind")
    case = Case.objects.filter(attempt=OuterRef("pk")).values("public_id")
    rows = Attempt.objects.filter(player=player).defer("code").order_by("-id")
    return list(rows.annotate(excluded=Subquery(excluded), case=Subquery(case))[:20])


def linked_of(player: Player, attempt: Attempt | None, now: dt.datetime) -> list[tuple[Player, LinkedPlayer]]:
    """Accounts near a player's, as they stood at this attempt, or as they stand now."""
    if attempt is None:
        links = linked_players(player_id=player.pk, deal_id=0, began=now, until=now)
    else:
        until = attempt.last_move_at
        links = linked_players(player_id=player.pk, deal_id=attempt.deal_id, began=attempt.started_at, until=until)
    rows = Player.objects.select_related("owner").in_bulk([link.player_id for link in links])
    return [(rows[link.player_id], link) for link in links if link.player_id in rows]


def player_numbers(player: Player) -> dict[str, int]:
    """How much a player has played."""
    return Attempt.objects.filter(player=player).aggregate(
        started=Count("pk"),
        ranked=Count("pk", filter=Q(ranked=True)),
        results=Count("pk", filter=Q(result_outcome__isnull=False)),
        won=Count("pk", filter=Q(result_outcome="won")),
    )


def notices_of(player: Player) -> list[Notice]:
    """What a player was told, newest first, with the appeals."""
    return list(Notice.objects.filter(player=player).select_related("action", "appeal").order_by("-at", "-pk")[:50])


def appeals_open(player: Player, attempt: Attempt | None) -> list[Appeal]:
    """Appeals of the player that wait: those about this attempt, or with None those about no attempt."""
    rows = Appeal.objects.filter(notice__player=player, state=Appeal.State.OPEN, notice__attempt=attempt)
    return list(rows.select_related("notice__action__moderator").order_by("at"))


# --- the log of actions --------------------------------------------------------------------------------------------


def actions_of(player: Player) -> list[ModeratorAction]:
    """The newest hundred actions on a player and the player's attempts."""
    return list(_actions(ModeratorAction.objects.filter(player=player))[:100])


def action_get(public_id: str) -> ModeratorAction:
    """One action; raises NotFound."""
    found = _actions(ModeratorAction.objects.filter(public_id=public_id)).first()
    if found is None:
        raise NotFound
    return found


def actions_find(
    *, moderator: str, kind: str, since: dt.date | None, until: dt.date | None, page: int
) -> tuple[list[ModeratorAction], bool]:
    """All actions, newest first, and whether there are more. `moderator`: a name's beginning, an id, or "judge"."""
    rows = ModeratorAction.objects.all()
    if moderator.casefold() == "judge":
        rows = rows.filter(moderator=None)
    elif moderator:
        rows = rows.filter(moderator__in=list(players_matching(moderator).values_list("pk", flat=True)[:200]))
    if kind:
        rows = rows.filter(kind=kind)
    if since:
        rows = rows.filter(at__gte=_midnight(since))
    if until:
        rows = rows.filter(at__lt=_midnight(until) + dt.timedelta(days=1))
    first = (page - 1) * PAGE
    shown = list(_actions(rows)[first : first + PAGE + 1])
    return shown[:PAGE], len(shown) > PAGE


def _midnight(day: dt.date) -> dt.datetime:
    return dt.datetime.combine(day, dt.time(), dt.UTC)


def _actions(rows: QuerySet[ModeratorAction]) -> QuerySet[ModeratorAction]:
    """With who, whom, what it reverts and what reverted it."""
    case = Case.objects.filter(attempt=OuterRef("attempt")).values("public_id")
    related = ("moderator", "player", "attempt", "reverts", "reverted_by")
    return rows.select_related(*related).defer("attempt__code").annotate(case=Subquery(case)).order_by("-at", "-id")


def newest_action(player_id: int) -> str:
    """The public id of the newest action on a player, "" before the first: what a form has seen."""
    rows = ModeratorAction.objects.filter(player_id=player_id).order_by("-id")
    return rows.values_list("public_id", flat=True).first() or ""
