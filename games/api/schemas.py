"""Shapes of bodies and answers, for the API description only: nothing is parsed or rendered by them."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiExample, OpenApiResponse, extend_schema_serializer
from rest_framework import serializers as s

OUTCOMES = ("won", "stuck", "resigned", "expired")
RESULT_OUTCOMES = ("won", "stuck")
PLAYER_KINDS = ("guest", "person", "bot")
CREDENTIAL_KINDS = ("cookie", "token")
SCOPES = ("read", "play")
KEY_PATTERN = r"^[A-Za-z0-9_-]{1,64}$"


def _one_of(*values: str, **options: Any) -> s.ChoiceField:
    return s.ChoiceField(choices=values, **options)


def _instant(**options: Any) -> s.DateTimeField:
    return s.DateTimeField(help_text="UTC, whole milliseconds", **options)


# --- errors --------------------------------------------------------------------------------------------------------


class ErrorBodySchema(s.Serializer[Any]):
    code = s.CharField(help_text="Stable; what programs look at")
    message = s.CharField(help_text="A sentence for people")
    data: Any = s.DictField(help_text="More about it, by code: `field`, `retry_after`, `attempt` and so on")


class ErrorSchema(s.Serializer[Any]):
    """The one error shape."""

    error = ErrorBodySchema()


def _error(description: str, *codes: str) -> OpenApiResponse:
    examples = [
        OpenApiExample(code, value={"error": {"code": code, "message": "…", "data": {}}}, response_only=True)
        for code in codes
    ]
    return OpenApiResponse(ErrorSchema, description=description, examples=examples)


BAD_REQUEST = _error("The request makes no sense", "malformed_json", "bad_field")
NOT_SIGNED_IN = _error("No credential, or one that has ended", "not_signed_in")
FORBIDDEN = _error("Known who asks, and they may not", "origin_refused", "scope_missing")
NOT_FOUND = _error("Unknown, or somebody else's: the same answer for both", "not_found")
CONFLICT = _error("Right in itself, but not in the present state", "stale_ply", "name_taken")
TOO_LARGE = _error("The body has more than 64 KiB", "too_large")
UNSUPPORTED = _error("The body is not application/json", "unsupported_media_type")
REFUSED = _error("The rules of the game refuse the move", "not_adjacent", "covered", "game_over")
THROTTLED = _error(
    "Too many; `data.limit` says of what, Retry-After and `data.retry_after` for how many seconds", "throttled"
)
UNAVAILABLE = _error("The database is away for a moment; repeat the same request", "unavailable")

READ_ERRORS: dict[int | str, Any] = {400: BAD_REQUEST, 404: NOT_FOUND, 429: THROTTLED, 503: UNAVAILABLE}
"""Of reading without a credential."""
ERRORS: dict[int | str, Any] = {
    **READ_ERRORS,
    401: NOT_SIGNED_IN,
    403: FORBIDDEN,
    409: CONFLICT,
    413: TOO_LARGE,
    415: UNSUPPORTED,
    422: REFUSED,
}
"""Of everything else."""


# --- players and credentials ---------------------------------------------------------------------------------------


class PlayerNameSchema(s.Serializer[Any]):
    id = s.CharField()
    name = s.CharField(allow_null=True, help_text="null: a guest, or an account since deleted or hidden")


class PlayerSchema(PlayerNameSchema):
    kind = _one_of(*PLAYER_KINDS)
    created_at = _instant()


class CredentialSchema(s.Serializer[Any]):
    id = s.CharField()
    kind = _one_of("session", "token")
    via = _one_of("cookie", "bearer")
    name = s.CharField(allow_blank=True)
    scopes = s.ListField(child=_one_of("read", "play", "manage"))
    player = PlayerNameSchema()
    created_at = _instant()
    last_used_at = _instant(allow_null=True)
    expires_at = _instant(allow_null=True)
    current = s.BooleanField(help_text="The one this request presented")


class AccountSchema(s.Serializer[Any]):
    player = PlayerSchema()
    credential = CredentialSchema()
    language = s.CharField(allow_null=True, help_text="Of the pages, such as fi; null: as each browser asks")


class AccountChangeSchema(s.Serializer[Any]):
    language = s.CharField(max_length=12, allow_blank=True, help_text="One of ours; empty: as each browser asks")


class FreeNameSchema(s.Serializer[Any]):
    name = s.CharField(help_text="As it would be shown")


class GuestRequestSchema(s.Serializer[Any]):
    credential = _one_of(*CREDENTIAL_KINDS, required=False, help_text="cookie (default) for pages, token for programs")


class SignedInSchema(s.Serializer[Any]):
    player = PlayerSchema()
    token = s.CharField(required=False, help_text="The secret, shown this once; not when it went into the cookie")


class LoggedInSchema(SignedInSchema):
    banned = s.BooleanField(required=False, help_text="true: the account is banned, and `banned_too` was asked for")


class ClaimRequestSchema(s.Serializer[Any]):
    name = s.CharField(min_length=2, max_length=100)
    password = s.CharField(min_length=8, max_length=200)


class ClaimedSchema(s.Serializer[Any]):
    player = PlayerSchema()
    recovery_codes = s.ListField(child=s.CharField(), help_text="One-time codes, shown this once")


class LoginRequestSchema(s.Serializer[Any]):
    name = s.CharField(max_length=100)
    password = s.CharField(max_length=200)
    credential = _one_of(*CREDENTIAL_KINDS, required=False, help_text="cookie (default) for pages, token for programs")
    banned_too = s.BooleanField(
        required=False,
        default=False,
        help_text="Also while banned: to read notices, appeal, export, delete the account",
    )


class PasswordRequestSchema(s.Serializer[Any]):
    old = s.CharField(max_length=200)
    new = s.CharField(min_length=8, max_length=200)


class PasswordSchema(s.Serializer[Any]):
    password = s.CharField(max_length=200)


class RecoveryCodesSchema(s.Serializer[Any]):
    recovery_codes = s.ListField(
        child=s.CharField(), help_text="One-time codes, shown this once; earlier ones are void"
    )


class RecoverRequestSchema(s.Serializer[Any]):
    name = s.CharField(max_length=100)
    recovery_code = s.CharField(max_length=64)
    new_password = s.CharField(min_length=8, max_length=200)


class RecoveredSchema(s.Serializer[Any]):
    player = PlayerSchema()
    recovery_codes_left = s.IntegerField(min_value=0)


class TokenRequestSchema(s.Serializer[Any]):
    name = s.CharField(max_length=60, help_text="For the list; says nothing to the server")
    scopes = s.ListField(child=_one_of(*SCOPES), min_length=1, required=False, help_text="Both by default")


class TokenSchema(s.Serializer[Any]):
    credential = CredentialSchema()
    token = s.CharField(help_text="The secret, shown this once")


class CredentialListSchema(s.Serializer[Any]):
    credentials = CredentialSchema(many=True)


class BotRequestSchema(s.Serializer[Any]):
    name = s.CharField(min_length=2, max_length=100)


class BotSchema(s.Serializer[Any]):
    player = PlayerSchema()


class BotListSchema(s.Serializer[Any]):
    bots = PlayerSchema(many=True)


class DoneSchema(s.Serializer[Any]):
    ok = s.BooleanField()


# --- attempts ------------------------------------------------------------------------------------------------------


class ViewSchema(s.Serializer[Any]):
    """What the player sees (R10)."""

    tableau = s.ListField(
        child=s.CharField(allow_null=True),
        min_length=28,
        max_length=28,
        help_text="By slot: a card face up, `??` face down, null removed",
    )
    open = s.ListField(child=s.IntegerField(min_value=0, max_value=27), help_text="Uncovered slots")
    waste = s.CharField(allow_null=True)
    waste_count = s.IntegerField(min_value=0)
    stock = s.IntegerField(min_value=0)


class ResultSchema(s.Serializer[Any]):
    outcome = _one_of(*RESULT_OUTCOMES)
    score = s.IntegerField()
    moves = s.IntegerField(min_value=0)
    peaks = s.IntegerField(min_value=0, max_value=3)
    cards_left = s.IntegerField(min_value=0, max_value=28)
    elapsed_ms = s.IntegerField(min_value=0)
    finished_at = _instant()


class AttemptSummarySchema(s.Serializer[Any]):
    id = s.CharField()
    code = s.CharField(allow_null=True, help_text="null while sealed")
    competition = s.CharField(allow_null=True)
    ruleset = s.CharField()
    ranked = s.BooleanField()
    number = s.IntegerField(min_value=1)
    ply = s.IntegerField(min_value=0)
    score = s.IntegerField()
    moves = s.IntegerField(min_value=0)
    peaks = s.IntegerField(min_value=0, max_value=3)
    cards_left = s.IntegerField(min_value=0, max_value=28)
    outcome = _one_of(*OUTCOMES, allow_null=True)
    closed = s.BooleanField(help_text="No further move can come")
    public = s.BooleanField(help_text="Anyone may see its replay")
    started_at = _instant()
    finished_at = _instant(allow_null=True)
    elapsed_ms = s.IntegerField(min_value=0)
    result = ResultSchema(allow_null=True)


class AttemptStateSchema(s.Serializer[Any]):
    id = s.CharField()
    code = s.CharField(allow_null=True, help_text="null while sealed")
    competition = s.CharField(allow_null=True)
    ruleset = s.CharField()
    ranked = s.BooleanField()
    number = s.IntegerField(min_value=1)
    ply = s.IntegerField(min_value=0)
    score = s.IntegerField()
    moves = s.IntegerField(min_value=0, help_text="Removes and draws ever made; undo does not lower it")
    run = s.IntegerField(min_value=0)
    peaks = s.IntegerField(min_value=0, max_value=3)
    cards_left = s.IntegerField(min_value=0, max_value=28)
    outcome = _one_of(*OUTCOMES, allow_null=True)
    closed = s.BooleanField(help_text="No further move can come")
    undo_allowed = s.BooleanField()
    started_at = _instant()
    finished_at = _instant(allow_null=True)
    deadline = _instant(allow_null=True)
    elapsed_ms = s.IntegerField(min_value=0)
    result = ResultSchema(allow_null=True)
    view = ViewSchema()
    legal = s.ListField(child=s.CharField(), help_text="Legal moves: t0–t27, d, u")


class AttemptSchema(s.Serializer[Any]):
    attempt = AttemptStateSchema()


class AttemptListSchema(s.Serializer[Any]):
    attempts = AttemptSummarySchema(many=True)
    next = s.CharField(allow_null=True, help_text="The cursor of the next page")


@extend_schema_serializer(
    examples=[
        OpenApiExample("by code", value={"key": "k1", "code": "TP1-E-AAAAAAB"}, request_only=True),
        OpenApiExample("by number", value={"key": "k2", "number": 17}, request_only=True),
        OpenApiExample("at random", value={"key": "k3", "random": "E"}, request_only=True),
    ]
)
class StartSchema(s.Serializer[Any]):
    """Exactly one of code, number and random."""

    key = s.RegexField(
        KEY_PATTERN, max_length=64, help_text="The client's choice; the same key brings the same attempt"
    )
    code = s.CharField(required=False, max_length=400)
    number = s.JSONField(required=False, help_text="1 to 50000, as a number or in digits")
    random = s.CharField(required=False, max_length=2, help_text="A ruleset; the deal is drawn at random")
    practice = s.BooleanField(required=False, default=False)


class MoveSchema(s.Serializer[Any]):
    move = s.CharField(max_length=8, help_text="t0–t27 remove that slot, d draw, u undo")
    expected_ply = s.IntegerField(min_value=0, max_value=2000, help_text="How many plies the client knows of")
    move_id = s.RegexField(KEY_PATTERN, max_length=64, help_text="Chosen by the client; a repeat gets the same answer")


class ResignSchema(s.Serializer[Any]):
    move_id = s.RegexField(KEY_PATTERN, max_length=64, required=False)


class MoveReplySchema(s.Serializer[Any]):
    attempt = AttemptStateSchema()
    move = s.CharField()
    ply = s.IntegerField(min_value=0, help_text="The length of the log now")
    move_id = s.CharField()


class PlySchema(s.Serializer[Any]):
    ply = s.IntegerField(min_value=0)
    move = s.CharField(allow_null=True)
    score = s.IntegerField()
    moves = s.IntegerField(min_value=0)
    run = s.IntegerField(min_value=0)
    peaks = s.IntegerField(min_value=0, max_value=3)
    legal = s.ListField(child=s.CharField())
    outcome = _one_of(*OUTCOMES, allow_null=True)
    view = ViewSchema()


class ReplayPlayerSchema(PlayerNameSchema):
    kind = _one_of(*PLAYER_KINDS)


class ReplaySchema(s.Serializer[Any]):
    attempt = AttemptSummarySchema()
    player = ReplayPlayerSchema()
    deal = s.CharField(allow_null=True, help_text="The 52 or 53 cards; null while sealed")
    log = s.CharField(allow_blank=True)
    plies = PlySchema(many=True)
