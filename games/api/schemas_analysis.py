"""Shapes of analyses and hints, for the API description only (see schemas.py)."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiExample, OpenApiResponse
from rest_framework import serializers as s

from .schemas import ERRORS, FORBIDDEN, NOT_SIGNED_IN, READ_ERRORS, RESULT_OUTCOMES, AttemptSummarySchema, ErrorSchema


def _error(description: str, *codes: str) -> OpenApiResponse:
    examples = [
        OpenApiExample(code, value={"error": {"code": code, "message": "…", "data": {}}}, response_only=True)
        for code in codes
    ]
    return OpenApiResponse(ErrorSchema, description=description, examples=examples)


_SOLVER_ERRORS: dict[int | str, Any] = {
    409: _error("Not in the present state", "finish_first", "hint_not_allowed"),
    503: _error("The solver or the database is busy; repeat the same request", "busy", "unavailable"),
}
ANALYSIS_ERRORS: dict[int | str, Any] = {**READ_ERRORS, 401: NOT_SIGNED_IN, 403: FORBIDDEN, **_SOLVER_ERRORS}
OPEN_ERRORS: dict[int | str, Any] = {**ERRORS, **_SOLVER_ERRORS}


class StillPossibleSchema(s.Serializer[Any]):
    """The best result by the ruleset's ranking rule that moves and draws can still reach from here."""

    outcome = s.ChoiceField(choices=RESULT_OUTCOMES)
    score = s.IntegerField()
    moves = s.IntegerField(min_value=0, help_text="Moves already made included")
    peaks = s.IntegerField(min_value=0, max_value=3)
    cards_left = s.IntegerField(min_value=0, max_value=28)


class CostSchema(s.Serializer[Any]):
    """What a move lost of the best result, in the first respect in which the ranking rule tells the two apart."""

    of = s.ChoiceField(choices=("win", "peaks", "cards", "points", "moves"))
    amount = s.IntegerField(allow_null=True, help_text="null where nothing can be counted")


class AnalysedPlySchema(s.Serializer[Any]):
    """The position after a ply; that before it is the entry before. Ply 0 is the opening."""

    ply = s.IntegerField(min_value=0)
    move = s.CharField(allow_null=True)
    winnable = s.BooleanField(help_text="A win is still possible, undo not counted on")
    fewest_draws = s.IntegerField(
        allow_null=True, min_value=0, help_text="Draws from here in a win with as few as can be"
    )
    best = StillPossibleSchema(allow_null=True, help_text="null only where the log has no room left to come to an end")
    best_score = s.IntegerField(allow_null=True, help_text="The best score by the scoring rule alone")
    kept = s.BooleanField(
        allow_null=True, help_text="The move kept the best result still possible; null for the opening and for undos"
    )
    lost_win = s.BooleanField(help_text="The win was possible before this move and not after it")
    cost = CostSchema(allow_null=True)
    undone = s.BooleanField(help_text="The move was taken back later")


class AnalysisSchema(s.Serializer[Any]):
    attempt = AttemptSummarySchema()
    plies = AnalysedPlySchema(many=True)
    lost_at = s.IntegerField(
        allow_null=True, help_text="The ply of the first move, not taken back, that threw the win away"
    )
    costly = s.ListField(child=s.IntegerField(), help_text="Plies of the moves that did not keep the best result")
    moves = s.IntegerField(min_value=0, help_text="Moves judged: removes and draws, undone ones included")
    kept = s.IntegerField(min_value=0, help_text="Those of them that kept the best result still possible")
    accuracy = s.FloatField(allow_null=True, min_value=0, max_value=1, help_text="kept / moves; null without moves")


class HintSchema(s.Serializer[Any]):
    move = s.CharField(allow_null=True, help_text="A best move; null when only an undo is left")
    ply = s.IntegerField(min_value=0, help_text="The ply the attempt stands at")
    winnable = s.BooleanField()


class WinnableSchema(s.Serializer[Any]):
    winnable = s.BooleanField(help_text="Undo not counted on")
    ply = s.IntegerField(min_value=0)
