"""Oneself in a browser: taking a name, signing in, tokens, bots, recovery, and the end of it; refusals beside their fields."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from games.client import ApiError, Client
from tests.client.cast import PASSWORD
from tests.processes import ServerProcess

from .axe import UNFOLD, assert_accessible
from .conftest import Complaints, OpenPage
from .players import Visitor, visitor
from .profiles import DARK, LIGHT, NO_SCRIPT, SMALL_PHONE, Options

REFUSALS = ("status of 400", "status of 401", "status of 403", "status of 409", "status of 429")


@pytest.fixture(autouse=True)
def refusals_are_expected(complaints: Complaints) -> None:
    """The browser itself notes every refusal of the API in its console."""
    complaints.forgive(*REFUSALS)


def send(page: Page, act: str) -> None:
    page.locator(f'form[data-act="{act}"]').first.locator('button[type="submit"]').click()


def unfold(page: Page, words: str) -> None:
    page.locator("summary", has_text=words).click()


def log_in(page: Page, name: str, password: str = PASSWORD) -> None:
    page.locator("#login-name").fill(name)
    page.locator("#login-password").fill(password)
    send(page, "login")


# --- signing in and taking a name ----------------------------------------------------------------------------------


def test_a_guest_takes_a_name_and_keeps_the_codes(open_page: OpenPage, site: ServerProcess, tmp_path: Path) -> None:
    page = open_page("/account?next=/boards", player=visitor(site.url))
    page.get_by_role("textbox", name="Name", exact=True).fill("Claire Claims")
    expect(page.locator("#claim-free")).to_contain_text("Claire Claims")
    page.locator("#claim-password").fill(PASSWORD)
    send(page, "claim")
    title = page.get_by_role("heading", level=1)
    expect(title).to_contain_text("Claire Claims")
    expect(title).to_be_focused()
    codes = page.locator("#codes-list code").all_text_contents()
    assert len(set(codes)) == 10
    with page.expect_download() as saved:
        page.get_by_role("link", name="Save as a file").click()
    file = tmp_path / "codes"
    saved.value.save_as(file)
    assert saved.value.suggested_filename == "tripeaks-recovery-codes.txt"
    assert all(code in file.read_text() for code in codes)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == "\n".join(codes)
    assert_accessible(page, "codes")
    page.get_by_role("link", name="I have kept them. Go on").click()
    page.wait_for_url("**/boards")
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text("Claire Claims")
    assert not any(code in page.content() for code in codes)


def test_a_name_is_tried_while_it_is_typed(open_page: OpenPage, site: ServerProcess) -> None:
    visitor(site.url, "Taken Already")
    page = open_page("/account", player=visitor(site.url))
    field = page.locator("#claim-name")
    for typed, words in (
        ("taken a1ready", "Somebody has this name, or one that looks like it."),
        ("x", "A name has 2 to 24 characters."),
        ("admin", "This name is kept back."),
        ("♥♥♥", "Letters, digits, single spaces"),
        ("Анna", "All letters of one script, please."),
    ):
        field.fill(typed)
        expect(page.locator("#claim-name-problem")).to_contain_text(words)
        expect(field).to_have_accessible_description(re.compile(re.escape(words)))
        expect(field).to_be_focused()
    field.fill("Nobody Yet")
    expect(page.locator("#claim-name-problem")).to_be_hidden()
    expect(page.locator("#claim-free")).to_contain_text("is free.")


def test_a_password_that_is_too_easy_is_said_beside_it(open_page: OpenPage, site: ServerProcess) -> None:
    page = open_page("/account", player=visitor(site.url))
    page.locator("#claim-name").fill("Easy Eve")
    page.locator("#claim-password").fill("12345678")
    page.keyboard.press("Enter")
    expect(page.locator("#claim-password-problem")).to_contain_text("Too easy to guess")
    expect(page.locator("#claim-password")).to_be_focused()
    expect(page.locator("#claim-password")).to_have_attribute("aria-invalid", "true")
    page.keyboard.type("x")
    expect(page.locator("#claim-password-problem")).to_be_hidden()


def test_signing_in_and_out(open_page: OpenPage, site: ServerProcess) -> None:
    visitor(site.url, "Inga Inside")
    page = open_page("/account")
    send(page, "login")
    expect(page.locator("#login-name")).to_be_focused()
    expect(page.locator("#login-name-problem")).to_have_text("Please fill this in.")
    log_in(page, "Inga Inside", "wrong wrong")
    expect(page.locator("#login-password-problem")).to_have_text("Name and password do not belong together.")
    expect(page.locator("#login-password")).to_be_focused()
    log_in(page, "inga inside")
    expect(page.get_by_role("heading", level=1)).to_have_text("Inga Inside")
    assert "correct" not in page.url
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("You need no account to play")


def test_the_way_back_does_not_show_who_was_signed_in(open_page: OpenPage, site: ServerProcess) -> None:
    wanda = visitor(site.url, "Wanda Went")
    page = open_page("/account", player=wanda)
    expect(page.get_by_role("heading", level=1)).to_have_text("Wanda Went")
    page.goto("/boards")
    wanda.request("POST", "/logout")
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text("You need no account to play")


def test_a_double_click_sends_once(open_page: OpenPage, site: ServerProcess) -> None:
    page = open_page("/account", player=visitor(site.url))
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
    page.locator("#claim-name").fill("Dora Double")
    page.locator("#claim-password").fill(PASSWORD)
    page.locator('form[data-act="claim"] button[type="submit"]').dblclick()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Dora Double")
    assert [url.rpartition("/")[2] for url in sent] == ["claim"]


def test_a_guest_is_warned_before_logging_out(open_page: OpenPage, site: ServerProcess) -> None:
    page = open_page("/account", player=visitor(site.url))
    opener = page.get_by_role("button", name="Log out", exact=True)
    opener.click()
    dialog = page.get_by_role("dialog", name="Leave this guest behind?")
    expect(dialog).to_contain_text("What it played is lost to you.")
    expect(page.get_by_role("button", name="Stay")).to_be_focused()
    assert_accessible(page, "leaving")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(opener).to_be_focused()
    opener.click()
    page.get_by_role("button", name="Log out for good").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("You need no account to play")


def test_no_answer_from_the_server_is_said_and_nothing_is_lost(open_page: OpenPage, complaints: Complaints) -> None:
    complaints.forgive("ERR_INTERNET_DISCONNECTED")
    page = open_page("/account")
    page.context.set_offline(True)
    log_in(page, "Inga Inside")
    said = page.locator('form[data-act="login"] [data-problem]')
    expect(said).to_have_text("No answer from the server. Are you online?")
    expect(said).to_be_focused()
    expect(page.locator("#login-name")).to_have_value("Inga Inside")


def test_without_a_script_it_says_what_needs_one(open_page: OpenPage) -> None:
    page = open_page("/account", **NO_SCRIPT)
    expect(page.locator("noscript p")).to_contain_text("Signing in needs JavaScript.")
    expect(page.locator("#login-password")).to_be_hidden()
    expect(page.get_by_role("link", name="Play today's daily")).to_be_visible()


# --- looking after it ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def vera(site: ServerProcess) -> Visitor:
    """Somebody whose account the tests look after; nobody changes her password."""
    return visitor(site.url, "Vera Verified")


def test_a_token_is_shown_once_works_and_is_ended(open_page: OpenPage, site: ServerProcess, vera: Visitor) -> None:
    page = open_page("/account", player=vera)
    unfold(page, "New token")
    tokens = page.locator("#tokens")
    tokens.get_by_label("What for?").fill('<b>laptop & "co"</b>')
    tokens.get_by_label("read: ").uncheck()
    tokens.get_by_label("play: ").uncheck()
    send(page, "token")
    expect(tokens.locator("[data-problem]")).to_contain_text("read, play, or both")
    tokens.get_by_label("read: ").check()
    send(page, "token")
    secret = tokens.locator(".once code")
    expect(secret).to_have_text(re.compile("^tpk"))
    expect(tokens.locator(".once .note")).to_be_focused()
    expect(tokens).to_contain_text('<b>laptop & "co"</b> may read')
    value = secret.text_content() or ""
    program = Client(site.url, value)
    assert program.request("GET", "/account")["player"]["name"] == "Vera Verified"
    assert_accessible(page, "token")
    page.reload()
    assert value not in page.content()
    page.get_by_role("button", name="End the token").click()
    dialog = page.get_by_role("dialog", name="End this token?")
    expect(dialog).to_contain_text('<b>laptop & "co"</b>')
    page.get_by_role("button", name="End it now").click()
    expect(page.get_by_role("heading", name="Tokens")).to_be_focused()
    expect(tokens).not_to_contain_text("laptop")
    with pytest.raises(ApiError, match="Sign in"):
        program.request("GET", "/account")


def test_a_bot_gets_a_name_and_a_token(open_page: OpenPage, site: ServerProcess, vera: Visitor) -> None:
    page = open_page("/account", player=vera)
    unfold(page, "New bot")
    page.locator("#bot-name").fill("vera verified")
    send(page, "bot")
    expect(page.locator("#bot-name-problem")).to_contain_text("Somebody has this name")
    page.locator("#bot-name").fill("veras robot")
    send(page, "bot")
    bots = page.locator("#bots")
    expect(bots.get_by_role("link", name="veras robot")).to_be_visible()
    field = bots.get_by_label("What for?")
    expect(field).to_be_focused()
    page.keyboard.type("deep search")
    page.keyboard.press("Enter")
    secret = bots.locator(".once code").first
    expect(secret).to_have_text(re.compile("^tpk"))
    assert Client(site.url, secret.text_content() or "").request("GET", "/account")["player"]["kind"] == "bot"


def test_other_browsers_are_signed_out(open_page: OpenPage, site: ServerProcess, vera: Visitor) -> None:
    others = [Visitor(site.url).sign_in("Vera Verified") for _ in range(3)]
    page = open_page("/account", player=vera)
    sessions = page.locator("#sessions")
    expect(sessions.get_by_role("listitem")).to_have_count(4)
    sessions.get_by_role("button", name="Sign out: signed in on").first.click()
    expect(page.get_by_role("dialog", name="Sign this one out?")).to_be_visible()
    page.get_by_role("button", name="End it now").click()
    expect(sessions.get_by_role("listitem")).to_have_count(3)
    with pytest.raises(ApiError, match="Sign in"):
        others[2].request("GET", "/account")
    sessions.get_by_role("button", name="Sign out everywhere else").click()
    expect(sessions.get_by_role("listitem")).to_have_count(1)
    expect(sessions).to_contain_text("This browser")
    with pytest.raises(ApiError, match="Sign in"):
        others[0].request("GET", "/account")
    assert vera.request("GET", "/account")["player"]["name"] == "Vera Verified"


def test_a_page_that_is_signed_out_elsewhere_says_so(open_page: OpenPage, site: ServerProcess) -> None:
    otto = visitor(site.url, "Otto Out")
    page = open_page("/account", player=otto)
    otto.request("POST", "/logout")
    unfold(page, "New bot")
    page.locator("#bot-name").fill("ottos robot")
    send(page, "bot")
    expect(page.locator('form[data-act="bot"] [data-problem]')).to_contain_text("not signed in here any more")


def test_a_password_is_changed_then_forgotten_then_replaced(open_page: OpenPage, site: ServerProcess) -> None:
    page = open_page("/account", player=visitor(site.url, "Rita Recovers"))
    unfold(page, "Change the password")
    page.locator("#password-old").fill("not this one")
    page.locator("#password-new").fill("purple monkey dish")
    send(page, "password")
    expect(page.locator("#password-old-problem")).to_have_text("That is not your password.")
    page.locator("#password-old").fill(PASSWORD)
    send(page, "password")
    expect(page.locator("#password-done")).to_be_focused()
    unfold(page, "Make new codes")
    page.locator("#codes-password").fill("purple monkey dish")
    send(page, "codes")
    code = page.locator("#codes-list code").first.text_content() or ""

    other = open_page("/account")
    unfold(other, "I have a recovery code")
    other.locator("#recover-name").fill("Rita Recovers")
    other.locator("#recover-code").fill("0000-0000-0000-0000")
    other.locator("#recover-password").fill("green monkey dish")
    send(other, "recover")
    expect(other.locator("#recover-code-problem")).to_contain_text("Name and code do not belong together")
    other.locator("#recover-code").fill(code.upper().replace("-", " "))
    send(other, "recover")
    expect(other.locator("#recovered")).to_be_focused()
    expect(other.locator("#login-name")).to_have_value("Rita Recovers")
    log_in(other, "Rita Recovers", "green monkey dish")
    expect(other.get_by_role("heading", level=1)).to_have_text("Rita Recovers")
    expect(other.get_by_text("You have 9 unused codes")).to_be_visible()


def test_an_account_is_deleted_by_its_password_and_its_name(open_page: OpenPage, site: ServerProcess) -> None:
    dina = visitor(site.url, "Dina O'Deleted")
    page = open_page("/account", player=dina)
    unfold(page, "What happens, and how")
    expect(page.locator("#delete")).to_contain_text("All your results leave the boards")
    page.locator("#delete-password").fill(PASSWORD)
    page.locator("#delete-name").fill("dina o'deleted")
    send(page, "delete")
    expect(page.locator("#delete-name-problem")).to_contain_text("exactly")
    page.locator("#delete-name").fill("Dina O'Deleted")
    page.locator("#delete-password").fill("something else")
    send(page, "delete")
    expect(page.locator("#delete-password-problem")).to_have_text("That is not your password.")
    page.locator("#delete-password").fill(PASSWORD)
    send(page, "delete")
    expect(page.get_by_role("heading", name="Your account is deleted")).to_be_focused()
    assert_accessible(page, "deleted")
    with pytest.raises(ApiError, match="Sign in"):
        dina.request("GET", "/account")
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_have_text("You need no account to play")


# --- for everyone --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("look", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("who", ["visitor", "guest", "person"])
def test_axe_finds_nothing_with_everything_unfolded(
    open_page: OpenPage, site: ServerProcess, vera: Visitor, who: str, look: Options
) -> None:
    player = {"visitor": None, "guest": visitor(site.url), "person": vera}[who]
    page = open_page("/account", player=player, **SMALL_PHONE, **look)
    page.evaluate(UNFOLD)
    for button in page.locator('form button[type="submit"]:visible').all():
        button.click()
    expect(page.get_by_text("Please fill this in.").first).to_be_visible()
    assert_accessible(page, who)
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def test_nothing_secret_is_stored_or_put_into_an_address(open_page: OpenPage, site: ServerProcess) -> None:
    page = open_page("/account")
    addresses: list[str] = []
    page.on("request", lambda request: addresses.append(request.url))
    visitor(site.url, "Stella Stored")
    log_in(page, "Stella Stored")
    expect(page.get_by_role("heading", level=1)).to_have_text("Stella Stored")
    stored = page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])")
    assert stored == '[{},{},""]'
    assert not any("correct" in address or "horse" in address for address in addresses)
    assert "correct horse" not in site.logs()
