"""The project's one signal."""

from django.dispatch import Signal

attempt_finished = Signal()
"""An attempt has ended or bettered its result: `attempt` (games.models.Attempt, row locked), `now`.

Sent inside the transaction that writes it, so that a board entry commits with the result: when an attempt is won or
stuck, when it is resigned or has expired (the recorded result, if any, stands: R3.3), and once more for each earlier
result when a guest becomes a person (R8.6). Receivers read `attempt.result_*`, which may be empty, and must be
idempotent: a repeat of the same result changes nothing (R8.4).
"""
