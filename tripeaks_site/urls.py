"""Every address of the site."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path, re_path

from games.api.docs import Unknown

from .words import words_js

urlpatterns = [
    re_path(r"^words/(?P<language>[a-z]{2,3}(?:-[a-z]+)*)\.(?P<version>[0-9a-f]{12})\.js$", words_js),
    path("admin/", admin.site.urls),
    # First: it adds DELETE to games' account, and hides names in games' replays.
    path("api/v1/", include("leaderboards.api.urls")),
    path("api/v1/", include("games.api.urls")),
    re_path("^api/", Unknown.as_view()),
    path("", include("leaderboards.urls")),
]

handler400 = "games.api.errors.handler400"
handler403 = "games.api.errors.handler403"
handler404 = "games.api.errors.handler404"
handler500 = "games.api.errors.handler500"
