"""A daily of the past with finishes on it, players with careers and networks, for the benchmark of judging."""

from __future__ import annotations

import datetime as dt
import random
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from django.db import connection, transaction

from games.engine import ENGINE_VERSION
from games.engine.codes import GameCode, commitment
from games.engine.deals import DEAL_VERSION, deal_cards
from games.engine.moves import DRAW
from games.engine.position import Position, start
from games.engine.rulesets import find_ruleset
from games.engine.scoring import SCORING
from games.models import Attempt, AttemptClient, Credential, Deal, Move, Player
from games.solver.exact import solve
from leaderboards.models import Board, DailyChallenge
from leaderboards.moderation.foreknowledge import NOTHING
from leaderboards.moderation.models import Judgement

FIRST_DAY: Final = dt.date(1900, 1, 1)
"""Before every real daily."""
CAREER: Final = 30
_NAME: Final = "bench-judging-"


@dataclass(frozen=True)
class Ground:
    """What the attempts of the benchmark are made of."""

    deal: Deal
    code: str
    players: list[Player]
    credentials: list[Credential]
    ends: list[Position]
    """One for each player: the end of a game as somebody might have played it."""


def played(choose: random.Random, position: Position) -> Position:
    """A game played to its end: mostly a card that fits, now and then a draw instead."""
    while position.outcome is None:
        legal = position.legal_moves()
        fits = [move for move in legal if move < DRAW]
        draws = DRAW in legal and (not fits or choose.random() < 0.08)
        position = position.play(DRAW if draws else choose.choice(fits))
    return position


def prepare(count: int, seed: int) -> Ground:
    """`count` players with 30 dailies behind them each, two to a network; nobody has played the daily of today yet."""
    clean()
    choose = random.Random(seed)
    now = dt.datetime.now(dt.UTC)
    with transaction.atomic():
        deals = [past_daily(choose, FIRST_DAY + dt.timedelta(days=day), now) for day in range(CAREER + 1)]
        players = Player.objects.bulk_create(
            Player(
                kind="person",
                name=f"bench judging {number}",
                name_key=f"{_NAME}{number}",
                password="!",
                created_at=now - dt.timedelta(days=100),
            )
            for number in range(count)
        )
        credentials = Credential.objects.bulk_create(
            Credential(
                player=player,
                token_hash=secrets.token_bytes(32),
                kind="session",
                via="cookie",
                scopes=["read", "play", "manage"],
                created_at=now,
            )
            for player in players
        )
        for day, (deal, code) in enumerate(deals[:-1]):
            _earlier(choose, deal, code, FIRST_DAY + dt.timedelta(days=day), players, credentials, now)
        deal, code = deals[-1]
        opening = start(find_ruleset("E"), tuple(deal.cards), undo_allowed=False)
        ends = [played(choose, opening) for _ in players]
    return Ground(deal, code, players, credentials, ends)


def past_daily(choose: random.Random, date: dt.date, now: dt.datetime) -> tuple[Deal, str]:
    """A daily of the past with its board; final."""
    code = GameCode("TP2", "E", choose.getrandbits(128))
    cards = deal_cards(code)
    deal = Deal.objects.create(cards=bytes(cards))
    best = solve(start(find_ruleset("E"), cards)).best
    opens = now - dt.timedelta(days=40) + dt.timedelta(days=(date - FIRST_DAY).days)
    daily = DailyChallenge.objects.create(
        date=date,
        number=1_000_000 + (date - FIRST_DAY).days,
        ruleset="E",
        code=code.text,
        deal=deal,
        commitment=commitment(code.text),
        committed_at=opens,
        late=False,
        opens_at=opens,
        closes_at=opens + dt.timedelta(hours=1),
        grace_ends_at=opens + dt.timedelta(hours=2),
        final_at=opens + dt.timedelta(hours=3),
        best_score=best.score if best else None,
        best_moves=best.moves if best else None,
    )
    Board.objects.create(scope=daily.key, kind="people", view="best", ranking="result", timed=True, entries=500)
    return deal, code.text


def _earlier(
    choose: random.Random,
    deal: Deal,
    code: str,
    date: dt.date,
    players: list[Player],
    credentials: list[Credential],
    now: dt.datetime,
) -> None:
    """Everybody's attempt of an earlier day, without its moves, and how it was judged."""
    at = now - dt.timedelta(days=39) + dt.timedelta(days=(date - FIRST_DAY).days)
    key = f"daily-{date.isoformat()}"
    end = start(find_ruleset("E"), tuple(deal.cards))
    attempts = Attempt.objects.bulk_create(
        ended(player, deal, code, key, end, at, elapsed_ms=choose.randrange(60_000, 600_000), stuck=True)
        for player in players
    )
    Judgement.objects.bulk_create(
        Judgement(
            attempt=attempt,
            ply=0,
            version=1,
            verdict="nothing",
            points=0,
            signals=[],
            knowledge=[choose.gauss(-0.2, 0.4) for _ in NOTHING],
            judged_at=at,
        )
        for attempt in attempts
    )
    AttemptClient.objects.bulk_create(_clients(attempts, credentials, at))


