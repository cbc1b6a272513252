"""Languages in the browser: plurals, direction, and every page in each of the five languages."""

from __future__ import annotations

import functools
import json
import re
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest
from django.utils.translation import to_locale
from playwright.sync_api import Page, expect

from tests.client.cast import UNHURRIED, play_line
from tests.locale import compiled_locales
from tests.processes import ServerProcess, live_server
from tripeaks_site.catalogues import LOCALE, read, texts
from tripeaks_site.languages import OURS

from .board import Board
from .conftest import Complaints, OpenPage
from .players import deck_code, losing_line, visitor
from .profiles import language

POLISH = {0: "ruchów", 1: "ruch", 2: "ruchy", 5: "ruchów", 12: "ruchów", 22: "ruchy", 25: "ruchów", 112: "ruchów"}
ARABIC = (0, 1, 2, 3, 11, 100)
OTHERS = [code for code, _ in OURS if code != "en"]
CODE = "TP1-E-AAAAAAB"


@pytest.fixture(scope="module")
def site() -> Iterator[ServerProcess]:
    """A server that also speaks the test-only languages, as a host may add them."""
    with live_server(env={**UNHURRIED, "TRIPEAKS_LOCALES": str(compiled_locales())}) as server:
        yield server


# --- plurals (case C28) --------------------------------------------------------------------------------------------

MOVES = '("%(count)s move", "%(count)s moves", n)'


def on_the_server(site: ServerProcess, code: str, counts: list[int]) -> list[str]:
    script = (
        "import json; from django.utils.translation import ngettext, override\n"
        f"with override({code!r}): print(json.dumps([ngettext{MOVES} % {{'count': n}} for n in {counts}]))"
    )
    found: list[str] = json.loads(site.manage("shell", "--no-imports", "--command", script).stdout.splitlines()[-1])
    return found


def in_the_page(page: Page, counts: list[int]) -> list[str]:
    found: list[str] = page.evaluate(
        f"""async (counts) => {{
            const {{ filled, ngettext }} = await import("/static/games/js/words.js");
            return counts.map((n) => filled(ngettext{MOVES}, {{ count: String(n) }}));
        }}""",
        counts,
    )
    return found


def test_C28_polish_counts_take_the_form_that_goes_with_them(site: ServerProcess, open_page: OpenPage) -> None:
    wanted = [f"{count} {form}" for count, form in POLISH.items()]
    assert on_the_server(site, "pl", list(POLISH)) == wanted
    page = open_page("/", **language("pl"))
    assert page.evaluate("document.documentElement.lang") == "pl"
    assert in_the_page(page, list(POLISH)) == wanted


def test_C28_arabic_counts_have_six_forms(site: ServerProcess, open_page: OpenPage) -> None:
    def form(text: str) -> str:
        return re.sub(r"\d+ ", "", text)

    server = on_the_server(site, "ar", list(ARABIC))
    assert len({form(text) for text in server}) == 6
    assert in_the_page(open_page("/", **language("ar")), list(ARABIC)) == server


# --- direction (case C28) ------------------------------------------------------------------------------------------


def order_on_screen(page: Page, locator: str) -> str:
    """The characters of a text in the order in which they stand from left to right."""
    found: str = page.locator(locator).first.evaluate(
        """(element) => {
            const node = document.createTreeWalker(element, NodeFilter.SHOW_TEXT).nextNode();
            const at = (index) => {
                const range = document.createRange();
                range.setStart(node, index);
                range.setEnd(node, index + 1);
                return range.getBoundingClientRect().left;
            };
            return [...node.data].map((letter, index) => [at(index), letter])
                .sort(([a], [b]) => a - b).map(([, letter]) => letter).join("");
        }"""
    )
    return found


def left_of(page: Page, locator: str) -> float:
    box = page.locator(locator).first.bounding_box()
    assert box is not None, locator
    return box["x"]


def test_C28_an_arabic_page_is_mirrored_and_the_board_is_not(site: ServerProcess, open_page: OpenPage) -> None:
    alice = visitor(site.url)
    code = deck_code("Z")
    attempt = alice.start(code=code)
    page = open_page(f"/play/{code}?attempt={attempt['id']}", player=alice, **language("ar"))
    board = Board(page)
    # The test catalogue has few words of the table, so its labels are English.
    expect(board.slot(18)).to_be_visible()
    assert page.evaluate("[document.documentElement.lang, document.documentElement.dir]") == ["ar", "rtl"]
    assert left_of(page, ".brand") > 640  # the bar begins on the right
    places = [left_of(page, f'.t-board [data-slot="{slot}"]') for slot in range(28)]
    assert places[18] == min(places[18:])
    assert places[18:] == sorted(places[18:])
    assert places[9:18] == sorted(places[9:18])

    board.slot(18).focus()
    page.keyboard.press("ArrowRight")
    assert board.focused() == 19
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    assert board.focused() == 19


