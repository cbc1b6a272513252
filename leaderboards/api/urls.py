"""The addresses of `leaderboards` under /api/v1/. No trailing slashes."""

from __future__ import annotations

from django.urls import path

from . import docs, fairplay, numbered, players, views

urlpatterns = [
    path("account", views.Account.as_view()),
    path("account/notices", fairplay.Notices.as_view()),
    path("account/notices/read", fairplay.NoticesRead.as_view()),
    path("account/notices/<str:public_id>/appeal", fairplay.Appeal.as_view()),
    path("account/export", fairplay.Export.as_view()),
    path("reports", fairplay.Reports.as_view()),
    path("fairplay", fairplay.FairPlay.as_view()),
    path("daily", views.Daily.as_view()),
    path("daily/<str:which>", views.DailyDetail.as_view()),
    path("daily/<str:which>/attempts", views.DailyAttempts.as_view()),
    path("boards/<str:board>", views.BoardDetail.as_view()),
    path("boards/<str:board>/me", views.BoardMe.as_view()),
    path("numbered", numbered.NumberedList.as_view()),
    path("numbered/random", numbered.NumberedRandom.as_view()),
    path("numbered/<str:number>", numbered.NumberedDetail.as_view()),
    path("attempts/<str:public_id>/news", numbered.AttemptNews.as_view()),
    path("attempts/<str:public_id>/replay", players.AttemptReplay.as_view()),
    path("players/<str:public_id>", players.PlayerDetail.as_view()),
    path("asyncapi.json", docs.AsyncApi.as_view()),
]
