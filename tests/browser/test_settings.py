"""Settings in a browser: a change shows at once, is kept, and is on every page; all of it also without a script."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.processes import ServerProcess

from .axe import assert_accessible
from .conftest import Complaints, OpenPage
from .players import visitor
from .profiles import ALL_SIZES, DARK, LIGHT, NO_SCRIPT, PHONE, Options


def dataset(page: Page, name: str) -> str:
    value: str = page.evaluate("name => document.documentElement.dataset[name]", name)
    return value


def test_a_change_shows_at_once_and_stays(open_page: OpenPage) -> None:
    page = open_page("/settings")
    expect(page.get_by_role("button", name="Keep these settings")).to_be_hidden()
    page.get_by_role("radio", name="Four colours").check()
    assert dataset(page, "suits") == "four"
    expect(page.get_by_role("status")).to_have_text("Kept.")
    page.get_by_role("radio", name="Dark").check()
    expect(page.locator('meta[name="color-scheme"]')).to_have_attribute("content", "dark")
    expect(page.get_by_role("status")).to_have_text("Kept.")
    page.goto("/boards")
    assert (dataset(page, "theme"), dataset(page, "suits"), dataset(page, "help")) == ("dark", "four", "on")
    page.goto("/settings")
    expect(page.get_by_role("radio", name="Four colours")).to_be_checked()


def test_quick_changes_end_with_the_last_one(open_page: OpenPage) -> None:
    page = open_page("/settings")
    for choice in ("Always", "Never", "On narrow screens", "Never", "Always"):
        page.get_by_role("radio", name=choice).click()
    expect(page.get_by_role("status")).to_have_text("Kept.")
    page.reload()
    expect(page.get_by_role("radio", name="Always")).to_be_checked()


def test_by_keyboard(open_page: OpenPage) -> None:
    page = open_page("/settings")
    page.get_by_role("radio", name="Two colours").focus()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("radio", name="Four colours")).to_be_focused()
    expect(page.get_by_role("radio", name="Four colours")).to_be_checked()
    assert dataset(page, "suits") == "four"


def test_a_change_that_could_not_be_kept_says_so(open_page: OpenPage, complaints: Complaints) -> None:
    complaints.forgive("ERR_INTERNET_DISCONNECTED")
    page = open_page("/settings")
    page.context.set_offline(True)
    page.get_by_role("radio", name="I manage alone").check()
    expect(page.get_by_role("status")).to_have_text("Not kept: no answer from the server.")
    page.context.set_offline(False)
    page.get_by_role("button", name="Keep these settings").click()
    expect(page.get_by_role("status")).to_have_text("Kept.")


def test_without_a_script(open_page: OpenPage) -> None:
    page = open_page("/settings", **NO_SCRIPT)
    page.get_by_label("I manage alone").check()
    page.get_by_role("button", name="Keep these settings").click()
    expect(page.get_by_text("Kept.")).to_be_visible()
    expect(page.locator("html")).to_have_attribute("data-help", "off")
    page.locator("#main").get_by_role("button", name="Suomi").click()
    expect(page.locator("html")).to_have_attribute("lang", "fi")


def test_a_language_is_kept_in_the_account_and_found_on_another_device(
    open_page: OpenPage, site: ServerProcess
) -> None:
    alice = visitor(site.url, "Settled Alice")
    page = open_page("/settings", player=alice)
    page.locator("#main").get_by_role("button", name="Bahasa Melayu").click()
    page.wait_for_url("**/settings")
    expect(page.locator("html")).to_have_attribute("lang", "ms")
    other = open_page("/account", locale="fi-FI")
    expect(other.locator("html")).to_have_attribute("lang", "fi")
    other.locator("#login-name").fill("Settled Alice")
    other.locator("#login-password").fill("correct horse battery")
    other.locator('form[data-act="login"] button[type="submit"]').click()
    expect(other.get_by_role("heading", level=1)).to_have_text("Settled Alice")
    expect(other.locator("html")).to_have_attribute("lang", "ms")


@pytest.mark.parametrize("size", ALL_SIZES.values(), ids=ALL_SIZES)
@pytest.mark.parametrize("look", [LIGHT, DARK], ids=["light", "dark"])
def test_axe_finds_nothing_and_nothing_is_cut_off(open_page: OpenPage, size: Options, look: Options) -> None:
    page = open_page("/settings", **size, **look)
    assert_accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def test_every_choice_is_a_target_of_44_pixels(open_page: OpenPage) -> None:
    page = open_page("/settings", **PHONE)
    heights = page.eval_on_selector_all(".choice", "all => all.map((one) => one.getBoundingClientRect().height)")
    assert min(heights) >= 44
