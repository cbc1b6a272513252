"""The pages."""

from __future__ import annotations

from django.urls import path, re_path

from games.ids import PUBLIC_ID

from . import replays, views, views_account, views_boards, views_numbered, views_play, views_profile, views_words

urlpatterns = [
    path("", views.home, name="home"),
    path("new", views_words.new, name="new"),
    path("rules", views_words.rules, name="rules"),
    path("fairness", views_words.fairness, name="fairness"),
    path("fair-play", views_words.fair_play, name="fair-play"),
    path("boards", views_boards.find_board, name="find-board"),
    path("boards/<str:board>", views_boards.board, name="board"),
    path("account", views_account.account, name="account"),
    path("settings", views_account.settings_page, name="settings"),
    path("language", views_account.language, name="language"),
    path("numbered", views_numbered.games, name="numbered"),
    path("numbered/random", views_numbered.random_game, name="numbered-random"),
    path("numbered/<str:number>", views_numbered.game, name="numbered-game"),
    path("play/daily", views_play.today, name="play-daily"),
    path("play/random", views_play.random, name="play-random"),
    path("play/<str:target>", views_play.play, name="play"),
    re_path(rf"^attempts/(?P<attempt_id>{PUBLIC_ID})\Z", replays.replay, name="replay"),
    path("me", views_profile.me, name="me"),
    re_path(rf"^players/(?P<public_id>{PUBLIC_ID})\Z", views_profile.profile, name="profile"),
]
