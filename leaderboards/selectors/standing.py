"""What has to stand on the boards: computed from attempts, deletions and what moderators decided, and from nothing else.

The truth that `services.entries` brings the rows of boards in line with. Both always agree, byte for byte.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Final

from django.db.models import Exists, OuterRef, Q, Subquery, Value
from django.db.models.functions import Coalesce

from games.clock import milliseconds
from games.compact import Log
from games.models import Attempt, Deal, Player
from games.selectors.attempts import facts_of, recorded_history
from games.selectors.logs import logs_read
from leaderboards.models import Board, Entry
from leaderboards.moderation.models import Exclusion, HiddenPlayer, MergedAccount
from leaderboards.results import SHOWN, attempt_key, attempt_values, is_first, scope_of


@dataclass(frozen=True, slots=True)
class Standing:
    """What an entry holds: an attempt's result and its place in the list's total order."""

    attempt_id: int
    key: int
    finished_ms: int
    outcome: str
    score: int
    moves: int
    peaks: int
    cards_left: int
    elapsed_ms: int

    @property
    def place(self) -> tuple[int, int, int]:
        """Smaller is better (R8.4)."""
        return (self.key, self.finished_ms, self.attempt_id)


COUNTS: Final = "counts"
"""The standing of an attempt that is neither held nor disqualified."""
FIELDS: Final = ("attempt_id", "key", "finished_ms", *SHOWN)
Where = tuple[str, str, int]
"""Scope, view, player: the kind of a board is the player's."""


def standing_of(attempt: Attempt) -> Standing:
    """The recorded result of an attempt."""
    assert attempt.result_at is not None
    return Standing(attempt.pk, attempt_key(attempt), milliseconds(attempt.result_at), **attempt_values(attempt))


def standing_of_entry(entry: Entry) -> Standing:
    """What a row holds, on its board or taken off it."""
    return Standing(*(getattr(entry, field) for field in FIELDS))


# --- whose results stand under whose name --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Group:
    """A player and the second accounts merged into it. Nothing stands under the name of a merged account itself."""

    player_id: int
    kind: str
    """Of boards: Board.Kind."""
    members: frozenset[int]
    """All of them, deleted and hidden ones too: somebody who has seen a deal has seen it."""
    counting: frozenset[int]
    """Those whose results stand under the name; nobody's once the player is deleted, hidden or merged."""


def mains_of(player_ids: Collection[int]) -> set[int]:
    """The accounts that these are merged into."""
    return set(MergedAccount.objects.filter(second_id__in=player_ids).values_list("main_id", flat=True))


def groups_of(player_ids: Collection[int]) -> list[Group]:
    """The groups of these players and of those that they are merged into. Three queries."""
    named = set(player_ids) | mains_of(player_ids)
    main_of = dict(
        MergedAccount.objects.filter(Q(second_id__in=named) | Q(main_id__in=named)).values_list("second_id", "main_id")
    )
    hidden = Exists(HiddenPlayer.objects.filter(player=OuterRef("pk")))
    players = Player.objects.filter(pk__in=named | set(main_of)).annotate(hidden=hidden)
    known = {player.pk: player for player in players.only("kind", "deleted_at")}
    counting = {pk for pk, player in known.items() if player.deleted_at is None and not player.hidden}
    groups = []
    for pk in sorted(named & set(known)):
        kind = known[pk].kind
        members = frozenset() if pk in main_of else frozenset({pk, *(s for s, main in main_of.items() if main == pk)})
        stands = pk in counting and kind != Player.Kind.GUEST
        groups.append(
            Group(
                player_id=pk,
                kind=Board.Kind.BOTS if kind == Player.Kind.BOT else Board.Kind.PEOPLE,
                members=members,
                counting=members & counting if stands else frozenset(),
            )
        )
    return groups


# --- what stands ---------------------------------------------------------------------------------------------------


def excluded() -> Exists:
    """Whether an attempt (the outer row) is held or disqualified."""
    return Exists(Exclusion.objects.filter(attempt=OuterRef("pk")))


def standing_kind() -> Coalesce:
    """`counts`, `held` or `disqualified`, of an attempt (the outer row)."""
    kind = Subquery(Exclusion.objects.filter(attempt=OuterRef("pk")).values("kind")[:1])
    return Coalesce(kind, Value(COUNTS))


def off() -> Q:
    """Whether an attempt (the outer row) counts for nothing: held, disqualified, or its player hidden."""
    return Q(excluded()) | Q(Exists(HiddenPlayer.objects.filter(player=OuterRef("player"))))


def on_scopes(scopes: Collection[str]) -> Q:
    """The attempts that count for these boards."""
    return Q(competition_key__in=scopes) | Q(competition_key=None, code__in=scopes)


def results_counting(groups: Iterable[Group], scopes: Collection[str] | None) -> list[Attempt]:
    """The attempts with a result that counts for somebody's entry, on these scopes or (None) on all."""
    players = {player for group in groups for player in group.counting}
    found = Attempt.objects.filter(~excluded(), player_id__in=players, ranked=True, result_outcome__isnull=False)
    return list(found if scopes is None else found.filter(on_scopes(scopes)))


