"""Who may open what of the admin: every address that it has, for everybody there is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import Group
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.models import Session
from django.http import HttpResponse
from django.test import Client
from django.urls import URLPattern, URLResolver, path, reverse
from pytest_django import Settings

from games import clock
from games.admin import PlayerAdmin
from games.admin_site import ModeratorSite
from games.models import Attempt, Credential, Player
from leaderboards.models import Board, DailyChallenge, Entry
from leaderboards.moderation.desk.acts import ACTS
from leaderboards.moderation.models import Appeal, Case, ModeratorAction, Notice
from leaderboards.services import dailies_prepare
from tests.factories import bot, credential, person, token
from tests.leaderboards.cast import finish
from tests.moderation.playing import WON, play
from tests.staff import enrolled, signed_in_moderator, staff

pytestmark = pytest.mark.django_db

# --- the table -----------------------------------------------------------------------------------------------------

NOBODY: frozenset[str] = frozenset()
HEADS = frozenset(["head", "superuser"])
ACTORS = HEADS | {"moderator"}
READERS = ACTORS | {"auditor"}
STAFF = READERS | {"staff"}
"""Signed in with a second factor; "staff" has no role."""
WHO = (
    "visitor",
    "player",
    "staff",
    "moderator",
    "head",
    "auditor",
    "superuser",
    "head without a code",
    "new superuser",
)

OPEN = {"login", "logout", "second_factor", "second_factor_setup"}
"""The way in and out, for everybody; tests.accounts.test_second_factor has what they do."""


@dataclass(frozen=True)
class Page:
    """Whom a page lets in. `arguments` of its address are made from the rows there are."""

    get: frozenset[str]
    post: frozenset[str]
    arguments: Callable[[Any], Sequence[Any]] = lambda rows: ()


def look_only(model: str, row: Callable[[Any], Any]) -> dict[str, Page]:
    """Django's pages of a model, all for looking."""

    def key(rows: Any) -> list[Any]:
        return [row(rows).pk]

    return {
        f"{model}_changelist": Page(READERS, READERS),
        f"{model}_add": Page(NOBODY, NOBODY),
        f"{model}_change": Page(READERS, NOBODY, key),
        f"{model}_delete": Page(NOBODY, NOBODY, key),
        f"{model}_history": Page(READERS, READERS, key),
        f"{model.replace('_', '/')}/<path:object_id>/": Page(STAFF, STAFF, key),  # leads to the row's page
    }


def act(kind: str, who: frozenset[str], subject: Callable[[Any], Any]) -> dict[str, Page]:
    """The desk's page of an act: the form; sent without a reason it does nothing."""
    return {f"leaderboards_case_do {kind}": Page(who, who, lambda rows: [kind, subject(rows).public_id])}


PAGES = {
    "index": Page(STAFF, STAFF),
    "app_list games": Page(READERS, READERS, lambda rows: ["games"]),
    "app_list leaderboards": Page(READERS, READERS, lambda rows: ["leaderboards"]),
    "password_change": Page(STAFF, STAFF),
    "password_change_done": Page(STAFF, NOBODY),
    "second_factor_codes": Page(STAFF, STAFF),
    "jsi18n": Page(STAFF, NOBODY),
    "autocomplete": Page(NOBODY, NOBODY),
    "view_on_site": Page(NOBODY, NOBODY, lambda rows: [ContentType.objects.get_for_model(Player).pk, rows.alice.pk]),
    "(?P<url>.*)$": Page(NOBODY, NOBODY, lambda rows: ["nowhere/"]),
    **look_only("games_player", lambda rows: rows.alice),
    **look_only("games_credential", lambda rows: rows.credential),
    **look_only("games_attempt", lambda rows: rows.attempt),
    **look_only("leaderboards_dailychallenge", lambda rows: rows.daily),
    **look_only("leaderboards_board", lambda rows: rows.entry.board),
    **look_only("leaderboards_entry", lambda rows: rows.entry),
    "leaderboards_case_changelist": Page(READERS, NOBODY),
    "leaderboards_case_change": Page(READERS, NOBODY, lambda rows: [rows.case.public_id]),
    "leaderboards_case_look": Page(NOBODY, READERS, lambda rows: [rows.case.public_id]),
    "leaderboards_case_players": Page(READERS, NOBODY),
    "leaderboards_case_player": Page(READERS, NOBODY, lambda rows: [rows.alice.public_id]),
    "leaderboards_moderatoraction_changelist": Page(READERS, NOBODY),
    "leaderboards_moderatoraction_change": Page(READERS, NOBODY, lambda rows: [rows.action.public_id]),
    **act("clear", ACTORS, lambda rows: rows.attempt),
    **act("hold", ACTORS, lambda rows: rows.attempt),
    **act("disqualify", ACTORS, lambda rows: rows.attempt),
    **act("reinstate", ACTORS, lambda rows: rows.attempt),
    **act("warn", ACTORS, lambda rows: rows.alice),
    **act("ban", ACTORS, lambda rows: rows.alice),
    **act("unban", HEADS, lambda rows: rows.alice),
    **act("hide", HEADS, lambda rows: rows.alice),
    **act("show", HEADS, lambda rows: rows.alice),
    **act("merge", HEADS, lambda rows: rows.alice),
    **act("separate", HEADS, lambda rows: rows.alice),
    **act("dismiss", ACTORS, lambda rows: rows.alice),
    **act("answer", HEADS, lambda rows: rows.notice),
    **act("revert", HEADS, lambda rows: rows.action),  # somebody else's
}
VARIANTS = {"app_list": ["games", "leaderboards"], "leaderboards_case_do": list(ACTS)}
"""One pattern, several pages."""


