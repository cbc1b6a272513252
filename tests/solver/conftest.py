"""Hypothesis without deadlines: the machine is shared, and a slow moment is not a fault."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")
