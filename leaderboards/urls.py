"""The pages."""

from __future__ import annotations

from django.urls import path

from . import views

urlpatterns = [
    path("", views.home, name="home"),
    path("boards", views.find_board, name="find-board"),
    path("boards/<str:board>", views.board, name="board"),
    path("attempts/<str:attempt_id>", views.replay, name="replay"),
]
