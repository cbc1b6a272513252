"""Whatever is written into an address, a query, a cookie or a header, no page breaks: it answers, or says what is wrong."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

import pytest
from django.conf import settings
from django.core.handlers.wsgi import WSGIRequest
from django.test import Client, RequestFactory
from pytest_django import Settings

from games import clock
from leaderboards.prefs import COOKIE
from leaderboards.services import dailies_prepare
from leaderboards.urls import urlpatterns
from tests.factories import credential, person
from tests.leaderboards.cast import finish
from tests.processes import ROOT
from tripeaks_site.wsgi import application

pytestmark = pytest.mark.django_db(transaction=True)

CODE = "TP1-E-AAAAAAB"
NOBODY = "0" * 16
NONSENSE = {
    "empty": "",
    "space": "%20",
    "NUL": "%00",
    "NUL inside": "TP1-E-A%00AAAAAB",
    "a line end": "1%0d%0aSet-Cookie:a=b",
    "no UTF-8": "%ff%fe",
    "a lone surrogate": "%ED%A0%80",
    "zero": "0",
    "negative": "-1",
    "huge": "9" * 400,
    "beyond 64 bits": str(2**64),
    "other digits": quote("١٢٣"),
    "a fraction": "1.5",
    "not a number": "NaN",
    "a month that is none": "0000-13",
    "the last month": "9999-12",
    "a day that is none": "daily-0000-00-00",
    "the last day": "daily-9999-12-31",
    "quotes": quote("'\";--<script>"),
    "a format": quote("%s%(count)s{0}{{ x }}"),
    "a path": quote("../../etc/passwd", safe=""),
    "an address": quote("//elsewhere.example/", safe=""),
    "a list": "a&{name}=b&{name}[]=c",
    "a cursor": "ffffffffffffff.ffffffffffff.fffffffffffffff",
    "base64": "ZmZmZi5mZi5mZg",
    "long": "A" * 3000,
    "no escape": "%zz%",
    "a thousand fields": "a" + "&a=1" * 1100,
}
READ: dict[str, tuple[str, ...]] = {
    "/": (),
    "/new": ("code", "number"),
    "/rules": (),
    "/fairness": ("daily",),
    "/fair-play": (),
    "/boards": ("code",),
    f"/boards/{CODE}": ("kind", "view", "cursor"),
    "/boards/tp1eaaaaaab": ("kind",),
    "/boards/{daily}": ("kind", "view", "cursor"),
    "/account": ("next", "after"),
    "/settings": ("saved",),
    "/numbered": ("number", "filter", "kind", "cursor"),
    "/numbered/random": ("unbeaten", "play"),
    "/numbered/17": (),
    "/play/daily": (),
    "/play/random": ("ruleset",),
    f"/play/{CODE}": ("attempt",),
    "/play/tp1eaaaaaab": ("attempt",),
    "/play/{daily}": ("attempt",),
    "/attempts/{attempt}": ("page", "analysis"),
    f"/attempts/{NOBODY}": ("page",),
    "/me": (),
    "/players/{player}": ("month", "after"),
}
"""Every page, and what it reads of its query."""
OTHERS = ("language", "limit")  # read by none


@pytest.fixture
def names() -> dict[str, str]:
    """What the addresses above name: a day, a player with a result, that result's attempt."""
    now = clock.now()
    dailies_prepare(now=now)
    alice = person("Alice")
    return {
        "daily": f"daily-{now.date()}",
        "player": alice.public_id,
        "attempt": finish(alice, 700, code=CODE, at=now).public_id,
        "secret": credential(alice, via="cookie").secret,
    }


@pytest.fixture(autouse=True)
def no_throttle(settings: Settings) -> None:
    """One address asks for hundreds of pages here."""
    settings.THROTTLES = {**settings.THROTTLES, "page": (100_000, 60), "read": (100_000, 60)}


def statuses(paths: list[str], client: Client, **headers: Any) -> dict[str, int]:
    """Those that broke. An exception of a view comes as a 500 here."""
    client.raise_request_exception = False
    found = {path: client.get(path, **headers).status_code for path in paths}
    assert not [path for path, status in found.items() if status == 429], "the throttle answers instead of the page"
    return {path: status for path, status in found.items() if status >= 500}


def signed_in(names: dict[str, str]) -> Client:
    client = Client()
    client.cookies[settings.CREDENTIAL_COOKIE] = names["secret"]
    return client


def test_every_page_and_all_that_it_reads_is_asked_here() -> None:
    """The tables above are complete: by the addresses that there are, and by the source of their views."""
    known = {re.split(r"[<(]", str(pattern.pattern))[0].strip("^/") for pattern in urlpatterns}
    asked = {address.strip("/") for address in READ}
    asked |= {address.rpartition("/")[0] for address in asked}
    assert known - asked == {"language"}, "which is no page but the address of a form"
    sources = "".join(path.read_text() for path in (ROOT / "leaderboards").glob("*.py"))
    named = set(re.findall(r'\b(?:GET|query)(?:\.get\(|\[)"(\w+)"', sources))
    named |= set(re.findall(r'"(\w+)" in (?:request\.GET|query)\b', sources))
    assert named == {name for names in READ.values() for name in names}


