"""Settings as they work without a script: a form, a cookie, and the page as the cookie says."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from tests.calls import OUR_ORIGIN
from tests.pages.reading import get

pytestmark = pytest.mark.django_db
CHOSEN = {"theme": "dark", "suits": "four", "help": "off", "motion": "off", "keys": "off", "tray": "on"}


def send(browser: Client, values: dict[str, str], **meta: str) -> Any:
    return browser.post("/settings", values, **(meta or {"HTTP_ORIGIN": OUR_ORIGIN}))  # type: ignore[arg-type]


def test_what_is_chosen_is_kept_and_every_page_has_it() -> None:
    browser = Client()
    answer = send(browser, CHOSEN)
    assert (answer.status_code, answer.headers["Location"]) == (303, "/settings?saved=1")
    morsel = answer.cookies["tripeaks_prefs"]
    assert morsel.value == "theme-dark.suits-four.help-off.motion-off.keys-off.tray-on"
    assert (morsel["samesite"], morsel["max-age"], morsel["path"]) == ("Lax", 400 * 24 * 3600, "/")
    assert morsel["httponly"]
    html = browser.get("/boards").content.decode()
    wanted = " ".join(f'data-{name}="{value}"' for name, value in CHOSEN.items())
    assert wanted in html
    form = browser.get("/settings?saved=1").content.decode()
    for name, value in CHOSEN.items():
        assert f'name="{name}" value="{value}" checked' in form
    assert "Kept." in form


def test_defaults_need_no_cookie() -> None:
    browser = Client()
    send(browser, CHOSEN)
    assert send(browser, {"theme": "system"}).cookies["tripeaks_prefs"]["max-age"] == 0


def test_values_that_do_not_exist_are_defaults() -> None:
    answer = send(Client(), {"theme": "<b>", "suits": "five", "help": "off", "evil": "1"})
    assert answer.cookies["tripeaks_prefs"].value == "help-off"


def test_the_cookie_is_secure_when_the_site_is(settings: Settings) -> None:
    settings.SECURE_COOKIES = True
    assert send(Client(), CHOSEN).cookies["tripeaks_prefs"]["secure"]


@pytest.mark.parametrize(
    "meta",
    [{"HTTP_ORIGIN": "https://evil.example"}, {"HTTP_ORIGIN": "null"}, {"HTTP_SEC_FETCH_SITE": "cross-site"}],
)
def test_no_other_page_may_change_them(meta: dict[str, str]) -> None:
    answer = send(Client(enforce_csrf_checks=True), CHOSEN, **meta)
    assert answer.status_code == 403
    assert not answer.cookies


def test_every_language_is_offered_in_its_own_words() -> None:
    html = get("/settings").text
    for code, name in (("en", "English"), ("id", "Bahasa Indonesia"), ("fi", "Suomi"), ("pt-br", "Português (Brasil)")):
        assert f'value="{code}" lang="{code}"' in html
        assert name in html


def test_no_cache_gives_it_to_another() -> None:
    assert Client().get("/settings").headers["Cache-Control"] == "private, no-cache"