def _clients(attempts: list[Attempt], credentials: list[Credential], at: dt.datetime) -> Iterator[AttemptClient]:
    for number, (attempt, credential) in enumerate(zip(attempts, credentials, strict=True)):
        yield AttemptClient(
            attempt=attempt,
            player_id=attempt.player_id,
            credential=credential,
            client="page_socket",
            network=(number // 2 + 1).to_bytes(16, "big"),
            first_ply=0,
            at=at,
        )


def ended(
    player: Player,
    deal: Deal,
    code: str,
    key: str | None,
    end: Position,
    at: dt.datetime,
    *,
    elapsed_ms: int,
    stuck: bool = False,
) -> Attempt:
    """An attempt that ended, not saved: at a daily (``key``), or None; `stuck` with the opening for its end: without moves."""
    outcome = "stuck" if stuck else end.outcome
    values: dict[str, Any] = {
        "outcome": outcome,
        "score": end.score,
        "moves": end.moves,
        "peaks": end.peaks,
        "cards_left": end.cards_left,
        "undos": 0,
        "ply": end.ply,
        "elapsed_ms": elapsed_ms,
        "at": at,
    }
    return Attempt(
        player=player,
        deal=deal,
        code=code,
        ruleset="E",
        competition_key=key,
        undo_allowed=False,
        ranked=True,
        number=1,
        start_key=f"{_NAME}{key}",
        engine_version=ENGINE_VERSION,
        deal_version=DEAL_VERSION,
        ruleset_version=find_ruleset("E").version,
        scoring_version=SCORING["points500"].version,
        started_at=at - dt.timedelta(milliseconds=elapsed_ms),
        last_move_at=at,
        ply=end.ply,
        score=end.score,
        moves=end.moves,
        run=end.run,
        peaks=end.peaks,
        cards_left=end.cards_left,
        outcome=outcome,
        finished_at=at,
        closed_at=at,
        **{f"result_{name}": value for name, value in values.items()},
    )


def finish(ground: Ground, number: int, at: dt.datetime) -> Attempt:
    """The attempt of a player at the daily of today, as if it had just ended; in the caller's transaction."""
    choose = random.Random(number)
    end = ground.ends[number]
    pauses = [max(250, int(choose.lognormvariate(7.4, 0.5))) for _ in end.line]
    key = f"daily-{(FIRST_DAY + dt.timedelta(days=CAREER)).isoformat()}"
    attempt = ended(ground.players[number], ground.deal, ground.code, key, end, at, elapsed_ms=sum(pauses))
    attempt.save()
    when = attempt.started_at
    moves = []
    for ply, (move, pause) in enumerate(zip(end.line, pauses, strict=True), start=1):
        when += dt.timedelta(milliseconds=pause)
        moves.append(Move(attempt=attempt, ply=ply, move=move, move_id=f"m{ply}", at=when))
    Move.objects.bulk_create(moves)
    AttemptClient.objects.bulk_create(_clients([attempt], [ground.credentials[number]], at))
    return attempt


def clean() -> None:
    """Remove what this or an earlier run has left."""
    mine = "player_id IN (SELECT id FROM games_player WHERE name_key LIKE 'bench-judging-%%')"
    of_mine = f"attempt_id IN (SELECT id FROM games_attempt WHERE {mine})"
    days = [FIRST_DAY + dt.timedelta(days=day) for day in range(CAREER + 1)]
    with transaction.atomic(), connection.cursor() as cursor:
        for table in ("leaderboards_judgement", "leaderboards_case", "games_attemptclient", "games_move"):
            cursor.execute(f"DELETE FROM {table} WHERE {of_mine}")
        cursor.execute(f"DELETE FROM games_attempt WHERE {mine}")
        cursor.execute(f"DELETE FROM games_credential WHERE {mine}")
        cursor.execute("DELETE FROM games_player WHERE name_key LIKE 'bench-judging-%%'")
        deals = list(DailyChallenge.objects.filter(date__in=days).values_list("deal_id", flat=True))
        DailyChallenge.objects.filter(date__in=days).delete()
        Board.objects.filter(scope__in=[f"daily-{day.isoformat()}" for day in days]).delete()
        Deal.objects.filter(pk__in=deals).delete()