def names_of(patterns: Sequence[URLPattern | URLResolver], prefix: str = "") -> Iterator[str]:
    """The name of every address, or its route where it has none; one for each of VARIANTS."""
    for pattern in patterns:
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from names_of(pattern.url_patterns, route)
        else:
            name = pattern.name or route
            yield from (f"{name} {variant}" for variant in VARIANTS.get(name, [])) if name in VARIANTS else (name,)


def unlisted(patterns: Sequence[URLPattern | URLResolver]) -> set[str]:
    """Addresses of which the table says nothing, and lines of the table that are no address any more."""
    return set(names_of(patterns)) ^ (set(PAGES) | OPEN)


# --- the rows and the people ---------------------------------------------------------------------------------------


@pytest.fixture
def rows(settings: Settings) -> SimpleNamespace:
    """One of everything that a page may be about."""
    now = clock.now()
    settings.DAILY_DAYS_AHEAD = 1  # a week of deals costs more than a test's pages
    dailies_prepare(now=now)
    alice, decider = person("alice"), staff("decider", role="head")
    attempt = play(token(alice), WON[:3], resign=True)
    finish(alice, 300, at=now)
    action = ModeratorAction.objects.create(
        at=now,
        moderator=decider,
        kind="disqualify",
        reason_class="copied",
        reason="-",
        player=alice,
        attempt=attempt,
        before={},
        after={},
    )
    notice = Notice.objects.create(
        player=alice, action=action, kind="disqualified", reason_class="copied", attempt=attempt, at=now
    )
    Appeal.objects.create(notice=notice, text="No!", at=now)
    case = Case.objects.create(
        player=alice, attempt=attempt, severity=60, reasons=["same_line"], opened_at=now, updated_at=now
    )
    daily = DailyChallenge.objects.order_by("pk").last()
    entry = Entry.objects.select_related("board").first()
    assert entry is not None
    assert daily is not None
    return SimpleNamespace(
        alice=alice,
        attempt=attempt,
        credential=credential(alice).credential,
        daily=daily,
        entry=entry,
        case=case,
        action=action,
        notice=notice,
    )


def browser_of(who: str) -> Client:
    """Somebody's browser, as signed in as they can be."""
    client = Client()
    if who == "player":
        client.force_login(person("mallory"))
    elif who == "head without a code":
        enrolled(head := staff("hasty", role="head"))
        client.force_login(head)
    elif who == "new superuser":
        client.force_login(staff("fresh", role="superuser"))
    elif who != "visitor":
        signed_in_moderator(client, role=who, name=f"the {who}")
    return client


def address_of(name: str, page: Page, rows: Any) -> str:
    arguments = page.arguments(rows)
    if "/<path:object_id>/" in name:
        return f"/admin/{name.replace('<path:object_id>', str(arguments[0]))}"
    if name.startswith("("):
        return f"/admin/{arguments[0]}"
    return reverse(f"admin:{name.split()[0]}", args=arguments)


def let_in(answer: Any) -> bool:
    """Whether the page was given; fails for what is neither that nor a proper refusal."""
    to = answer.headers.get("Location", "")
    if answer.status_code == 302:
        return not to.startswith(("/admin/login/", "/admin/second-factor/"))
    assert answer.status_code in (200, 403, 404, 405, 422), answer.status_code
    return answer.status_code in (200, 422)


