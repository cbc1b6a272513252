"""Rows and their invariants. No behaviour: writes are in `games.services`, reads in `games.selectors`."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Func, Q
from django.db.models.lookups import In
from django.utils import timezone

from .ids import new_public_id

RESULT_FIELDS = ("outcome", "score", "moves", "peaks", "cards_left", "undos", "ply", "elapsed_ms", "at")
"""The `result_*` columns of an attempt."""


class PlayerManager(BaseUserManager["Player"]):
    """Makes accounts for `createsuperuser`; everything else goes through `games.services`."""

    def get_by_natural_key(self, username: str | None) -> Player:
        from .names import name_key

        return self.get(name_key=name_key(username or ""), deleted_at=None)

    def create_superuser(self, name: str, password: str | None = None, **extra: Any) -> Player:
        from .services import person_create

        return person_create(
            name=name, password=password or "", now=timezone.now(), is_staff=True, is_superuser=True, **extra
        )


class Player(AbstractBaseUser, PermissionsMixin):
    """Somebody who plays: a guest, a person with an account, or a bot that belongs to a person (R8.6)."""

    class Kind(models.TextChoices):
        GUEST = "guest"
        PERSON = "person"
        BOT = "bot"

    public_id = models.CharField(max_length=16, unique=True, default=new_public_id, editable=False)
    kind = models.CharField(max_length=6, choices=Kind.choices, default=Kind.GUEST)
    name = models.CharField(max_length=24, unique=True, null=True, blank=True)
    name_key = models.CharField(max_length=96, unique=True, null=True, editable=False)  # noqa: DJ001
    owner = models.ForeignKey("self", on_delete=models.PROTECT, null=True, blank=True, related_name="bots")
    language = models.CharField(max_length=12, blank=True, default="")
    created_at = models.DateTimeField(default=timezone.now)
    banned_at = models.DateTimeField(null=True, blank=True)
    banned_until = models.DateTimeField(null=True, blank=True)
    ban_reason = models.TextField(blank=True, default="")
    deleted_at = models.DateTimeField(null=True, blank=True)
    is_staff = models.BooleanField(default=False)
    is_active = models.BooleanField(default=True)

    USERNAME_FIELD = "name"
    REQUIRED_FIELDS: ClassVar[list[str]] = []
    objects = PlayerManager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="player_name_unless_guest_or_deleted",
                condition=Q(kind="guest", name=None, name_key=None)
                | Q(deleted_at__isnull=False, name=None, name_key=None)
                | Q(kind__in=["person", "bot"], deleted_at=None, name__isnull=False, name_key__isnull=False),
            ),
            models.CheckConstraint(
                name="player_bot_has_owner",
                condition=Q(kind="bot", owner__isnull=False) | (~Q(kind="bot") & Q(owner=None)),
            ),
            models.CheckConstraint(
                name="player_ban_until_after_ban",
                condition=Q(banned_until=None) | Q(banned_at__isnull=False, banned_until__gt=F("banned_at")),
            ),
        ]

    def __str__(self) -> str:
        return self.name or f"{self.kind} {self.public_id}"


class Credential(models.Model):
    """One signed-in browser or one token. The secret is never stored, only its SHA-256."""

    class Kind(models.TextChoices):
        SESSION = "session"  # may manage the account
        TOKEN = "token"  # may only what its scopes say

    class Via(models.TextChoices):
        COOKIE = "cookie"
        BEARER = "bearer"

    public_id = models.CharField(max_length=16, unique=True, default=new_public_id, editable=False)
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="credentials")
    token_hash = models.BinaryField(max_length=32, unique=True)
    kind = models.CharField(max_length=7, choices=Kind.choices)
    via = models.CharField(max_length=6, choices=Via.choices)
    name = models.CharField(max_length=60, blank=True, default="")
    scopes = ArrayField(models.CharField(max_length=10))
    created_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True)
    expires_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="credential_token_is_bearer", condition=Q(kind="session") | Q(kind="token", via="bearer")
            ),
            models.CheckConstraint(
                name="credential_scopes_known", condition=Q(scopes__contained_by=["read", "play", "manage"])
            ),
            models.CheckConstraint(
                name="credential_token_never_manages", condition=Q(kind="session") | ~Q(scopes__contains=["manage"])
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.public_id}"


class RecoveryCode(models.Model):
    """A one-time code that sets a new password; no e-mail needed. Only its SHA-256 is kept."""

    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="recovery_codes")
    code_hash = models.BinaryField(max_length=32)
    used_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(name="recovery_code_once", fields=["player", "code_hash"])]

    def __str__(self) -> str:
        return f"recovery code {self.pk}"


class Deal(models.Model):
    """One ordered list of cards, whatever codes or rulesets lead to it (R7.1, R8.1). One byte a card, 0–52."""

    cards = models.BinaryField(max_length=53, unique=True)
    created_at = models.DateTimeField(default=timezone.now)
    sealed_until = models.DateTimeField(null=True)  # dealt for a competition: nobody starts it otherwise before then

    class Meta:
        indexes = [
            models.Index(name="deal_sealed", fields=["sealed_until"], condition=Q(sealed_until__isnull=False)),
        ]
        constraints = [
            models.CheckConstraint(
                name="deal_is_52_or_53_cards",
                condition=In(Func(F("cards"), function="octet_length", output_field=models.IntegerField()), [52, 53]),
            ),
        ]

    def __str__(self) -> str:
        return f"deal {self.pk}"  # never the cards: this text reaches logs and admin pages (R10.1)


class Attempt(models.Model):
    """One player's play of one deal. Its competition is known only by key, deadline, undo_allowed and sealed_until.

    `outcome` is that of the standing line; `result_*` is the best won or stuck result the attempt has recorded, which
    stands through a later undo, resignation or expiry (R3.3). `closed_at` is set once no further move can come.
    """

    class Outcome(models.TextChoices):
        WON = "won"
        STUCK = "stuck"
        RESIGNED = "resigned"
        EXPIRED = "expired"

    public_id = models.CharField(max_length=16, unique=True, default=new_public_id, editable=False)
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="attempts")
    deal = models.ForeignKey(Deal, on_delete=models.PROTECT, related_name="attempts")
    code = models.CharField(max_length=60)  # secret while sealed: leave only through selectors.shown_code
    ruleset = models.CharField(max_length=2)
    competition_key = models.CharField(max_length=40, null=True)  # noqa: DJ001  (NULL: not part of a competition)
    deadline = models.DateTimeField(null=True)
    sealed_until = models.DateTimeField(null=True)
    undo_allowed = models.BooleanField()
    ranked = models.BooleanField()
    number = models.PositiveIntegerField()
    start_key = models.CharField(max_length=64)
    engine_version = models.PositiveSmallIntegerField()
    deal_version = models.PositiveSmallIntegerField()
    ruleset_version = models.PositiveSmallIntegerField()
    scoring_version = models.PositiveSmallIntegerField()
    started_at = models.DateTimeField()
    last_move_at = models.DateTimeField()
    ply = models.PositiveSmallIntegerField(default=0)
    score = models.SmallIntegerField()
    moves = models.PositiveSmallIntegerField(default=0)
    run = models.PositiveSmallIntegerField(default=0)
    peaks = models.PositiveSmallIntegerField(default=0)
    cards_left = models.PositiveSmallIntegerField(default=28)
    undos = models.PositiveSmallIntegerField(default=0)
    outcome = models.CharField(max_length=8, choices=Outcome.choices, null=True)  # noqa: DJ001  (NULL: running)
    finished_at = models.DateTimeField(null=True)
    closed_at = models.DateTimeField(null=True)
    result_outcome = models.CharField(max_length=5, null=True)  # noqa: DJ001
    result_score = models.SmallIntegerField(null=True)
    result_moves = models.PositiveSmallIntegerField(null=True)
    result_peaks = models.PositiveSmallIntegerField(null=True)
    result_cards_left = models.PositiveSmallIntegerField(null=True)
    result_undos = models.PositiveSmallIntegerField(null=True)
    result_ply = models.PositiveSmallIntegerField(null=True)
    result_elapsed_ms = models.BigIntegerField(null=True)
    result_at = models.DateTimeField(null=True)
    compacted = models.BooleanField(default=False, db_default=False)  # its log is a CompactLog

    RESULT_FIELDS = RESULT_FIELDS

    class Meta:
        constraints = [
            models.UniqueConstraint(name="attempt_start_key_once", fields=["player", "start_key"]),
            models.UniqueConstraint(
                name="attempt_one_per_competition",
                fields=["player", "competition_key"],
                condition=Q(competition_key__isnull=False),
            ),
            models.UniqueConstraint(name="attempt_number_once", fields=["player", "deal", "number"]),
            models.CheckConstraint(
                name="attempt_finished_iff_finished_at",
                condition=Q(outcome=None, finished_at=None) | Q(outcome__isnull=False, finished_at__isnull=False),
            ),
            models.CheckConstraint(
                name="attempt_closed_is_finished", condition=Q(closed_at=None) | Q(outcome__isnull=False)
            ),
            models.CheckConstraint(
                name="attempt_final_outcomes_are_closed",
                condition=Q(outcome=None) | Q(outcome="stuck") | Q(closed_at__isnull=False),
            ),
            models.CheckConstraint(
                name="attempt_result_whole_or_none",
                condition=Q(**{f"result_{field}": None for field in RESULT_FIELDS})
                | Q(**{f"result_{field}__isnull": False for field in RESULT_FIELDS}),
            ),
            models.CheckConstraint(
                name="attempt_result_won_or_stuck",
                condition=Q(result_outcome=None) | Q(result_outcome__in=["won", "stuck"]),
            ),
            models.CheckConstraint(
                name="attempt_won_or_stuck_has_result",
                condition=Q(outcome=None) | ~Q(outcome__in=["won", "stuck"]) | Q(result_outcome__isnull=False),
            ),
            models.CheckConstraint(name="attempt_log_at_most_2000", condition=Q(ply__lte=2000, moves__lte=F("ply"))),
        ]
        indexes = [
            models.Index(name="attempt_own_list", fields=["player", "-id"]),
            models.Index(
                name="attempt_open_with_deadline",
                fields=["deadline"],
                condition=Q(outcome=None, deadline__isnull=False),
            ),
            # Not by last_move_at, which is the same then: an index on what each move changes costs each move an entry
            # in every index of the table (no HOT update).
            models.Index(
                name="attempt_stuck_idle", fields=["finished_at"], condition=Q(outcome="stuck", closed_at=None)
            ),
            models.Index(
                name="attempt_to_compact",
                fields=["closed_at", "id"],
                condition=Q(compacted=False, closed_at__isnull=False),
            ),
            models.Index(
                name="attempt_results_of_deal", fields=["deal", "result_at"], condition=Q(result_at__isnull=False)
            ),
        ]

    def __str__(self) -> str:
        return f"attempt {self.public_id}"


class Move(models.Model):
    """One accepted ply of a log, `move` as in games.engine.moves; the time is the server's."""

    pk = models.CompositePrimaryKey("attempt_id", "ply")
    attempt = models.ForeignKey(Attempt, on_delete=models.CASCADE, related_name="log", db_index=False)
    ply = models.PositiveSmallIntegerField()
    move = models.PositiveSmallIntegerField()
    move_id = models.CharField(max_length=64)
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(name="move_id_once", fields=["attempt", "move_id"]),
            models.CheckConstraint(name="move_known", condition=Q(move__lte=29)),
            models.CheckConstraint(name="move_ply_from_1", condition=Q(ply__gte=1, ply__lte=2000)),
        ]

    def __str__(self) -> str:
        return f"ply {self.ply}"


