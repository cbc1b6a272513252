"""Moderators sign in with a password and their phone: on a phone, by keyboard, without scripts, in light and dark."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.factories import PASSWORD
from tests.processes import ServerProcess
from tests.staff import browser_enrols, browser_signs_in, live_moderator

from .axe import UNFOLD, assert_accessible
from .conftest import OpenPage

pytestmark = pytest.mark.browser


def looks_right(page: Page, state: str) -> None:
    """axe finds nothing in either colour, and nothing is wider than the window."""
    page.evaluate(UNFOLD)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert_accessible(page, f"{state} ({scheme})")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{state}: wider than the window"


@pytest.mark.parametrize("width", [320, 1280])
def test_every_page_on_the_way_in_is_accessible(open_page: OpenPage, site: ServerProcess, width: int) -> None:
    name = f"mod {width}"
    live_moderator(site, name, role="superuser")
    page = open_page("/admin/", width=width)
    looks_right(page, "password")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill("wrong wrong")
    page.get_by_role("button", name="Log in").click()
    looks_right(page, "wrong password")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("img", name="QR code for an authenticator app")).to_be_visible()
    looks_right(page, "setting up")
    page.get_by_label("Code").fill("not a code")
    page.get_by_role("button", name="Confirm").click()
    expect(page.get_by_text("This code is not right")).to_be_visible()
    looks_right(page, "wrong code")
    page.get_by_role("button", name="Sign out").click()
    secret = browser_enrols(page, site.url, name)
    page.goto(f"{site.url}/admin/second-factor/codes/")
    looks_right(page, "backup codes")
    page.context.clear_cookies()
    browser_signs_in(page, site.url, name, PASSWORD, secret, stay=True)
    looks_right(page, "code")


def test_without_scripts_the_way_in_is_the_same(open_page: OpenPage, site: ServerProcess) -> None:
    live_moderator(site, "plain mod", role="head")
    page = open_page("/admin/", width=320, java_script_enabled=False)
    secret = browser_enrols(page, site.url, "plain mod")
    expect(page).to_have_url(f"{site.url}/admin/")
    page.get_by_role("button", name="Log out").click()
    browser_signs_in(page, site.url, "plain mod", PASSWORD, secret)
    expect(page).to_have_url(f"{site.url}/admin/")
