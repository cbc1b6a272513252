"""A page shows what its visitor may see, and no cache on the way gives one visitor's page or language to another."""

from __future__ import annotations

from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from games import clock
from games.models import Player
from games.services.credentials import credential_create
from leaderboards.models import DailyChallenge
from leaderboards.services import dailies_prepare, daily_start
from tests.attempts.hand import Hand
from tests.calls import OUR_ORIGIN
from tests.factories import credential, guest, person

pytestmark = pytest.mark.django_db(transaction=True)
CODE = "TP1-E-AAAAAAB"
NOBODY = "0" * 16
PAGES = [
    "/",
    "/new",
    "/new?code=nonsense",
    "/rules",
    "/fairness",
    "/fair-play",
    "/boards",
    f"/boards/{CODE}",
    "/numbered",
    "/numbered/17",
    "/numbered/none",
    f"/play/{CODE}",
    "/play/{daily}",
    "/play/nonsense",
    "/account",
    "/settings",
    "/players/{player}",
    "/nothing-here",
    f"/attempts/{NOBODY}",
    f"/play/{CODE}?attempt={NOBODY}",
    "/play/tp1eaaaaaab",
    "/me",
]


def signed_in(player: Player) -> Client:
    client = Client()
    client.cookies[settings.CREDENTIAL_COOKIE] = credential(player, via="cookie").secret
    return client


def answers(client: Client, player: Player, *more: str) -> dict[str, Any]:
    names = {"daily": f"daily-{clock.now().date()}", "player": player.public_id}
    return {address: client.get(address.format(**names)) for address in (*PAGES, *more)}


def parts(header: str) -> set[str]:
    return {part.strip().lower() for part in header.split(",") if part.strip()}


def test_every_page_depends_on_language_and_cookies_and_says_so() -> None:
    dailies_prepare(now=clock.now())
    alice = person("Alice")
    for client in (Client(), signed_in(alice)):
        for address, answer in answers(client, alice).items():
            assert {"accept-language", "cookie"} <= parts(answer.headers.get("Vary", "")), address
            control = parts(answer.headers["Cache-Control"])
            assert control & {"no-cache", "no-store"}, address
            assert "public" not in control, address


def test_what_is_the_visitors_own_is_private() -> None:
    dailies_prepare(now=clock.now())
    alice = person("Alice")
    found = answers(signed_in(alice), alice)
    for address, answer in found.items():
        control = parts(answer.headers["Cache-Control"])
        if alice.public_id in answer.content.decode() or "Alice" in answer.content.decode():
            assert control & {"private", "no-store"}, address
    own = ("/", "/new", "/account", "/settings", "/players/{player}", f"/play/{CODE}", "/play/{daily}", "/me")
    for address in own:
        control = parts(found[address].headers["Cache-Control"])
        assert control & {"private", "no-store"}, address


def bearer(player: Player, *scopes: str) -> dict[str, str]:
    _, secret = credential_create(player=player, kind="token", via="bearer", name="t", scopes=scopes, now=clock.now())
    return {"HTTP_AUTHORIZATION": f"Bearer {secret}"}


def test_a_token_that_may_not_read_sees_what_everybody_sees() -> None:
    hand = Hand.of(guest())
    attempt = hand.start(CODE)
    address = f"/play/{CODE}?attempt={attempt.public_id}"
    for scopes, status in ((("read",), 200), (("play",), 404)):
        headers: Any = bearer(hand.player, *scopes)
        assert Client().get(address, **headers).status_code == status
        assert Client().get(f"/players/{hand.player.public_id}", **headers).status_code == status
        assert (attempt.public_id in Client().get("/new", **headers).content.decode()) == (status == 200)


def test_a_token_cannot_change_the_language_of_its_account() -> None:
    alice = person("Alice")
    headers: Any = bearer(alice, "read", "play")
    answer = Client().post("/language", {"language": "fi"}, HTTP_ORIGIN=OUR_ORIGIN, **headers)
    assert answer.status_code == 303
    alice.refresh_from_db()
    assert alice.language == ""


def test_C23_no_page_tells_anybody_of_a_sealed_code_or_of_anothers_running_attempt() -> None:
    now = clock.now()
    dailies_prepare(now=now)
    hand = Hand.of(person("Alice"))
    running = hand.start(CODE)
    daily, _ = daily_start(player_id=hand.player.pk, kind="person", which="today", start_key="k", now=now)
    secrets = [row.code.rsplit("-", 1)[1] for row in DailyChallenge.objects.all()]
    sent: dict[str, str] = {}
    for name, client in (("alice", signed_in(hand.player)), ("mallory", signed_in(person("Mallory"))), ("", Client())):
        more = [f"/attempts/{each.public_id}" for each in (running, daily)]
        more += [f"{address}?attempt={daily.public_id}" for address in ("/play/{daily}", f"/play/{CODE}")]
        for address, answer in answers(client, hand.player, *more).items():
            sent[f"{name} {address}"] = f"{answer.content.decode()} {answer.headers!r}"
    assert not [address for address, text in sent.items() if any(secret in text for secret in secrets)]
    ids = (running.public_id, daily.public_id)  # a page that was asked for by one has it in its own address
    told = {
        address
        for address, text in sent.items()
        if any(one in text for one in ids) and not any(one in address for one in ids)
    }
    assert told == {f"alice {own}" for own in ("/new", "/new?code=nonsense", "/play/{daily}", f"/play/{CODE}")}