@pytest.mark.parametrize("address", READ)
def test_no_page_breaks_over_its_query(address: str, names: dict[str, str]) -> None:
    path, values = address.format(**names), NONSENSE.values()
    paths = [f"{path}?{name}={value.replace('{name}', name)}" for name in READ[address] for value in values]
    paths += [f"{path}?{value}&{'&'.join(f'{name}={value}' for name in OTHERS)}" for value in values]
    assert statuses(paths, signed_in(names)) == {}


@pytest.mark.parametrize("start", ["/", "/boards/", "/numbered/", "/play/", "/attempts/", "/players/", "/words/"])
def test_no_address_breaks(start: str, names: dict[str, str]) -> None:
    assert statuses([f"{start}{value}" for value in NONSENSE.values()], signed_in(names)) == {}


@pytest.mark.parametrize("name", [COOKIE, settings.LANGUAGE_COOKIE_NAME, settings.CREDENTIAL_COOKIE])
def test_no_page_breaks_over_a_cookie(name: str, names: dict[str, str]) -> None:
    values = [
        "", "\x00", "\xff\xfe", "a" * 5000, "theme-dark.theme-light.suits-x.-.--", "theme-", "../../x", "{}", "%00",
        "xx-" * 300, "zh-hans-cn", "tps_", "\ud800".encode("utf-8", "surrogatepass").decode("latin-1"), '"', '"\\777"',
    ]  # fmt: skip
    for path in ("/", "/settings", f"/play/{CODE}", f"/players/{names['player']}", "/nothing-here"):
        for value in values:
            assert statuses([path], Client(), HTTP_COOKIE=f"{name}={value}") == {}, value


@pytest.mark.parametrize("header", ["HTTP_ACCEPT_LANGUAGE", "HTTP_AUTHORIZATION", "HTTP_ORIGIN", "HTTP_REFERER"])
def test_no_page_breaks_over_a_header(header: str, names: dict[str, str]) -> None:
    for value in ("", "\xff", "*;q=nan", "x" * 9000, "Bearer ", "Bearer \x00", "fi-" * 400, "http://[", "null", ",;,"):
        assert statuses(["/", "/account", "/nothing-here"], Client(), **{header: value}) == {}, value


def served(path: str, content_type: str) -> int:
    """The status from the very edge: Django reads this header before any middleware could answer."""
    environ = {**RequestFactory().get(path).environ, "CONTENT_TYPE": content_type}
    answer = application(environ, lambda *start: print)
    answer.close()
    return answer.status_code


@pytest.mark.parametrize("charset", ["ascii", "utf-16", "utf-7", "hex", "base64", "rot13", "idna", "nothing", "\xff"])
def test_no_page_breaks_over_a_character_set(charset: str, names: dict[str, str]) -> None:
    paths = [
        "/numbered?filter=all&x=%ff",
        "/play/tp1eaaaaaab?x=%ff",
        f"/players/{names['player']}?month=%ff&after=%ff",
        "/api/v1/names?name=%ff",
        f"/numbered?{'a=1&' * 1100}",
    ]
    found = [served(path, f"text/plain; charset={charset}") for path in paths]
    assert found == [200, 302, 404, 400, 400]


def test_a_character_set_that_is_believed_breaks_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: Django's own request."""
    monkeypatch.setattr(application, "request_class", WSGIRequest)
    with pytest.raises(LookupError):
        served("/rules?x=1", "text/plain; charset=hex")


@pytest.mark.parametrize("address", ["/settings", "/language", f"/attempts/{NOBODY}"])
def test_nothing_breaks_over_what_is_sent(address: str, names: dict[str, str]) -> None:
    client = signed_in(names)
    client.raise_request_exception = False
    form = "application/x-www-form-urlencoded"
    bodies = [
        (form, "&".join(f"{name}={value}" for name in ("theme", "language", "next"))) for value in NONSENSE.values()
    ]
    bodies += [
        (f"{form}; charset=hex", "theme=dark"),
        ("multipart/form-data", "theme=dark"),
        ("multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=\r\n\r\n"),
        ("application/json", "{"),
        ("", "\x00"),
    ]
    for kind, body in bodies:
        answer = client.generic("POST", address, body.encode(), kind, HTTP_ORIGIN="http://testserver")
        assert answer.status_code < 500, (kind, body)
        assert re.fullmatch(r"/(?!/)[\x21-\x7e]*|", answer.headers.get("Location", "")), "an address of ours, in ASCII"


def test_a_page_that_breaks_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control of all of these."""
    monkeypatch.setattr("leaderboards.views_words.ruleset_rows", lambda: 1 // 0)
    assert statuses(["/rules", "/boards"], Client()) == {"/rules": 500}
