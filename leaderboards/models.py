"""Rows of dailies, boards and their entries. No rank is ever stored (R8)."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q

from .moderation import models as moderation_models  # noqa: F401  (Django looks here for all rows of an app)


class Calendar(models.Model):
    """The one stored row that fixes daily numbers: day 1 and the official zone (R9.1)."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    day_one = models.DateField()
    zone = models.CharField(max_length=60)

    class Meta:
        constraints = [models.CheckConstraint(name="calendar_single_row", condition=Q(id=1))]

    def __str__(self) -> str:
        return f"day 1 is {self.day_one} in {self.zone}"


class DailyChallenge(models.Model):
    """The sealed deal of one official date. `code` and `deal` are secret until `final_at` (R7.8, R10.1)."""

    date = models.DateField(unique=True)
    number = models.PositiveIntegerField(unique=True)
    ruleset = models.CharField(max_length=2)
    code = models.CharField(max_length=60, unique=True)
    deal = models.ForeignKey("games.Deal", on_delete=models.PROTECT, related_name="+")
    commitment = models.CharField(max_length=64, unique=True)
    committed_at = models.DateTimeField()
    late = models.BooleanField()
    opens_at = models.DateTimeField()
    closes_at = models.DateTimeField()
    grace_ends_at = models.DateTimeField()
    final_at = models.DateTimeField()
    # From the exact solver, secret like the deal until final; empty for dailies prepared before there was one.
    difficulty = models.FloatField(null=True)  # share of simple play-outs that lose, 0 (easy) to 1
    best_score = models.SmallIntegerField(null=True)
    best_moves = models.PositiveSmallIntegerField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="daily_times_in_order",
                condition=Q(
                    opens_at__lt=F("closes_at"), closes_at__lte=F("grace_ends_at"), grace_ends_at__lt=F("final_at")
                ),
            ),
            models.CheckConstraint(name="daily_number_from_1", condition=Q(number__gte=1)),
        ]

    def __str__(self) -> str:
        return f"daily {self.number} of {self.date}"  # never the code: this text reaches logs and admin pages

    @property
    def key(self) -> str:
        """The competition key, also the name of its board: `daily-2026-11-29`."""
        return f"daily-{self.date.isoformat()}"


class Board(models.Model):
    """One ranked list: of a game code or a competition, of people or bots, best or first attempts (R8.1).

    `version` rises by one in every transaction that changes the list or its counters; `entries` counts active entries.
    """

    class Kind(models.TextChoices):
        PEOPLE = "people"
        BOTS = "bots"

    class View(models.TextChoices):
        BEST = "best"
        FIRST = "first"

    scope = models.CharField(max_length=60)
    kind = models.CharField(max_length=6, choices=Kind.choices)
    view = models.CharField(max_length=5, choices=View.choices)
    ranking = models.CharField(max_length=12)
    timed = models.BooleanField()
    version = models.BigIntegerField(default=0)
    entries = models.PositiveIntegerField(default=0)
    started = models.PositiveIntegerField(default=0)
    finished = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(name="board_once", fields=["scope", "kind", "view"])]

    def __str__(self) -> str:
        return f"{self.scope} {self.kind} {self.view}"


class Entry(models.Model):
    """A player's standing result on a board. `key` is engine.ranking.rank_key (smaller is better, below 2^53).

    Listed by (key, finished_ms, attempt id); equal keys share a rank (R8.4). The result is copied from the attempt: a
    first try without undo stands although the same attempt may better its own result with undo later (R3.3, R8.1).
    A removed entry stays as an inactive row with its removal's version, so that caches can follow by version alone.
    """

    board = models.ForeignKey(Board, on_delete=models.CASCADE, related_name="rows", db_index=False)
    player = models.ForeignKey("games.Player", on_delete=models.CASCADE, related_name="+")
    attempt = models.ForeignKey("games.Attempt", on_delete=models.CASCADE, related_name="+")
    key = models.BigIntegerField()
    finished_ms = models.BigIntegerField()
    outcome = models.CharField(max_length=5)
    score = models.SmallIntegerField()
    moves = models.PositiveSmallIntegerField()
    peaks = models.PositiveSmallIntegerField()
    cards_left = models.PositiveSmallIntegerField()
    elapsed_ms = models.BigIntegerField()
    version = models.BigIntegerField()
    active = models.BooleanField(default=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(name="entry_one_per_player", fields=["board", "player"]),
            models.CheckConstraint(name="entry_key_is_exact_in_a_double", condition=Q(key__gte=0, key__lt=2**53)),
        ]
        indexes = [
            models.Index(
                name="entry_total_order", fields=["board", "key", "finished_ms", "attempt"], condition=Q(active=True)
            ),
            models.Index(name="entry_changes", fields=["board", "version"]),
        ]

    def __str__(self) -> str:
        return f"entry {self.pk}"


class ScoreBucket(models.Model):
    """How many active entries of a board have key // width = `bucket`: exact ranks without counting the board."""

    board = models.ForeignKey(Board, on_delete=models.CASCADE, related_name="+", db_index=False)
    bucket = models.BigIntegerField()
    count = models.IntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(name="score_bucket_once", fields=["board", "bucket"], include=["count"]),
            models.CheckConstraint(name="score_bucket_not_negative", condition=Q(count__gte=0)),
        ]

    def __str__(self) -> str:
        return f"bucket {self.bucket} of board {self.board_id}"


class NumberedGame(models.Model):
    """What the exact solver says of numbered game 1–50,000 (R7.7); filled by `manage.py solve_numbered`."""

    number = models.PositiveIntegerField(primary_key=True)
    winnable = models.BooleanField()
    fewest_left = models.PositiveSmallIntegerField()  # 0 when winnable
    fewest_moves = models.PositiveSmallIntegerField()  # of a best result
    solver_version = models.PositiveSmallIntegerField()

    class Meta:
        constraints = [
            models.CheckConstraint(name="numbered_game_in_range", condition=Q(number__gte=1, number__lte=50_000)),
            models.CheckConstraint(
                name="numbered_game_winnable_iff_none_left",
                condition=Q(winnable=True, fewest_left=0) | Q(winnable=False, fewest_left__gte=1),
            ),
        ]

    def __str__(self) -> str:
        return f"numbered game {self.number}"


class RecordNews(models.Model):
    """What an attempt meant for the record of its board (R8.5). Written with its results, kept at its best.

    `at` is the date of the newest of them; `fewer_…` is by how much the best of them bettered the record it found.
    """

    class Kind(models.TextChoices):
        FIRST_WIN = "first_win"
        RECORD_BROKEN = "record_broken"
        BEST_SO_FAR = "best_so_far"
        NO_RECORD = "no_record"

    attempt = models.OneToOneField("games.Attempt", on_delete=models.CASCADE, related_name="+", primary_key=True)
    board = models.ForeignKey(Board, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=13, choices=Kind.choices)
    fewer_cards = models.SmallIntegerField(null=True)
    fewer_moves = models.SmallIntegerField(null=True)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.kind} by attempt {self.attempt_id}"
