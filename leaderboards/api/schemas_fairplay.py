"""Shapes of the player's side of fair play, for the API description only."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers as s

from games.api.schemas import AttemptSummarySchema, PlayerNameSchema

REPORT_REASONS = ("cheating", "accounts", "name", "other")
NOTICE_KINDS = (
    "under_review",
    "cleared",
    "disqualified",
    "reinstated",
    "warned",
    "banned",
    "unbanned",
    "hidden",
    "shown",
    "merged",
    "separated",
    "answered",
)
NOTICE_REASONS = ("speed", "copied", "hidden_cards", "accounts", "name", "conduct", "mistake", "other")
ACTION_KINDS = (
    "clear",
    "hold",
    "disqualify",
    "reinstate",
    "warn",
    "ban",
    "unban",
    "hide",
    "show",
    "merge",
    "separate",
    "revert",
    "answer",
    "dismiss",
)
APPEAL_STATES = ("open", "accepted", "refused")
VERDICTS = ("nothing", "flag", "hold")
CLIENTS = ("page_socket", "page_rest", "program_socket", "program_rest")


def _instant(**options: Any) -> s.DateTimeField:
    return s.DateTimeField(help_text="UTC, whole milliseconds", **options)


class ReportRequestSchema(s.Serializer[Any]):
    """Exactly one of attempt and player."""

    attempt = s.CharField(required=False, max_length=64, help_text="An attempt whose replay one can see")
    player = s.CharField(required=False, max_length=64, help_text="A player whose page one can see")
    reason = s.ChoiceField(choices=REPORT_REASONS)
    text = s.CharField(required=False, allow_blank=True, max_length=1000)


class ReportBodySchema(s.Serializer[Any]):
    attempt = s.CharField(allow_null=True)
    player = s.CharField(allow_null=True)
    reason = s.ChoiceField(choices=REPORT_REASONS)
    text = s.CharField(allow_blank=True)
    at = _instant()


class ReportedSchema(s.Serializer[Any]):
    report = ReportBodySchema()


class AppealSchema(s.Serializer[Any]):
    text = s.CharField()
    at = _instant()
    state = s.ChoiceField(choices=APPEAL_STATES)
    answer = s.CharField(allow_blank=True, help_text="The moderators' words; empty while open")
    answered_at = _instant(allow_null=True)


class NoticeSchema(s.Serializer[Any]):
    id = s.CharField()
    kind = s.ChoiceField(choices=NOTICE_KINDS)
    reason_class = s.ChoiceField(choices=NOTICE_REASONS)
    player = PlayerNameSchema(help_text="Oneself, or one's bot")
    attempt = s.CharField(allow_null=True, help_text="The attempt that it is about; null: the account")
    words = s.CharField(allow_blank=True, help_text="Of the moderators, if any")
    until = _instant(allow_null=True)
    at = _instant()
    read = s.BooleanField()
    taken_back = s.BooleanField(help_text="The decision stands no more")
    appealable = s.BooleanField()
    appeal = AppealSchema(allow_null=True)


class NoticeListSchema(s.Serializer[Any]):
    notices = NoticeSchema(many=True)
    unread = s.IntegerField(min_value=0, help_text="Of all, not of this page")
    next = s.CharField(allow_null=True, help_text="The cursor of the next page")


class NoticesReadSchema(s.Serializer[Any]):
    newest = s.CharField(max_length=64, help_text="The id of the newest notice that was seen")


class ReadSchema(s.Serializer[Any]):
    marked = s.IntegerField(min_value=0)


class AppealRequestSchema(s.Serializer[Any]):
    text = s.CharField(max_length=2000)


class AppealedSchema(s.Serializer[Any]):
    appeal = AppealSchema()


# --- one's data ----------------------------------------------------------------------------------------------------


class ExportAccountSchema(PlayerNameSchema):
    kind = s.ChoiceField(choices=("guest", "person", "bot"))
    language = s.CharField(allow_null=True)
    created_at = _instant()
    last_login = _instant(allow_null=True)
    password = s.BooleanField(help_text="Whether there is one; only its salted hash is kept")
    recovery_codes_left = s.IntegerField(min_value=0)
    banned_at = _instant(allow_null=True)
    banned_until = _instant(allow_null=True)


class ExportCredentialSchema(s.Serializer[Any]):
    id = s.CharField()
    player = s.CharField()
    kind = s.ChoiceField(choices=("session", "token"))
    via = s.ChoiceField(choices=("cookie", "bearer"))
    name = s.CharField(allow_blank=True)
    scopes = s.ListField(child=s.ChoiceField(choices=("read", "play", "manage")))
    created_at = _instant()
    last_used_at = _instant(allow_null=True)
    expires_at = _instant(allow_null=True)
    revoked_at = _instant(allow_null=True)


class ExportSharedBrowserSchema(s.Serializer[Any]):
    player = s.CharField(help_text="Of yours; the other account is not named")
    first_at = _instant()
    at = _instant()


class ExportClientSchema(s.Serializer[Any]):
    client = s.ChoiceField(choices=CLIENTS)
    credential = s.CharField()
    network = s.CharField(help_text="A label: the same one is the same part of the network, and says no more")
    first_ply = s.IntegerField(min_value=0)
    at = _instant()


class ExportJudgementSchema(s.Serializer[Any]):
    verdict = s.ChoiceField(choices=VERDICTS)
    at = _instant()


class ExportAttemptSchema(AttemptSummarySchema):
    player = s.CharField()
    log = s.CharField(allow_blank=True)
    times_ms = s.ListField(child=s.IntegerField(min_value=0), help_text="Of each ply, since the start")
    clients = ExportClientSchema(many=True)
    judgements = ExportJudgementSchema(many=True)


class ExportExposureSchema(s.Serializer[Any]):
    player = s.CharField()
    attempt = s.CharField(allow_null=True, help_text="An attempt at those cards")
    at = _instant()


class ExportEntrySchema(s.Serializer[Any]):
    player = s.CharField()
    board = s.CharField()
    kind = s.ChoiceField(choices=("people", "bots"))
    view = s.ChoiceField(choices=("best", "first"))
    attempt = s.CharField()
    active = s.BooleanField()


class ExportNoticeSchema(NoticeSchema):
    read_at = _instant(allow_null=True)


class ExportCaseSchema(s.Serializer[Any]):
    player = s.CharField()
    attempt = s.CharField(allow_null=True, help_text="null: it is about the player")
    reasons = s.ListField(child=s.CharField(), help_text="Names of signals, report, appeal")
    opened_at = _instant()
    closed_at = _instant(allow_null=True)


class ExportActionSchema(s.Serializer[Any]):
    id = s.CharField()
    player = s.CharField()
    attempt = s.CharField(allow_null=True)
    kind = s.ChoiceField(choices=ACTION_KINDS)
    reason_class = s.ChoiceField(choices=NOTICE_REASONS)
    words = s.CharField(allow_blank=True, help_text="What the player was told with it, if anything")
    takes_back = s.CharField(allow_null=True, help_text="The id of the action that this one takes back")
    at = _instant()


class ExportReportSchema(s.Serializer[Any]):
    player = s.CharField()
    attempt = s.CharField(allow_null=True)
    reason = s.ChoiceField(choices=REPORT_REASONS)
    text = s.CharField(allow_blank=True)
    at = _instant()


class ExportSchema(s.Serializer[Any]):
    exported_at = _instant()
    account = ExportAccountSchema()
    bots = ExportAccountSchema(many=True)
    credentials = ExportCredentialSchema(many=True)
    shared_browsers = ExportSharedBrowserSchema(
        many=True, help_text="Another account signed in where the player's still was, or the other way round"
    )
    attempts = ExportAttemptSchema(many=True)
    deals_known = ExportExposureSchema(many=True, help_text="Cards at which hints or analyses were asked for")
    entries = ExportEntrySchema(many=True)
    notices = ExportNoticeSchema(many=True)
    cases = ExportCaseSchema(many=True, help_text="What moderators were asked to look at")
    actions = ExportActionSchema(many=True, help_text="What was decided, by moderators or the server")
    reports = ExportReportSchema(many=True, help_text="Made by the player")


# --- totals --------------------------------------------------------------------------------------------------------


class CountsSchema(s.Serializer[Any]):
    checked = s.IntegerField(min_value=0, help_text="Attempts judged")
    flagged = s.IntegerField(
        min_value=0, help_text="Attempts that a moderator was asked to look at: by signals, reports or appeals"
    )
    held = s.IntegerField(min_value=0, help_text="Attempts kept off the boards until somebody had looked")
    disqualified = s.IntegerField(min_value=0, help_text="Attempts, by moderators only")
    reversed = s.IntegerField(min_value=0, help_text="Decisions taken back")
    appeals = s.IntegerField(min_value=0)


class TotalsSchema(s.Serializer[Any]):
    month = CountsSchema(help_text="Of the last 30 days")
    all = CountsSchema()
    counted_at = _instant()
