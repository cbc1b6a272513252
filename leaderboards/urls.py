"""The pages."""

from __future__ import annotations

from django.urls import path, re_path

from . import replays, views

urlpatterns = [
    path("", views.home, name="home"),
    path("boards", views.find_board, name="find-board"),
    path("boards/<str:board>", views.board, name="board"),
    re_path(r"^attempts/(?P<attempt_id>[0-9a-z]{16})\Z", replays.replay, name="replay"),
]
