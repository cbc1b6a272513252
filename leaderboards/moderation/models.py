"""Rows of fair play: what was judged, what moderators did, what players reported, were told and answered."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import F, Q

from games.ids import new_public_id

LINKING = Q(signals__contains=[{"group": "account"}]) & ~Q(signals__contains=[{"forgotten": True}])
"""Judgements whose signals may name another account of the same network: see `moderation.retention`."""


class Judgement(models.Model):
    """What the signals of one version said of an attempt as it stood at `ply`: one row an end and version."""

    class Verdict(models.TextChoices):
        NOTHING = "nothing"
        FLAG = "flag"  # a moderator looks; the result stands
        HOLD = "hold"  # off the standings until a moderator has looked

    attempt = models.ForeignKey("games.Attempt", on_delete=models.CASCADE, related_name="+", db_index=False)
    ply = models.PositiveSmallIntegerField()
    version = models.PositiveSmallIntegerField()
    verdict = models.CharField(max_length=7, choices=Verdict.choices)
    points = models.PositiveSmallIntegerField()  # of evidence, in decibans: 30 is a thousand to one
    signals = models.JSONField()  # a list of signals.Signal.as_json()
    knowledge = ArrayField(models.FloatField(), default=list)  # foreknowledge of this attempt alone, for careers
    judged_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(name="judgement_once", fields=["attempt", "ply", "version"])]
        indexes = [
            models.Index(name="judgement_by_time", fields=["judged_at"]),
            models.Index(name="judgement_linking", fields=["judged_at"], condition=LINKING),
            GinIndex(
                name="judgement_naming",
                fields=["signals"],
                opclasses=["jsonb_path_ops"],
                condition=LINKING,
                fastupdate=False,  # what waits for a vacuum would be looked through by every deletion
            ),
        ]

    def __str__(self) -> str:
        return f"judgement {self.version} of attempt {self.attempt_id} at ply {self.ply}"


class Exclusion(models.Model):
    """An attempt that does not count: held until somebody has looked, or disqualified. No row: it counts."""

    class Kind(models.TextChoices):
        HELD = "held"
        DISQUALIFIED = "disqualified"

    attempt = models.OneToOneField("games.Attempt", on_delete=models.CASCADE, related_name="+", primary_key=True)
    kind = models.CharField(max_length=12, choices=Kind.choices)
    since = models.DateTimeField()

    def __str__(self) -> str:
        return f"attempt {self.attempt_id} is {self.kind}"


class HiddenPlayer(models.Model):
    """A player who is on no board and whose profile others do not find."""

    player = models.OneToOneField("games.Player", on_delete=models.CASCADE, related_name="+", primary_key=True)
    since = models.DateTimeField()

    def __str__(self) -> str:
        return f"player {self.player_id} is hidden"


class MergedAccount(models.Model):
    """A second account of the same person: its results count as those of `main`, which is never merged itself."""

    second = models.OneToOneField("games.Player", on_delete=models.CASCADE, related_name="+", primary_key=True)
    main = models.ForeignKey("games.Player", on_delete=models.CASCADE, related_name="+")
    since = models.DateTimeField()

    class Meta:
        constraints = [models.CheckConstraint(name="merged_with_another", condition=~Q(second=F("main")))]

    def __str__(self) -> str:
        return f"player {self.second_id} counts as player {self.main_id}"


class Case(models.Model):
    """Something for a moderator to look at: an attempt that was flagged, held or reported, or a reported player."""

    public_id = models.CharField(max_length=16, unique=True, default=new_public_id, editable=False)
    player = models.ForeignKey("games.Player", on_delete=models.CASCADE, related_name="+")
    attempt = models.ForeignKey("games.Attempt", on_delete=models.CASCADE, related_name="+", null=True, db_index=False)
    severity = models.PositiveSmallIntegerField()  # points of evidence, and 5 for each reporter
    reasons = ArrayField(models.CharField(max_length=20))  # names of signals, and "report", "appeal"
    reports = models.PositiveIntegerField(default=0)
    opened_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                name="case_one_per_attempt", fields=["attempt"], condition=Q(attempt__isnull=False)
            ),
            models.UniqueConstraint(name="case_one_per_player", fields=["player"], condition=Q(attempt=None)),
        ]
        indexes = [
            models.Index(name="case_queue", fields=["-severity", "opened_at"], condition=Q(closed_at=None)),
        ]

    def __str__(self) -> str:
        return f"case {self.public_id}"


class ModeratorAction(models.Model):
    """Who did what to whom, when and why, with the state before and after. Rows are only ever added.

    `before` and `after` hold what the action changed, by the name of the row kind: see `moderation.actions`.
    """

    class Kind(models.TextChoices):
        CLEAR = "clear"
        HOLD = "hold"
        DISQUALIFY = "disqualify"
        REINSTATE = "reinstate"
        WARN = "warn"
        BAN = "ban"
        UNBAN = "unban"
        HIDE = "hide"
        SHOW = "show"
        MERGE = "merge"
        SEPARATE = "separate"
        REVERT = "revert"
        ANSWER = "answer"  # to an appeal
        DISMISS = "dismiss"  # a case, and nothing else

    class ReasonClass(models.TextChoices):
        SPEED = "speed", "moves at a machine's speed or rhythm"
        COPIED = "copied", "a copied line"
        HIDDEN_CARDS = "hidden_cards", "knowledge of hidden cards"
        ACCOUNTS = "accounts", "more than one account"
        NAME = "name", "the name"
        CONDUCT = "conduct", "conduct"
        MISTAKE = "mistake", "a mistake of ours"
        OTHER = "other", "another reason"

    public_id = models.CharField(max_length=16, unique=True, default=new_public_id, editable=False)
    at = models.DateTimeField()
    moderator = models.ForeignKey("games.Player", on_delete=models.PROTECT, related_name="+", null=True)  # null: judge
    kind = models.CharField(max_length=10, choices=Kind.choices)
    reason_class = models.CharField(max_length=12, choices=ReasonClass.choices)
    reason = models.TextField()
    player = models.ForeignKey("games.Player", on_delete=models.PROTECT, related_name="+")
    attempt = models.ForeignKey("games.Attempt", on_delete=models.SET_NULL, related_name="+", null=True)
    before = models.JSONField()
    after = models.JSONField()
    reverts = models.OneToOneField("self", on_delete=models.PROTECT, related_name="reverted_by", null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(name="action_has_a_reason", condition=~Q(reason="")),
            models.CheckConstraint(
                name="action_reverts_iff_revert",
                condition=Q(kind="revert", reverts__isnull=False) | (~Q(kind="revert") & Q(reverts=None)),
            ),
        ]
        indexes = [
            models.Index(name="action_by_time", fields=["-at"]),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.public_id}"


class Report(models.Model):
    """A player's word that an attempt, or a player, is not fair. One for each reporter and subject."""

    class ReasonClass(models.TextChoices):
        CHEATING = "cheating"
        ACCOUNTS = "accounts"
        NAME = "name"
        OTHER = "other"

    reporter = models.ForeignKey("games.Player", on_delete=models.CASCADE, related_name="+")
    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="+")
    reason_class = models.CharField(max_length=8, choices=ReasonClass.choices)
    text = models.CharField(max_length=1000, blank=True, default="")
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(name="report_once", fields=["reporter", "case"])]

    def __str__(self) -> str:
        return f"report {self.pk}"


