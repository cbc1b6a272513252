"""Reads, by noun. Never HTTP."""

from .boards import board_versions as board_versions
from .boards import standings_snapshot as standings_snapshot
