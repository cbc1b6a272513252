"""The check of a seal in a browser: it agrees, it does not, or it says why it cannot; never by colour alone."""

from __future__ import annotations

import hashlib

import pytest
from playwright.sync_api import Page, expect

from .axe import assert_accessible
from .conftest import OpenPage
from .profiles import NO_SCRIPT

CODE = "TP2-E-00000000000000000000000000"
SEAL = "4b301a253354e1754b949304ace90f447eed53ff1caade3030f30cda63f79287"  # golden/deals.json
CHECK = "Check in this browser"


def check(page: Page, code: str, seal: str) -> None:
    page.get_by_label("Game code").fill(code)
    page.get_by_label("Published seal").fill(seal)
    page.get_by_role("button", name=CHECK).click()


@pytest.mark.parametrize("typed", [CODE, f"  {CODE.lower()} ", CODE.replace("TP2", "tp2")])
def test_a_code_agrees_with_its_seal_and_the_page_says_what_it_hashed(open_page: OpenPage, typed: str) -> None:
    assert hashlib.sha256(CODE.encode()).hexdigest() == SEAL
    page = open_page("/fairness")
    check(page, typed, f" {SEAL.upper()} ")
    result = page.get_by_role("status").filter(has_text="They agree.")
    expect(result).to_be_visible()
    expect(result).to_contain_text("✓")
    expect(result).to_contain_text("Hashed text, 32 characters:")
    expect(result).to_contain_text(CODE)
    expect(result).to_contain_text(SEAL)
    expect(page.get_by_text(f"printf %s {CODE} | sha256sum")).to_be_visible()
    assert_accessible(page, "agrees")


def test_another_code_does_not_agree_and_half_a_seal_is_none(open_page: OpenPage) -> None:
    page = open_page("/fairness")
    check(page, CODE[:-1] + "1", SEAL)
    expect(page.get_by_text("They do not agree. This is not the code that was sealed.")).to_be_visible()
    expect(page.locator("[data-mark]")).to_have_text("✕")
    assert_accessible(page, "differs")
    check(page, CODE, SEAL[:40])
    expect(page.get_by_text("A seal has 64 characters: digits and the letters a to f.")).to_be_visible()
    check(page, "", SEAL)
    expect(page.get_by_text("Type the game code first.")).to_be_visible()


def test_a_stale_answer_goes_when_what_it_was_about_changes(open_page: OpenPage) -> None:
    page = open_page("/fairness")
    check(page, CODE, SEAL)
    expect(page.get_by_text("They agree.")).to_be_visible()
    page.get_by_label("Game code").press_sequentially("0")
    expect(page.get_by_text("They agree.")).to_be_hidden()


def test_nothing_typed_is_sent(open_page: OpenPage) -> None:
    page = open_page("/fairness")
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url))
    check(page, CODE, SEAL)
    expect(page.get_by_text("They agree.")).to_be_visible()
    page.get_by_label("Game code").press("Enter")
    assert [each for each in sent if "/static/" not in each] == []


def test_what_a_shell_would_read_otherwise_is_quoted_and_never_markup(open_page: OpenPage) -> None:
    page = open_page("/fairness")
    check(page, "<b>$(id)</b>'", SEAL)
    expect(page.locator("[data-command]")).to_have_text("printf %s '<B>$(ID)</B>'\\''' | sha256sum")
    expect(page.locator("[data-text]")).to_have_text("<B>$(ID)</B>'")


def test_without_web_crypto_it_says_why_and_shows_the_command(open_page: OpenPage) -> None:
    page = open_page("/fairness", script="Object.defineProperty(Crypto.prototype, 'subtle', { get: () => undefined });")
    expect(page.get_by_text("only on pages opened over https")).to_be_visible()
    expect(page.get_by_role("button", name=CHECK)).to_be_hidden()
    page.get_by_label("Game code").fill(CODE)
    expect(page.get_by_text(f"printf %s {CODE} | sha256sum")).to_be_visible()


def test_without_scripts_the_manual_way_reads_and_nothing_is_sent(open_page: OpenPage) -> None:
    page = open_page("/fairness", **NO_SCRIPT)
    expect(page.get_by_text("The check in the browser needs JavaScript.")).to_be_visible()
    expect(page.get_by_text("printf %s CODE | sha256sum")).to_be_visible()
    expect(page.get_by_role("button", name=CHECK)).to_be_hidden()
    page.get_by_label("Game code").press("Enter")
    assert "code=" not in page.url
