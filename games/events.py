"""Typed events and `announce`: hints that something changed, sent after commit. The database is the truth."""

from __future__ import annotations
