"""Everything for everyone: axe finds nothing on any page in any state, and the board is played without sight or mouse."""

from __future__ import annotations

from playwright.sync_api import Page

from .axe import faults
from .conftest import OpenPage

KNOWN_FAULTS = """
  document.querySelector("main").innerHTML =
    '<h1>Faults</h1><button></button><img src="/static/leaderboards/img/peaks.svg"><p id="pale">pale words</p>';
  document.getElementById("pale").style.setProperty("color", "#777");
  document.getElementById("pale").style.setProperty("background-color", "#888");
"""


def test_axe_itself_finds_known_faults_under_our_content_security_policy(open_page: OpenPage) -> None:
    page: Page = open_page("/boards")
    page.evaluate(KNOWN_FAULTS)
    assert {each["rule"] for each in faults(page)} >= {"button-name", "image-alt", "color-contrast"}