def standings_wanted(
    groups: Sequence[Group], scopes: Collection[str] | None, *, from_logs: bool = False
) -> dict[Where, Standing]:
    """What has to stand on these scopes' boards (None: on all) under the names of these groups, and nothing else.

    `from_logs`: believe no entry, not even where only the log knows better (`manage.py verify`).

    The best ranked result that is not excluded, ties by the earlier date, then the attempt (R8.4); in the view of first
    attempts the result without undo of the first attempt at the list of cards (R8.1). Merged accounts are one person: of
    their attempts at a competition, and of their first ones at a list of cards, only the one begun first counts.
    """
    group_of = {player: group for group in groups for player in group.counting}
    attempts = results_counting(groups, scopes)
    begun_first = _begun_first([group for group in groups if len(group.members) > 1], attempts)
    wanted: dict[Where, Standing] = {}
    firsts: list[Attempt] = []
    for attempt in attempts:
        group = group_of[attempt.player_id]
        first_of_all = len(group.members) == 1 or attempt.pk in begun_first
        if attempt.competition_key is not None and not first_of_all:
            continue
        where = (scope_of(attempt), Board.View.BEST.value, group.player_id)
        standing = standing_of(attempt)
        if where not in wanted or standing.place < wanted[where].place:
            wanted[where] = standing
        if attempt.competition_key is None and attempt.number == 1 and first_of_all:
            firsts.append(attempt)
    for attempt, standing in _without_undo(firsts, from_logs):
        wanted[scope_of(attempt), Board.View.FIRST.value, group_of[attempt.player_id].player_id] = standing
    return wanted


def _begun_first(groups: Sequence[Group], attempts: Sequence[Attempt]) -> set[int]:
    """Of the attempts of each group at one competition or list of cards the one begun first; whatever became of it."""
    if not groups:
        return set()
    group_of = {player: group.player_id for group in groups for player in group.members}
    keys = {attempt.competition_key for attempt in attempts if attempt.competition_key is not None}
    deals = {attempt.deal_id for attempt in attempts if attempt.competition_key is None}
    found = Attempt.objects.filter(Q(competition_key__in=keys) | Q(deal_id__in=deals), player_id__in=group_of)
    first: dict[tuple[int, str | int], tuple[dt.datetime, int]] = {}
    for pk, player, key, deal, started_at in found.values_list(
        "id", "player_id", "competition_key", "deal_id", "started_at"
    ):
        for what in (deal,) if key is None else (deal, key):
            at = (group_of[player], what)
            if at not in first or (started_at, pk) < first[at]:
                first[at] = (started_at, pk)
    return {pk for _started_at, pk in first.values()}


def _without_undo(attempts: Sequence[Attempt], from_logs: bool) -> list[tuple[Attempt, Standing]]:
    """The results that these first attempts recorded without undo, before they were bettered with it or not at all.

    One that has been on a board is found there; its log is replayed only where none ever was.
    """
    plain = [(attempt, standing_of(attempt)) for attempt in attempts if is_first(attempt)]
    bettered = {attempt.pk: attempt for attempt in attempts if not is_first(attempt)}
    rows = (
        Entry.objects.filter(attempt_id__in=bettered, board__view=Board.View.FIRST)
        if bettered and not from_logs
        else ()
    )
    known = {row.attempt_id: standing_of_entry(row) for row in rows}
    missing = [attempt for pk, attempt in bettered.items() if pk not in known]
    logs = logs_read([attempt.pk for attempt in missing])
    deals = Deal.objects.in_bulk({attempt.deal_id for attempt in missing}) if missing else {}
    for attempt in missing:
        cards = tuple(deals[attempt.deal_id].cards)
        standing = _replayed(attempt, cards, logs[attempt.pk].upto(attempt.ply))
        if standing is not None:
            known[attempt.pk] = standing
    return plain + [(bettered[pk], standing) for pk, standing in known.items()]


def _replayed(attempt: Attempt, cards: tuple[int, ...], log: Log) -> Standing | None:
    history = recorded_history(facts_of(attempt), cards, log)
    if not history or history[0].undos:
        return None
    then = copy(attempt)
    for field in Attempt.RESULT_FIELDS:
        setattr(then, f"result_{field}", getattr(history[0], field))
    return standing_of(then)


def boards_needed(
    groups: Sequence[Group], scopes: Collection[str] | None
) -> tuple[set[str], dict[tuple[str, str], Attempt]]:
    """The scopes on which something stands or has to stand under the names of these groups (within `scopes`, or of all),
    and (scope, kind) -> an attempt of each board that has to be there.
    """
    kind_of = {player: group.kind for group in groups for player in group.counting}
    needed = {(scope_of(attempt), kind_of[attempt.player_id]): attempt for attempt in results_counting(groups, scopes)}
    if scopes is not None:
        return set(scopes), needed
    standing = Entry.objects.filter(player_id__in=[group.player_id for group in groups], active=True)
    return {scope for scope, _kind in needed} | set(standing.values_list("board__scope", flat=True)), needed
