"""A moderator's password alone opens nothing: the admin wants a code of the phone, too."""

from __future__ import annotations

import datetime as dt
import io
import re
import time
from base64 import b32decode
from pathlib import Path
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.core.management import CommandError, call_command
from django.test import Client
from django_otp.plugins.otp_static.models import StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice
from pytest_django import Settings

from games import clock
from games.models import Player
from games.services import player_ban, player_delete, player_unban, sessions_end_others
from games.services.passwords import password_change
from tests.factories import PASSWORD, credential, person
from tests.processes import run_manage
from tests.staff import STEP, code_at, enrolled, fresh_code, signed_in_moderator, staff, wrong_code

pytestmark = pytest.mark.django_db

PLAYERS = "/admin/games/player/"
CODE, SETUP, CODES = "/admin/second-factor/", "/admin/second-factor/setup/", "/admin/second-factor/codes/"


def password_given(name: str = "mod", *, wanted: str = PLAYERS) -> tuple[Client, Any]:
    """A browser that has sent the right password, and the page on which it then is."""
    browser = Client()
    body = {"username": name, "password": PASSWORD, "next": wanted}
    return browser, browser.post("/admin/login/", body, follow=True)


def words(answer: Any) -> str:
    return str(answer.content.decode())


def key_on(page: Any) -> bytes:
    found = re.search(r'<code class="secret">([A-Z2-7 ]+)</code>', words(page))
    assert found is not None
    return b32decode(found[1].replace(" ", ""))


def backup_codes_on(page: Any) -> list[str]:
    return re.findall(r"<li><code>([0-9a-z-]{19})</code></li>", words(page))