def everything() -> dict[str, list[Any]]:
    """All rows there are, but those of sessions."""
    models = [model for model in apps.get_models() if model is not Session and model._meta.managed]
    return {model._meta.label: list(model._base_manager.order_by("pk").values_list()) for model in models}


# --- every address -------------------------------------------------------------------------------------------------


def test_the_table_has_every_address_of_the_admin() -> None:
    assert unlisted(admin.site.get_urls()) == set()
    assert len(PAGES) > 60


def test_an_address_that_the_table_lacks_is_noticed() -> None:
    extra = path("extra/", lambda request: HttpResponse(), name="extra")
    assert unlisted([*admin.site.get_urls(), extra]) == {"extra"}
    assert "leaderboards_case_changelist" in unlisted(admin.site.get_urls()[:9])
    other = ModeratorSite()
    other.register(Group, PlayerAdmin)
    assert {"auth_group_changelist", "auth_group_add", "auth/group/<path:object_id>/"} <= unlisted(other.get_urls())


@pytest.mark.parametrize("name", PAGES)
def test_a_page_lets_in_whom_the_table_says(name: str, rows: SimpleNamespace) -> None:
    page = PAGES[name]
    address = address_of(name, page, rows)
    browsers = {who: browser_of(who) for who in WHO}
    got = {who for who in WHO if let_in(browsers[who].get(address))}
    assert got == page.get, "GET"
    before = everything()
    sent = {who for who in WHO if who not in page.post and let_in(browsers[who].post(address, {"step": "do"}))}
    assert sent == set(), "POST"
    assert everything() == before
    assert all(let_in(browsers[who].post(address, {"step": "do"})) for who in WHO if who in page.post), "POST"
    if name != "leaderboards_case_look":  # gives up ranking at the cards
        assert everything() == before


def test_what_is_open_to_everybody_shows_nothing(rows: SimpleNamespace) -> None:
    for who in ("visitor", "player", "staff", "head without a code", "new superuser"):
        for name in OPEN - {"logout"}:
            seen = browser_of(who) if who == "visitor" else _browser_again(who)
            body = seen.get(reverse(f"admin:{name}"), follow=True).content.decode()
            assert "alice" not in body
            assert rows.attempt.public_id not in body


def _browser_again(who: str) -> Client:
    Player.objects.filter(name__in=["mallory", "hasty", "fresh", f"the {who}"]).delete()
    return browser_of(who)


def test_a_row_of_a_look_only_page_is_not_changed_by_whoever_sends_its_form(rows: SimpleNamespace) -> None:
    head = browser_of("superuser")
    fields = {"name": "renamed", "is_superuser": "on", "_save": "Save"}
    assert head.post(f"/admin/games/player/{rows.alice.pk}/change/", fields).status_code == 403
    body = {"action": "delete_selected", "_selected_action": [rows.alice.pk], "post": "yes"}
    head.post("/admin/games/player/", body)
    rows.alice.refresh_from_db()
    assert (rows.alice.name, rows.alice.is_superuser) == ("alice", False)


def test_a_role_taken_away_or_given_works_at_the_next_request(rows: SimpleNamespace) -> None:
    browser = browser_of("moderator")
    mod = Player.objects.get(name="the moderator")
    queue, warn, hide = (
        reverse("admin:leaderboards_case_changelist"),
        *(reverse("admin:leaderboards_case_do", args=[kind, rows.alice.public_id]) for kind in ("warn", "hide")),
    )

    def seen() -> list[bool]:
        return [let_in(browser.get(address)) for address in (queue, warn, hide)]

    assert seen() == [True, True, False]
    mod.groups.set([Group.objects.get(name="head")])
    assert seen() == [True, True, True]
    mod.groups.set([Group.objects.get(name="auditor")])
    assert seen() == [True, False, False]
    mod.groups.clear()
    assert seen() == [False, False, False]


def test_nobody_judges_their_own_case_or_that_of_their_bot() -> None:
    browser = browser_of("head")
    head = Player.objects.get(name="the head")
    for player in (head, bot("robot", owner=head)):
        assert not let_in(browser.get(reverse("admin:leaderboards_case_do", args=["warn", player.public_id])))


def test_rows_of_the_models_named_here_exist(rows: SimpleNamespace) -> None:
    """The pages above are asked about rows that are there: a 404 would look like a refusal."""
    for model in (Attempt, Credential, Board, Entry, DailyChallenge, Case, Notice):
        assert model._default_manager.exists()
