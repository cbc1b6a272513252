"""Telling the players of numbered games what their results meant for the record (R8.5)."""

from __future__ import annotations

import datetime as dt

from games.models import Attempt
from leaderboards.models import Board, RecordNews
from leaderboards.selectors.news import WORTH, Kind, News, Record, compare, is_numbered, record_before, record_standing


def news_record(*, board: Board, attempt: Attempt, now: dt.datetime) -> None:
    """Write or better the news of an attempt whose recorded result is about to reach this board.

    Assumes the locks of the attempt and of the board, and that the attempt's entry is not written yet: a result of this
    very moment is compared with the board's first entry. One that comes later than it was played (a guest's claim, R8.6;
    a result older than this table) is compared with what was there at its own date; what others were told meanwhile
    stands. An attempt bettered by undo keeps its best news (a first win before a broken record before a best result so
    far before none), measured against the record of others before it: what it betters of its own is added on.
    Idempotent: `at` is the date of the newest result compared, and no result is compared twice.
    """
    if board.view != Board.View.BEST or attempt.result_at is None or not is_numbered(board.scope):
        return
    assert attempt.result_cards_left is not None
    assert attempt.result_moves is not None
    told = RecordNews.objects.filter(attempt=attempt).first()
    if told is not None and told.at >= attempt.result_at:
        return
    fresh = attempt.result_at == now
    record = record_standing(board.pk) if fresh else record_before(board.pk, attempt, attempt.result_at)
    news = compare(attempt.result_cards_left, attempt.result_moves, record)
    if told is None:
        values = {"kind": news.kind, "fewer_cards": news.fewer_cards, "fewer_moves": news.fewer_moves}
        RecordNews.objects.create(attempt=attempt, board=board, at=attempt.result_at, **values)
        return
    if news.kind != Kind.NO_RECORD and WORTH[news.kind] >= WORTH[Kind(told.kind)]:
        news = _added(news, told, record, attempt) if fresh else news
        told.kind, told.fewer_cards, told.fewer_moves = news.kind, news.fewer_cards, news.fewer_moves
    told.at = attempt.result_at
    told.save()


def _added(news: News, told: RecordNews, record: Record | None, attempt: Attempt) -> News:
    """The news against the record of others where the one just bettered is the attempt's own.

    A later result of one attempt has more moves (R5.2), so it is better by cards.
    """
    if record is None or record.attempt_id != attempt.pk or news.fewer_cards is None:
        return news
    return News(news.kind, None if told.fewer_cards is None else told.fewer_cards + news.fewer_cards)
