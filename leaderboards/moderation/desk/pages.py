"""The desk's place in the admin: pages of our own instead of Django's lists of rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import HttpResponseBase
from django.urls import URLPattern, re_path

from games.admin import LookOnly
from games.ids import PUBLIC_ID

from . import doing, views

_View = Callable[..., HttpResponseBase]


class _Desk(LookOnly):
    """Only the pages given here; none of Django's for the model."""

    def get_urls(self) -> list[URLPattern]:
        return [
            re_path(address, self.admin_site.admin_view(view), name=f"leaderboards_{self.opts.model_name}{name}")
            for address, view, name in self.pages()
        ]

    def pages(self) -> list[tuple[str, Any, str]]:
        raise NotImplementedError


class CaseDesk(_Desk):
    """The queue, its cases, and the players."""

    def pages(self) -> list[tuple[str, Any, str]]:
        return [
            (r"^$", views.queue, "_changelist"),
            (rf"^({PUBLIC_ID})/$", views.case, "_change"),
            (rf"^({PUBLIC_ID})/look/$", views.look, "_look"),
            (r"^players/$", views.players, "_players"),
            (rf"^players/({PUBLIC_ID})/$", views.player, "_player"),
            (rf"^do/([a-z]+)/({PUBLIC_ID})/$", doing.do, "_do"),
        ]


class ActionDesk(_Desk):
    """The log of actions."""

    def pages(self) -> list[tuple[str, Any, str]]:
        return [
            (r"^$", views.log, "_changelist"),
            (rf"^({PUBLIC_ID})/$", views.action, "_change"),
        ]
