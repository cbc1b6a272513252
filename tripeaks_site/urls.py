"""Every address of the site."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path

from .health import healthz

urlpatterns = [
    path("healthz", healthz),
    path("admin/", admin.site.urls),
    path("api/v1/", include("games.api.urls")),
    path("api/v1/", include("leaderboards.api.urls")),
    path("", include("leaderboards.urls")),
]
