"""The project's one signal."""

from django.dispatch import Signal

attempt_finished = Signal()
"""An attempt has a recorded result that may stand on a board: `attempt` (games.models.Attempt, locked), `now`.

Sent inside the transaction that records the result, so that the board entry commits with it: when a won or stuck
result is reached or bettered (R3.3), and once more for each earlier result when a guest becomes a person (R8.6).
Receivers must be idempotent: a repeat of the same result changes nothing (R8.4).
"""