class CompactLog(models.Model):
    """The whole log of an attempt closed long ago, in the place of its `Move` rows (games.compact)."""

    attempt = models.OneToOneField(Attempt, on_delete=models.CASCADE, related_name="+", primary_key=True)
    packed = models.BinaryField()

    def __str__(self) -> str:
        return f"log of attempt {self.attempt_id}"


class DealExposure(models.Model):
    """A player has asked for a hint at, or an analysis of, a list of cards: later attempts at it are practice (R8.1)."""

    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="+")
    deal = models.ForeignKey(Deal, on_delete=models.CASCADE, related_name="+")
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(name="deal_exposure_once", fields=["player", "deal"])]

    def __str__(self) -> str:
        return f"deal {self.deal_id} is known to player {self.player_id}"


class AttemptClient(models.Model):
    """Where an attempt's moves came from: evidence for fair play, kept settings.EVIDENCE_DAYS, in no public view.

    One row for each combination; `first_ply` is the ply that the first request of it asked for (0: the start). The
    address itself is not kept: `network` is a keyed hash of its prefix (/24, or /48 of IPv6). `player` is the attempt's
    and the credential's: the two indexes that begin with player and network go from one to the other without the rows.
    """

    class Client(models.TextChoices):
        PAGE_SOCKET = "page_socket"  # a cookie, so a browser
        PAGE_REST = "page_rest"
        PROGRAM_SOCKET = "program_socket"  # a bearer token or session
        PROGRAM_REST = "program_rest"

    attempt = models.ForeignKey(Attempt, on_delete=models.CASCADE, related_name="clients", db_index=False)
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="+", db_index=False)
    credential = models.ForeignKey(Credential, on_delete=models.CASCADE, related_name="+", db_index=False)
    client = models.CharField(max_length=14, choices=Client.choices)
    network = models.BinaryField(max_length=16)
    first_ply = models.PositiveSmallIntegerField()
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(name="attempt_client_once", fields=["attempt", "credential", "client", "network"]),
        ]
        indexes = [
            models.Index(name="attempt_client_of_player", fields=["player", "network", "at"]),
            models.Index(name="attempt_client_of_network", fields=["network", "player", "at"]),
            models.Index(name="attempt_client_age", fields=["at"]),
        ]

    def __str__(self) -> str:
        return f"client of attempt {self.attempt_id}"


class SharedBrowser(models.Model):
    """Two players have used one browser: evidence for fair play, kept settings.EVIDENCE_DAYS, in no public view.

    Known from nothing but the session in the cookie that the other's new session replaced. `at` is the latest time, so
    that a pair goes when it is old, and `first_at` the earliest, so that an attempt is judged by what was known then.
    """

    first = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="+", db_index=False)
    second = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="+", db_index=False)
    first_at = models.DateTimeField()
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(name="shared_browser_once", fields=["first", "second"]),
            models.CheckConstraint(name="shared_browser_in_one_order", condition=Q(first__lt=F("second"))),
        ]
        indexes = [
            models.Index(name="shared_browser_of_second", fields=["second"]),
            models.Index(name="shared_browser_age", fields=["at"]),
        ]

    def __str__(self) -> str:
        return f"one browser of players {self.first_id} and {self.second_id}"