def test_C28_codes_and_negative_numbers_are_not_reordered(site: ServerProcess, open_page: OpenPage) -> None:
    page = open_page(f"/play/{CODE}", **language("ar"))
    assert order_on_screen(page, "#play-title") == CODE
    page.goto(f"/boards/{CODE}")
    assert order_on_screen(page, "h1 bdi, h1") == CODE
    # A score below nought: the whole stock of deck P before anything fits, in the ruleset of runs.
    code = deck_code("P")
    alice = visitor(site.url, "Scheherazade")
    attempt = alice.start(code=code)
    play_line(alice, attempt, losing_line(code))
    page.goto(f"/boards/{code}")
    score = page.locator("[data-rows] tr td.score").first
    text = score.inner_text().strip()
    assert text.startswith(("-", "\N{MINUS SIGN}")), text
    assert order_on_screen(page, "[data-rows] tr td.score") == text


def test_C28_the_api_does_not_follow_the_language(site: ServerProcess) -> None:
    def answer(path: str, **headers: str) -> tuple[bytes, str]:
        request = urllib.request.Request(site.url + path, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=10) as found:
                return found.read(), found.headers.get("Content-Language", "")
        except urllib.error.HTTPError as error:
            return error.read(), error.headers.get("Content-Language", "")

    for path in ("/api/v1/daily", f"/api/v1/boards/{CODE}", "/api/v1/boards/nonsense", "/api/v1/nothing"):
        english = answer(path)
        arabic = answer(path, **{"Accept-Language": "ar", "Cookie": "django_language=ar"})
        without_clock = re.compile(rb'"now": ?"[^"]+"')
        assert without_clock.sub(b"", english[0]) == without_clock.sub(b"", arabic[0])
        assert english[1] == arabic[1] == ""


# --- every page in each language ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def addresses(site: ServerProcess) -> dict[str, str]:
    """Every page with something on it."""
    alice = visitor(site.url, "Alice")
    attempt = alice.start(code=CODE)
    play_line(alice, attempt, losing_line(CODE))
    alice.resign(attempt["id"])  # nobody else sees it before
    player = alice.account()["id"]
    fixed = "/ /new /rules /fairness /fair-play /boards /numbered /numbered/17 /account /settings".split()
    return {
        **{address: address for address in fixed},
        "/boards/<code>": f"/boards/{CODE}",
        "/play/<code>": f"/play/{CODE}",
        "/play/daily": "/play/daily",
        "/attempts/<id>": f"/attempts/{attempt['id']}",
        "/players/<id>": f"/players/{player}",
    }


PAGES = (
    "/ /new /rules /fairness /fair-play /boards /numbered /numbered/17 /account /settings /boards/<code> /play/<code> /play/daily "
    "/attempts/<id> /players/<id>"
).split()

SHOWN = """() => {
  const found = new Set();
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const { data, parentElement } = walk.currentNode;
    if (!parentElement.closest("script, style, code, pre, [lang]:not(html), template")) found.add(data.trim().replace(/\\s+/g, " "));
  }
  for (const element of document.querySelectorAll("[aria-label], [title], [placeholder]")) {
    for (const name of ["aria-label", "title", "placeholder"]) found.add(element.getAttribute(name)?.trim() ?? "");
  }
  found.add(document.title);
  return [...found].filter((text) => text !== "");
}"""


def pattern(message: str) -> re.Pattern[str]:
    """What a message looks like once its placeholders are filled."""
    parts = re.split(r"%\(\w+\)s", message.replace("%%", "%"))
    return re.compile("(.+)".join(re.escape(" ".join(part.split(" "))) for part in parts))


@functools.cache  # reading the catalogues takes longer than loading a page
def catalogue_of(code: str) -> tuple[frozenset[str], tuple[re.Pattern[str], ...], tuple[str, ...]]:
    """(texts of the language, English messages that it has a text of its own for, what it says for "Rules")."""
    untranslated: list[re.Pattern[str]] = []
    allowed: set[str] = set()
    for domain in ("django", "djangojs"):
        for message in read(LOCALE / to_locale(code) / "LC_MESSAGES" / f"{domain}.po"):
            ids = message.id if isinstance(message.id, (tuple, list)) else (message.id,)
            words = texts(message)
            allowed.update(words)
            if not ids[0] or set(ids) & set(words) or not all(words):
                continue
            for text in ids:
                fixed = re.sub(r"%\(\w+\)s", "", text)
                if len(re.findall(r"[A-Za-z]{3,}", fixed)) >= (1 if fixed == text else 2):
                    untranslated.append(pattern(text))
    rules = read(LOCALE / to_locale(code) / "LC_MESSAGES" / "django.po").get("Rules")
    assert rules is not None
    return frozenset(allowed), tuple(untranslated), texts(rules)


def english_left(code: str, shown: list[str]) -> set[str]:
    """Texts on the page that are an English message with a translation of its own."""
    allowed, untranslated, _ = catalogue_of(code)
    # Headings and buttons are often one text with other words beside it: a whole text node is what counts.
    return {text for text in shown if text not in allowed and any(each.fullmatch(text) for each in untranslated)}


LONG = ("fi", "pt-br")
"""The languages with the longest words are read on every page; the others, whose catalogues are held complete, on SOME."""
SOME = ("/", "/play/<code>", "/account", "/fair-play")


