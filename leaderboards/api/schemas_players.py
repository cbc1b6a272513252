"""The shape of a player's profile, for the API description only."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers as s

from games.api.schemas import PlayerSchema, ResultSchema
from games.engine.scoring import SCORING


class DailyCountsSchema(s.Serializer[Any]):
    played = s.IntegerField(min_value=0, help_text="Won or stuck")
    won = s.IntegerField(min_value=0)


class StreakSchema(s.Serializer[Any]):
    """Consecutive official dates with a daily won or stuck."""

    current = s.IntegerField(min_value=0)
    longest = s.IntegerField(min_value=0)


class DayResultSchema(s.Serializer[Any]):
    outcome = s.ChoiceField(choices=("won", "stuck"))
    score = s.IntegerField()
    cards_left = s.IntegerField(min_value=0, max_value=28)


class DaySchema(s.Serializer[Any]):
    date = s.DateField()
    board = s.CharField(help_text="daily-YYYY-MM-DD")
    result = DayResultSchema(allow_null=True, help_text="null: not played")


class MonthSchema(s.Serializer[Any]):
    """The days of a month that have had their daily."""

    month = s.RegexField(r"^\d{4}-\d{2}$")
    previous = s.CharField(allow_null=True)
    next = s.CharField(allow_null=True)
    days = DaySchema(many=True)


class ScoreCountSchema(s.Serializer[Any]):
    score = s.IntegerField(help_text="Under cards_left: the cards left")
    won = s.IntegerField(min_value=0)
    stuck = s.IntegerField(min_value=0)


class ScoresSchema(s.Serializer[Any]):
    """Ranked results by scoring rule."""

    scoring = s.ChoiceField(choices=tuple(SCORING))
    played = s.IntegerField(min_value=1)
    won = s.IntegerField(min_value=0)
    counts = ScoreCountSchema(many=True)


class ProfileResultSchema(ResultSchema):
    id = s.CharField(help_text="The attempt")
    board = s.CharField(help_text="A game code, or daily-YYYY-MM-DD")
    competition = s.CharField(allow_null=True)
    code = s.CharField(allow_null=True, help_text="null while sealed")
    ruleset = s.CharField()
    ranked = s.BooleanField()
    standing = s.ChoiceField(
        choices=("counts", "held", "disqualified"), help_text="Only its owner sees a result that does not count"
    )
    number = s.IntegerField(min_value=1)
    public = s.BooleanField(help_text="Anyone may see its replay")


class RecordsSchema(s.Serializer[Any]):
    count = s.IntegerField(min_value=0)
    numbers = s.ListField(child=s.IntegerField(min_value=1, max_value=50_000), help_text="The first of them")


class ProfileSchema(s.Serializer[Any]):
    player = PlayerSchema()
    dailies = DailyCountsSchema()
    streak = StreakSchema()
    month = MonthSchema(allow_null=True, help_text="null before day one")
    scores = ScoresSchema(many=True)
    best_runs = ProfileResultSchema(many=True, help_text="The three best of each ruleset that scores runs")
    records = RecordsSchema()
    results = ProfileResultSchema(many=True, help_text="Newest first")
    next = s.CharField(allow_null=True, help_text="The cursor of the next page")
