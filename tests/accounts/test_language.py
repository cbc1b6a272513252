"""The language is kept in the account: chosen once, it is there on every device that signs in."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from games.models import Player
from tests.calls import OUR_ORIGIN, Answer, call, from_our_page
from tests.factories import PASSWORD, credential, guest, person, signed_in, token

pytestmark = pytest.mark.django_db
OURS = {"HTTP_ORIGIN": OUR_ORIGIN}


def language_cookie(response: Any) -> str:
    morsel = response.cookies.get("django_language")
    return morsel.value if morsel is not None else "not set"


def login(browser: Client, name: str) -> Any:
    body = {"name": name, "password": PASSWORD}
    return browser.post("/api/v1/login", body, content_type="application/json", **OURS)  # type: ignore[arg-type]


def choose(browser: Client, language: str, **meta: str) -> Any:
    return browser.post("/language", {"language": language, "next": "/boards"}, **(meta or OURS))  # type: ignore[arg-type]


def test_the_api_shows_and_sets_it() -> None:
    alice = signed_in("alice")
    assert call("GET", "/account", who=alice).json["language"] is None
    changed = call("PATCH", "/account", {"language": "fi"}, who=alice)
    assert (changed.status, changed.json["language"], changed.json["player"]["name"]) == (200, "fi", "alice")
    assert call("GET", "/account", who=alice).json["language"] == "fi"
    assert call("PATCH", "/account", {"language": ""}, who=alice).json["language"] is None


@pytest.mark.parametrize("language", ["xx", "FI", "fi-FI", "../fi"])
def test_languages_without_words_are_refused(language: str) -> None:
    answer = call("PATCH", "/account", {"language": language}, who=signed_in("alice"))
    assert (answer.status, answer.code) == (400, "unknown_language")
    assert answer.data["known"] == ["en", "id", "fi", "ms", "pt-br"]


def test_a_token_may_not_set_it() -> None:
    answer: Answer = call("PATCH", "/account", {"language": "fi"}, who=token(person("alice"), "read", "play"))
    assert (answer.status, answer.code) == (403, "scope_missing")


def test_the_page_sets_the_browsers_and_the_accounts_and_goes_back() -> None:
    person("alice", password=PASSWORD)
    browser = Client()
    login(browser, "alice")
    answer = choose(browser, "pt-br")
    assert (answer.status_code, answer.headers["Location"]) == (303, "/boards")
    morsel = answer.cookies["django_language"]
    assert (morsel.value, morsel["samesite"], morsel["max-age"]) == ("pt-br", "Lax", 400 * 24 * 3600)
    assert Player.objects.get(name="alice").language == "pt-br"
    assert '<html lang="pt-br"' in browser.get("/boards").content.decode()


def test_on_a_new_device_the_account_wins_over_what_the_browser_asks_for() -> None:
    person("alice", password=PASSWORD)
    Player.objects.filter(name="alice").update(language="fi")
    browser = Client(headers={"accept-language": "id"})
    assert '<html lang="id"' in browser.get("/boards").content.decode()
    assert language_cookie(login(browser, "alice")) == "fi"
    assert '<html lang="fi"' in browser.get("/boards").content.decode()


def test_an_account_without_one_takes_over_what_this_browser_has_chosen() -> None:
    person("alice", password=PASSWORD)
    browser = Client()
    choose(browser, "ms")
    assert language_cookie(login(browser, "alice")) == "not set"
    assert Player.objects.get(name="alice").language == "ms"


def test_what_a_guest_has_chosen_stays_after_the_claim() -> None:
    visitor = credential(guest(), via="cookie")
    browser = Client()
    browser.cookies["tripeaks"] = visitor.secret
    choose(browser, "id")
    claimed = browser.post(
        "/api/v1/account/claim",
        {"name": "alice", "password": PASSWORD},
        content_type="application/json",
        **OURS,  # type: ignore[arg-type]
    )
    assert claimed.status_code == 200
    assert language_cookie(claimed) == "id"
    assert Player.objects.get(name="alice").language == "id"


def test_signing_in_by_token_sets_no_cookie() -> None:
    person("alice", password=PASSWORD)
    Player.objects.filter(name="alice").update(language="fi")
    answer = call("POST", "/login", {"name": "alice", "password": PASSWORD, "credential": "token"})
    assert language_cookie(answer.response) == "not set"


def test_the_cookie_is_secure_when_the_site_is(settings: Settings) -> None:
    settings.LANGUAGE_COOKIE_SECURE = True
    assert choose(Client(), "fi").cookies["django_language"]["secure"]


@pytest.mark.parametrize("meta", [{"HTTP_ORIGIN": "https://evil.example"}, {"HTTP_SEC_FETCH_SITE": "cross-site"}])
def test_no_other_page_may_set_it(meta: dict[str, str]) -> None:
    answer = choose(Client(), "fi", **meta)
    assert answer.status_code == 403
    assert language_cookie(answer) == "not set"


@pytest.mark.parametrize("language", ["xx", "", "de", "en; Domain=evil"])
def test_the_page_ignores_languages_without_words(language: str) -> None:
    answer = choose(Client(), language)
    assert answer.status_code == 303
    assert language_cookie(answer) == "not set"


@pytest.mark.parametrize(
    "elsewhere", ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)", ""]
)
def test_it_never_leads_elsewhere(elsewhere: str) -> None:
    answer = Client().post("/language", {"language": "fi", "next": elsewhere}, **OURS)  # type: ignore[arg-type]
    assert answer.headers["Location"] == "/"


def test_the_api_changes_the_cookie_of_a_page_too() -> None:
    visitor = credential(person("alice"), via="cookie")
    answer = from_our_page("PATCH", "/account", {"language": "fi"}, cookie=visitor.secret)
    assert language_cookie(answer.response) == "fi"
