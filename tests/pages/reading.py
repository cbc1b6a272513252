"""Reading our own HTML as a person without scripts would see it."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

from django.conf import settings
from django.test import Client

from games.models import Player
from tests.factories import credential

_ROW = re.compile(r'<tr data-id="(\w+)"[^>]*>(.*?)</tr>', re.DOTALL)
_RANK = re.compile(r'<td class="rank[^"]*">(\d+)</td>')
_NAME = re.compile(r"<bdi>(.*?)</bdi>", re.DOTALL)
_LIST = re.compile(r'<div class="live-board"[^>]*data-kind="(\w+)"(.*?)data-empty( hidden)?>', re.DOTALL)


@dataclass(frozen=True)
class Page:
    """A page: its status, its HTML, where it redirected to, and (rank, name) of each list by kind."""

    status: int
    text: str
    location: str

    @property
    def lists(self) -> dict[str, list[tuple[int, str]]]:
        found: dict[str, list[tuple[int, str]]] = {}
        for kind, inner, _ in _LIST.findall(self.text):
            rows = [row for _, row in _ROW.findall(inner)]
            found[kind] = [(int(_RANK.findall(row)[0]), html.unescape(_NAME.findall(row)[0])) for row in rows]
        return found

    @property
    def words(self) -> str:
        """The text without the tags, spaces run together."""
        return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", self.text.split("<body>")[-1])).split())

    def link(self, words: str) -> str:
        """The address of the one link with these words."""
        [found] = re.findall(rf'<a[^>]*href="([^"]+)"[^>]*>\s*{re.escape(words)}', self.text)
        return html.unescape(found)


def get(address: str, *, who: Player | None = None) -> Page:
    """GET a page through the whole middleware, signed in as somebody if asked."""
    client = Client(raise_request_exception=True)
    if who is not None:
        client.cookies[settings.CREDENTIAL_COOKIE] = credential(who, via="cookie").secret
    answer = client.get(address)
    return Page(answer.status_code, answer.content.decode(), answer.headers.get("Location", ""))
