"""Shapes of answers, for the API description only (see games.api.schemas)."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers as s

from games.api.schemas import PlayerNameSchema

STATUSES = ("upcoming", "open", "grace", "final")


def _instant(**options: Any) -> s.DateTimeField:
    return s.DateTimeField(help_text="UTC, whole milliseconds", **options)


class BestSchema(s.Serializer[Any]):
    score = s.IntegerField()
    moves = s.IntegerField(min_value=0)


class DailyBodySchema(s.Serializer[Any]):
    date = s.DateField(help_text="The official date")
    number = s.IntegerField(min_value=1)
    board = s.CharField(help_text="The name of its board: daily-YYYY-MM-DD")
    ruleset = s.CharField()
    status = s.ChoiceField(choices=STATUSES)
    commitment = s.RegexField(r"^[0-9a-f]{64}$", help_text="SHA-256 of the code's text, published beforehand")
    committed_at = _instant()
    late = s.BooleanField(help_text="Committed after the opening")
    opens_at = _instant()
    closes_at = _instant()
    grace_ends_at = _instant()
    final_at = _instant()
    code = s.CharField(allow_null=True, help_text="null until the daily is final")
    deal = s.CharField(allow_null=True, help_text="The cards; null until the daily is final")
    difficulty = s.FloatField(
        allow_null=True, help_text="The share of simple play-outs that lose, 0 to 1; null until the daily is final"
    )
    best = BestSchema(allow_null=True, help_text="The exact best possible result; null until the daily is final")
    players = s.IntegerField(min_value=0)
    playing = s.IntegerField(min_value=0)
    finished = s.IntegerField(min_value=0)
    now = _instant()


class DailySchema(s.Serializer[Any]):
    daily = DailyBodySchema()


class DailyStartSchema(s.Serializer[Any]):
    key = s.RegexField(r"^[A-Za-z0-9_-]{1,64}$", max_length=64, help_text="Chosen by the client")


class RowSchema(s.Serializer[Any]):
    rank = s.IntegerField(min_value=1, help_text="1, 1, 1, 4: equal results share a rank")
    id = s.CharField(help_text="The attempt")
    player = PlayerNameSchema()
    outcome = s.ChoiceField(choices=("won", "stuck"))
    score = s.IntegerField()
    moves = s.IntegerField(min_value=0)
    peaks = s.IntegerField(min_value=0, max_value=3)
    cards_left = s.IntegerField(min_value=0, max_value=28)
    elapsed_ms = s.IntegerField(min_value=0)
    finished_at = _instant()
    number = s.IntegerField(min_value=1, help_text="The player's n-th attempt at these cards")


class BoardBodySchema(s.Serializer[Any]):
    name = s.CharField()
    kind = s.ChoiceField(choices=("people", "bots"))
    view = s.ChoiceField(choices=("best", "first"))
    version = s.IntegerField(min_value=0)
    entries = s.IntegerField(min_value=0)
    players = s.IntegerField(min_value=0)
    playing = s.IntegerField(min_value=0)
    finished = s.IntegerField(min_value=0)


class BoardSchema(s.Serializer[Any]):
    board = BoardBodySchema()
    rows = RowSchema(many=True)
    next = s.CharField(allow_null=True, help_text="The cursor of the next page")
    delayed = s.BooleanField(help_text="Live events do not arrive at present; these rows are right all the same")


class BoardMeSchema(s.Serializer[Any]):
    rank = s.IntegerField(min_value=1, allow_null=True)
    row = RowSchema(allow_null=True)
    around = RowSchema(many=True)
    provisional = s.BooleanField(help_text="Not on the board: the rank it would have")
    version = s.IntegerField(min_value=0)


class NumberedFactsSchema(s.Serializer[Any]):
    number = s.IntegerField(min_value=1, max_value=50_000)
    winnable = s.BooleanField(allow_null=True, help_text="null: not solved yet")
    fewest_left = s.IntegerField(min_value=0, max_value=28, allow_null=True, help_text="Of the best possible result")
    fewest_moves = s.IntegerField(min_value=0, allow_null=True, help_text="Of the best possible result")
    record = RowSchema(allow_null=True)
    perfect = s.BooleanField(allow_null=True, help_text="Whether the record is the best possible; null: not known")


class NumberedListSchema(s.Serializer[Any]):
    games = NumberedFactsSchema(many=True)
    next = s.CharField(allow_null=True, help_text="The cursor of the next page")


class FromPerfectSchema(s.Serializer[Any]):
    cards = s.IntegerField(help_text="Cards more than the fewest possible")
    moves = s.IntegerField(allow_null=True, help_text="Moves more; null where there are more cards, which decide")


class NumberedBodySchema(NumberedFactsSchema):
    code = s.CharField()
    from_perfect = FromPerfectSchema(allow_null=True, help_text="null without a record, or not solved yet")
    previous = s.IntegerField(allow_null=True)
    next = s.IntegerField(allow_null=True)


class NumberedSchema(s.Serializer[Any]):
    game = NumberedBodySchema()


class RandomNumberSchema(s.Serializer[Any]):
    number = s.IntegerField(min_value=1, max_value=50_000)


class NewsBodySchema(s.Serializer[Any]):
    kind = s.ChoiceField(choices=("first_win", "record_broken", "best_so_far", "no_record"))
    fewer_cards = s.IntegerField(allow_null=True, help_text="Fewer cards left than the record before")
    fewer_moves = s.IntegerField(allow_null=True, help_text="Fewer moves than the record before, at equal cards")


class NewsSchema(s.Serializer[Any]):
    news = NewsBodySchema(allow_null=True)
    provisional = s.BooleanField(help_text="A guest's: what it would be, once there is a name")
