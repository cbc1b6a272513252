"""Every answer carries a content security policy; pages allow their own files and nothing inline."""

from __future__ import annotations

import re

import pytest
from django.test import Client

pytestmark = pytest.mark.django_db(transaction=True)
PAGES = ["/", "/boards", "/boards/TP1-E-AAAAAAB", "/nowhere"]


@pytest.mark.parametrize("address", PAGES)
def test_pages_allow_only_their_own_files(address: str) -> None:
    answer = Client().get(address)
    policy = dict(part.strip().split(" ", 1) for part in answer.headers["Content-Security-Policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert {policy[name] for name in ("script-src", "style-src", "img-src", "connect-src", "form-action")} == {"'self'"}
    assert policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    text = answer.content.decode()
    assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)", text)


def test_data_and_files_may_load_nothing_at_all() -> None:
    for address in ("/api/v1/daily", "/api/v1/nowhere", "/static/leaderboards/js/page.js"):
        policy = Client().get(address).headers["Content-Security-Policy"]
        assert policy == "default-src 'none'; frame-ancestors 'none'"


def test_the_admin_may_style_itself() -> None:
    policy = Client().get("/admin/login/").headers["Content-Security-Policy"]
    assert "style-src 'self' 'unsafe-inline'" in policy
    assert "script-src 'self';" in policy