class Notice(models.Model):
    """What a player is told about a decision. Words are made from `kind` and `reason_class` when it is read."""

    class Kind(models.TextChoices):
        UNDER_REVIEW = "under_review"
        CLEARED = "cleared"
        DISQUALIFIED = "disqualified"
        REINSTATED = "reinstated"
        WARNED = "warned"
        BANNED = "banned"
        UNBANNED = "unbanned"
        HIDDEN = "hidden"
        SHOWN = "shown"
        MERGED = "merged"
        SEPARATED = "separated"
        ANSWERED = "answered"

    public_id = models.CharField(max_length=16, unique=True, default=new_public_id, editable=False)
    player = models.ForeignKey("games.Player", on_delete=models.CASCADE, related_name="+")
    action = models.ForeignKey(ModeratorAction, on_delete=models.PROTECT, related_name="+")
    kind = models.CharField(max_length=12, choices=Kind.choices)
    reason_class = models.CharField(max_length=12, choices=ModeratorAction.ReasonClass.choices)
    attempt = models.ForeignKey("games.Attempt", on_delete=models.SET_NULL, related_name="+", null=True)
    words = models.TextField(blank=True, default="")  # of the moderator to the player, if any
    at = models.DateTimeField()
    read_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"notice {self.public_id}"


class Appeal(models.Model):
    """A player's answer to a notice, and what became of it. Not judged by whoever made the decision."""

    class State(models.TextChoices):
        OPEN = "open"
        ACCEPTED = "accepted"
        REFUSED = "refused"

    notice = models.OneToOneField(Notice, on_delete=models.CASCADE, related_name="appeal", primary_key=True)
    text = models.CharField(max_length=2000)
    at = models.DateTimeField()
    state = models.CharField(max_length=8, choices=State.choices, default=State.OPEN)
    answer = models.TextField(blank=True, default="")
    answered_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="appeal_answered_iff_not_open",
                condition=Q(state="open", answered_at=None) | (~Q(state="open") & Q(answered_at__isnull=False)),
            ),
        ]

    def __str__(self) -> str:
        return f"appeal of notice {self.notice_id}"


class GoneTotals(models.Model):
    """What had been counted of deleted accounts, in sums by the day it happened: everybody's totals never shrink."""

    day = models.DateField(primary_key=True)
    checked = models.PositiveIntegerField(default=0)
    flagged = models.PositiveIntegerField(default=0)
    held = models.PositiveIntegerField(default=0)
    disqualified = models.PositiveIntegerField(default=0)
    appeals = models.PositiveIntegerField(default=0)

    def __str__(self) -> str:
        return f"gone of {self.day}"
