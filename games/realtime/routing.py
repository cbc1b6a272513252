"""Which socket answers where."""

from __future__ import annotations

from django.urls import re_path

from .consumers import play

socket_routes = [re_path(r"^ws/v1/play$", play)]  # type: ignore[arg-type]