def now_code(key: bytes) -> str:
    return code_at(key, int(time.time()) // STEP)


def is_in(browser: Client) -> bool:
    answer = browser.get(PLAYERS)
    assert answer.status_code in (200, 302)
    return answer.status_code == 200


def forget_wrong_codes() -> None:
    """As though the wait after a wrong code were over."""
    TOTPDevice.objects.update(throttling_failure_timestamp=None, throttling_failure_count=0)


# --- the first time ------------------------------------------------------------------------------------------------


def test_the_first_sign_in_sets_the_phone_up_and_shows_backup_codes_once() -> None:
    mod = staff(password=PASSWORD)
    browser, page = password_given()
    assert page.redirect_chain[-1][0].startswith(SETUP)
    key = key_on(page)
    assert key == key_on(browser.get(SETUP)), "another secret after a reload"
    assert "<svg" in words(page)
    assert not is_in(browser)
    shown = browser.post(SETUP, {"code": now_code(key), "next": PLAYERS})
    codes = backup_codes_on(shown)
    assert (shown.status_code, len(set(codes)), f'href="{PLAYERS}"' in words(shown)) == (200, 8, True)
    assert "no-store" in shown.headers["Cache-Control"]
    assert is_in(browser)
    assert TOTPDevice.objects.get(user=mod).bin_key == key
    for address in (SETUP, CODE, CODES, PLAYERS, "/admin/"):
        assert not set(backup_codes_on(browser.get(address, follow=True))) & set(codes)
    assert browser.post(SETUP, {"code": now_code(key)}).status_code == 302  # reloaded: nothing new is made
    assert StaticToken.objects.count() == 8


def test_a_phone_is_not_set_up_by_a_wrong_code() -> None:
    staff(password=PASSWORD)
    browser, page = password_given()
    near = {code_at(key_on(page), int(time.time()) // STEP + offset) for offset in range(-5, 6)}
    wrong = next(code for code in ("123456", "654321", "111111", "222222") if code not in near)
    for code, said in ((wrong, "not right"), ("", "Enter the code."), ("abc", "not right"), ("9" * 41, "at most 40")):
        answer = browser.post(SETUP, {"code": code})
        assert (answer.status_code, said in words(answer)) == (200, True), code
    assert not TOTPDevice.objects.exists()
    assert not is_in(browser)
    assert browser.post(SETUP, {"code": now_code(key_on(page))}).status_code == 200
    assert is_in(browser)


def test_the_secret_is_shown_to_one_browser_alone() -> None:
    """Else whoever knows the password could look at the page first and have the key that the moderator then confirms."""
    staff(password=PASSWORD)
    (first, theirs), (second, ours) = password_given(), password_given()
    assert key_on(theirs) != key_on(ours)
    second.post(SETUP, {"code": now_code(key_on(ours))})
    assert is_in(second)
    late = first.post(SETUP, {"code": now_code(key_on(theirs))}, follow=True)
    assert late.redirect_chain[-1][0].startswith(CODE)
    assert not is_in(first)
    assert TOTPDevice.objects.get().bin_key == key_on(ours)


def test_a_password_alone_replaces_no_phone() -> None:
    device = enrolled(staff(password=PASSWORD))
    browser, page = password_given()
    assert page.redirect_chain[-1][0].startswith(CODE)
    for answer in (browser.get(SETUP), browser.post(SETUP, {"code": fresh_code(device)})):
        assert answer.headers["Location"].startswith(CODE)
    for answer in (browser.get(CODES), browser.post(CODES, {"code": fresh_code(device)})):
        assert answer.headers["Location"].startswith("/admin/login/")
    assert not StaticToken.objects.exists()


def test_the_address_in_the_picture_is_that_of_the_secret() -> None:
    staff("Môd & co", password=PASSWORD)
    _, page = password_given("Môd & co")
    (address,) = re.findall(r'href="(otpauth://[^"]+)"', words(page))
    secret = re.search(r"secret=([A-Z2-7]+)", address)
    assert secret is not None
    assert b32decode(secret[1]) == key_on(page)
    assert "TriPeaks%3AM%C3%B4d%20%26%20co?" in address


# --- every other time ----------------------------------------------------------------------------------------------


def test_a_code_of_the_phone_opens_the_page_that_was_asked_for() -> None:
    device = enrolled(staff(password=PASSWORD))
    browser, page = password_given()
    assert "six digits" in words(page)
    before = browser.session.session_key
    answer = browser.post(CODE, {"code": fresh_code(device), "next": PLAYERS})
    assert (answer.status_code, answer.headers["Location"]) == (302, PLAYERS)
    assert browser.session.session_key != before
    assert is_in(browser)
    assert browser.get(CODE).headers["Location"] == "/admin/"


@pytest.mark.parametrize("wanted", ["https://evil.example/", "//evil.example", "javascript:alert(1)", "", "/\\evil"])
def test_it_leads_nowhere_else(wanted: str) -> None:
    device = enrolled(staff(password=PASSWORD))
    browser, _ = password_given(wanted=wanted)
    answer = browser.post(CODE, {"code": fresh_code(device), "next": wanted})
    assert answer.headers["Location"] == "/admin/"


def test_spaces_do_not_matter_and_a_used_code_is_refused() -> None:
    device = enrolled(staff(password=PASSWORD))
    code = fresh_code(device)
    browser, _ = password_given()
    assert browser.post(CODE, {"code": f" {code[:3]} {code[3:]} "}).status_code == 302
    other, _ = password_given()
    again = other.post(CODE, {"code": code})
    assert (again.status_code, "used already" in words(again)) == (200, True)
    assert not is_in(other)
    forget_wrong_codes()
    assert other.post(CODE, {"code": fresh_code(device)}).status_code == 302


def test_after_a_wrong_code_the_right_one_has_to_wait(settings: Settings) -> None:
    device = enrolled(staff(password=PASSWORD))
    assert device.get_throttle_factor() == 1, "seconds: too few to be still waiting here on a slow machine"
    settings.OTP_TOTP_THROTTLE_FACTOR = 90
    browser, _ = password_given()
    assert "not right" in words(browser.post(CODE, {"code": wrong_code(device)}))
    right = browser.post(CODE, {"code": fresh_code(device)})
    assert re.search(r"Try again in [1-9]\d? s", words(right))
    del settings.OTP_TOTP_THROTTLE_FACTOR
    TOTPDevice.objects.update(throttling_failure_count=10)
    assert re.search(r"Try again in \d minutes", words(browser.post(CODE, {"code": fresh_code(device)})))
    assert not is_in(browser)
    forget_wrong_codes()
    assert browser.post(CODE, {"code": fresh_code(device)}).status_code == 302


def test_guesses_at_codes_count_with_those_at_the_password(settings: Settings) -> None:
    settings.THROTTLES = {**settings.THROTTLES, "name": (3, 3600)}
    device = enrolled(staff(password=PASSWORD))
    browser, _ = password_given()
    for _ in range(2):
        forget_wrong_codes()
        assert "not right" in words(browser.post(CODE, {"code": wrong_code(device)}))
    forget_wrong_codes()
    assert "Too many" in words(browser.post(CODE, {"code": fresh_code(device)}))
    assert "Too many" in words(Client().post("/admin/login/", {"username": "mod", "password": PASSWORD}))
    assert not is_in(browser)


def test_each_backup_code_opens_once(settings: Settings) -> None:
    settings.OTP_STATIC_THROTTLE_FACTOR = 90  # a second, else: a slow machine would be through with it
    staff(password=PASSWORD)
    browser, page = password_given()
    codes = backup_codes_on(browser.post(SETUP, {"code": now_code(key_on(page))}))
    other, _ = password_given()
    answer = other.post(CODE, {"code": codes[3].upper()}, follow=True)
    assert "You used a backup code; 7 are left." in words(answer)
    assert is_in(other)
    third, _ = password_given()
    assert "used already" in words(third.post(CODE, {"code": codes[3]}))
    assert not is_in(third)
    assert "Try again in" in words(third.post(CODE, {"code": codes[4]}))  # a wait like that of the phone's codes


def test_the_database_holds_no_backup_code() -> None:
    staff(password=PASSWORD)
    browser, page = password_given()
    codes = backup_codes_on(browser.post(SETUP, {"code": now_code(key_on(page))}))
    kept = set(StaticToken.objects.values_list("token", flat=True))
    assert not kept & {code.replace("-", "") for code in codes}
    assert browser.session.get("second_factor_key") is None


def test_new_backup_codes_cost_a_code_of_the_phone_and_void_the_old_ones() -> None:
    staff(password=PASSWORD)
    browser, page = password_given()
    old = backup_codes_on(browser.post(SETUP, {"code": now_code(key_on(page))}))
    device = TOTPDevice.objects.get()
    assert "You have 8 of them left." in words(browser.get(CODES))
    assert "not right" in words(browser.post(CODES, {"code": wrong_code(device)}))
    forget_wrong_codes()
    new = backup_codes_on(browser.post(CODES, {"code": fresh_code(device)}))
    assert (len(new), set(new) & set(old)) == (8, set())
    other, _ = password_given()
    assert "not right" in words(other.post(CODE, {"code": old[0]}))


# --- the end of it -------------------------------------------------------------------------------------------------


def test_who_has_given_the_password_alone_can_sign_out() -> None:
    enrolled(staff(password=PASSWORD))
    browser, page = password_given()
    assert 'action="/admin/logout/"' in words(page)
    assert browser.post("/admin/logout/").status_code in (200, 302)
    assert browser.get(CODE, follow=True).redirect_chain[-1][0].startswith("/admin/login/")


def test_signing_out_and_in_asks_for_a_code_again() -> None:
    device = enrolled(staff(password=PASSWORD))
    browser, _ = password_given()
    browser.post(CODE, {"code": fresh_code(device)})
    browser.post("/admin/logout/")
    browser.post("/admin/login/", {"username": "mod", "password": PASSWORD})
    assert not is_in(browser)
    assert "six digits" in words(browser.get(CODE))


def test_one_moderators_code_does_not_open_for_another() -> None:
    enrolled(staff("mod", password=PASSWORD))
    theirs = enrolled(staff("other", role="head"))
    browser, _ = password_given()
    assert "not right" in words(browser.post(CODE, {"code": fresh_code(theirs)}))
    session = browser.session
    session["otp_device_id"] = theirs.persistent_id
    session.save()
    assert not is_in(browser)


def test_a_password_changed_elsewhere_ends_what_was_open_here() -> None:
    mod = staff(password=PASSWORD)
    browser = Client()
    signed_in_moderator(browser, player=mod)
    assert is_in(browser)
    sessions_end_others(player_id=mod.pk, keep_credential_id=credential(mod).credential.pk, now=clock.now())
    assert is_in(browser)  # a player's sessions are another matter
    password_change(player_id=mod.pk, old=PASSWORD, new="a much better one", keep_credential_id=0, now=clock.now())
    assert not is_in(browser)
    assert browser.get(CODE, follow=True).redirect_chain[-1][0].startswith("/admin/login/")


def test_what_a_ban_ended_does_not_wake_up_with_the_account() -> None:
    browser, bystander = Client(), Client()
    mod = signed_in_moderator(browser)
    signed_in_moderator(bystander, name="other")
    player_ban(player_id=mod.pk, reason="-", until=None, now=clock.now())
    player_unban(player_id=mod.pk)
    assert not is_in(browser)
    assert is_in(bystander)


def test_a_deactivated_account_is_out_at_once() -> None:
    browser = Client()
    mod = signed_in_moderator(browser)
    assert is_in(browser)
    Player.objects.filter(pk=mod.pk).update(is_active=False)
    assert not is_in(browser)
    Player.objects.filter(pk=mod.pk).update(is_active=True)
    assert not is_in(browser), "the session was seen without rights, so it is over"


def test_a_deleted_account_leaves_no_key() -> None:
    browser = Client()
    mod = signed_in_moderator(browser)
    player_delete(player_id=mod.pk, now=clock.now())
    assert not is_in(browser)
    assert not TOTPDevice.objects.exists()
    assert not mod.groups.exists()


def test_a_reset_ends_the_sessions_and_leads_to_setting_up_anew() -> None:
    browser, bystander = Client(), Client()
    mod = staff(password=PASSWORD)
    signed_in_moderator(browser, player=mod)
    signed_in_moderator(bystander, name="other")
    said = io.StringIO()
    call_command("second_factor_reset", "MOD", stdout=said)
    assert said.getvalue() == "mod has no second factor any more; the next sign-in sets one up.\n"
    assert not is_in(browser)
    assert is_in(bystander)
    assert password_given()[1].redirect_chain[-1][0].startswith(SETUP)
    call_command("second_factor_reset", mod.public_id, stdout=said)
    assert "had no second factor" in said.getvalue()
    with pytest.raises(CommandError, match="There is no player 'nobody else'"):
        call_command("second_factor_reset", "nobody else")


# --- settings and clocks -------------------------------------------------------------------------------------------


def test_without_the_setting_the_password_is_enough(settings: Settings) -> None:
    settings.SECOND_FACTOR = False
    staff(password=PASSWORD)
    browser, page = password_given()
    assert (page.redirect_chain, is_in(browser)) == ([(PLAYERS, 302)], True)
    for address in (CODE, SETUP, CODES):
        assert browser.get(address).headers["Location"] == "/admin/"


@pytest.mark.parametrize(
    ("env", "on"),
    [
        ({}, True),
        ({"TRIPEAKS_DEBUG": "1"}, False),
        ({"TRIPEAKS_DEBUG": "1", "TRIPEAKS_SECOND_FACTOR": "1"}, True),
        ({"TRIPEAKS_SECOND_FACTOR": "0"}, False),
    ],
)
def test_it_is_on_unless_told_otherwise_or_in_debug(env: dict[str, str], on: bool) -> None:
    asked = "from django.conf import settings; from django.core.management import call_command; call_command('check'); "
    done = run_manage("shell", "-c", f"{asked} print(settings.SECOND_FACTOR)", env=env)
    assert done.stdout.split()[-1] == str(on)
    assert ("tripeaks.W005" in done.stderr) is (env.get("TRIPEAKS_SECOND_FACTOR") == "0")


def test_codes_go_by_the_machines_clock_as_phones_do(settings: Settings, tmp_path: Path) -> None:
    """The stepped clock of tests and fault runs is not the phone's."""
    offset = tmp_path / "offset"
    offset.write_text(str(7 * 24 * 3600))
    settings.CLOCK_OFFSET_FILE = str(offset)
    assert clock.now() > dt.datetime.now(dt.UTC) + dt.timedelta(days=6)
    device = enrolled(staff(password=PASSWORD))
    browser, _ = password_given()
    assert browser.post(CODE, {"code": fresh_code(device)}).status_code == 302
    assert is_in(browser)


def test_players_get_no_session_of_the_admin() -> None:
    person("mallory", password=PASSWORD)
    browser, page = password_given("mallory")
    assert "staff account" in words(page)
    assert not Session.objects.exists()
    for address in (CODE, SETUP):
        assert browser.get(address, follow=True).redirect_chain[-1][0].startswith("/admin/login/")


def test_the_pages_carry_no_style_and_no_script_of_their_own() -> None:
    staff(password=PASSWORD)
    browser, page = password_given()
    shown = browser.post(SETUP, {"code": now_code(key_on(page))})
    for answer in (page, shown, browser.get(CODES), password_given()[1]):
        body = words(answer)
        assert not re.search(r"\sstyle=|<style|\son[a-z]+=|<script>", body)
        assert "base-uri 'none'" in answer.headers["Content-Security-Policy"]


def test_the_desk_speaks_english_to_everybody() -> None:
    answer = Client().get("/admin/login/", HTTP_ACCEPT_LANGUAGE="fi")
    assert (answer.headers["Content-Language"], "Log in" in words(answer)) == ("en", True)
    assert 'lang="fi"' in words(Client().get("/", HTTP_ACCEPT_LANGUAGE="fi"))