@pytest.mark.parametrize(
    ("name", "code"), [(name, code) for name in PAGES for code in OTHERS if code in LONG or name in SOME]
)
def test_every_page_speaks_the_language_of_its_reader(
    open_page: OpenPage, addresses: dict[str, str], name: str, code: str
) -> None:
    page = open_page(addresses[name], width=320, height=640, **language(code))
    page.wait_for_timeout(150)  # scripts have run by now; what they ask for has come
    assert page.evaluate("[document.documentElement.lang, document.documentElement.dir]") == [code, "ltr"]
    shown: list[str] = page.evaluate(SHOWN)
    assert catalogue_of(code)[2][0] in shown
    assert english_left(code, shown) == set()
    assert page.evaluate("document.documentElement.scrollWidth") <= 320  # long words wrap


@pytest.mark.parametrize("name", PAGES)
def test_every_page_keeps_its_shape_from_right_to_left(
    open_page: OpenPage, addresses: dict[str, str], name: str
) -> None:
    page = open_page(addresses[name], width=320, height=640, **language("ar"))
    page.wait_for_timeout(150)  # scripts have run by now; what they ask for has come
    assert page.evaluate("document.documentElement.dir") == "rtl"
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    cut = page.evaluate(
        """() => [...document.querySelectorAll('main *')].filter((each) => {
            const box = each.getBoundingClientRect();
            return box.width > 1 && box.height > 1 && (box.right > innerWidth + 1 || box.left < -1)
              && !each.closest('.table-wrap, .hidden-text, [hidden]');
        }).map((each) => each.outerHTML.slice(0, 80))"""
    )
    assert cut == []


def test_the_search_for_english_finds_what_is_left() -> None:
    for code in OTHERS:
        assert english_left(code, ["Rules", "New game"]) or not complete(code)


@functools.cache
def finnish_patterns() -> tuple[re.Pattern[str], ...]:
    """What every Finnish text looks like on a page."""
    catalogs = (read(LOCALE / "fi" / "LC_MESSAGES" / f"{domain}.po") for domain in ("django", "djangojs"))
    told = [text for catalog in catalogs for message in catalog if message.id for text in texts(message)]
    return tuple(pattern(text) for text in told if re.search(r"[^\W\d_]", re.sub(r"%\(\w+\)s", "", text)))


def complete(code: str) -> bool:
    return all(all(texts(each)) for each in read(LOCALE / to_locale(code) / "LC_MESSAGES" / "django.po") if each.id)


def test_the_chosen_language_comes_before_the_browsers(site: ServerProcess, open_page: OpenPage) -> None:
    page = open_page("/settings", **language("id"))
    assert page.evaluate("document.documentElement.lang") == "id"
    page.context.add_cookies([{"name": "django_language", "value": "fi", "url": site.url}])
    page.reload()
    assert page.evaluate("document.documentElement.lang") == "fi"


def test_unknown_languages_get_english(open_page: OpenPage, complaints: Complaints) -> None:
    page: Any = open_page("/rules", **language("ja"))
    assert page.evaluate("document.documentElement.lang") == "en"


@pytest.mark.parametrize("name", PAGES)
def test_no_text_has_been_kept_from_the_translators(open_page: OpenPage, addresses: dict[str, str], name: str) -> None:
    """What a Finnish page shares with the English one: names, codes, and words that are the same."""
    shown = []
    for code in ("en", "fi"):
        page = open_page(addresses[name], **language(code))
        page.wait_for_timeout(150)  # scripts have run by now; what they ask for has come
        shown.append(set(page.evaluate(SHOWN)))
    assert untranslated(*shown) == set()


def test_a_text_kept_from_the_translators_is_found() -> None:
    assert untranslated({"Brand new words"}, {"Brand new words"}) == {"Brand new words"}


def untranslated(english: set[str], finnish: set[str]) -> set[str]:
    """Texts that a Finnish page shares with the English one, though they are no names, codes, or words of Finnish."""
    same = {text.removesuffix(" · TriPeaks") for text in english & finnish if re.search(r"[a-z]{3,}", text)}
    named = {CODE, "TriPeaks", "Alice", "OpenAPI", "AsyncAPI", "polski", *(name for _, name in OURS)}
    return {text for text in same - named if not any(each.fullmatch(text) for each in finnish_patterns())}


@pytest.mark.parametrize("code", OTHERS)
def test_the_table_and_what_it_announces_speak_the_language(
    site: ServerProcess, open_page: OpenPage, code: str
) -> None:
    player = visitor(site.url)
    player.start(code=deck_code("Z"))
    page = open_page(f"/play/{deck_code('Z')}", player=player, **language(code))
    page.locator('.t-board [data-slot="18"].open').click()  # not before it is dealt
    expect(Board(page).figure("score")).to_have_text("1")
    expect(page.locator("#announce")).not_to_have_text("")
    shown: list[str] = page.evaluate(SHOWN)
    assert english_left(code, shown) == set()
    assert not re.search(r"\b(hearts|clubs|spades|diamonds)\b", " ".join(shown))
