"""Small builders of rows, for every test that needs somebody. The cast: alice plays, bob competes, mallory may do
nothing, mod moderates.

They write rows directly (no password hashing, no throttle); tests of accounts themselves use the services.
"""

from __future__ import annotations

import datetime as dt
import itertools
from dataclasses import dataclass

from django.contrib.auth.hashers import make_password

from games import clock
from games.models import Credential, Player
from games.names import name_key
from games.services.credentials import credential_create

_numbers = itertools.count(1)
PASSWORD = "correct horse battery"


@dataclass(frozen=True)
class SignedIn:
    """A player with a credential: `secret` is what a cookie or an Authorization header carries."""

    player: Player
    credential: Credential
    secret: str

    @property
    def bearer(self) -> dict[str, str]:
        """The header, for real HTTP clients: `{"Authorization": "Bearer …"}`."""
        return {"Authorization": f"Bearer {self.secret}"}

    @property
    def meta(self) -> dict[str, str]:
        """The same for Django's test client: `client.get(path, **alice.meta)`."""
        return {"HTTP_AUTHORIZATION": f"Bearer {self.secret}"}


def guest() -> Player:
    """A guest without a credential."""
    player = Player(kind=Player.Kind.GUEST)
    player.set_unusable_password()
    player.save()
    return player


def person(
    name: str = "", *, password: str | None = None, is_staff: bool = False, is_superuser: bool = False
) -> Player:
    """A person; a name is made up where none is given. Without `password` none fits."""
    name = name or f"person {next(_numbers)}x"
    return Player.objects.create(
        kind=Player.Kind.PERSON,
        name=name,
        name_key=name_key(name),
        password=make_password(password),
        is_staff=is_staff,
        is_superuser=is_superuser,
    )


def bot(name: str = "", *, owner: Player | None = None) -> Player:
    """A bot; an owner is made up where none is given."""
    name = name or f"bot {next(_numbers)}x"
    made = Player(kind=Player.Kind.BOT, name=name, name_key=name_key(name), owner=owner or person())
    made.set_unusable_password()
    made.save()
    return made


def credential(
    player: Player,
    *,
    kind: str = Credential.Kind.SESSION,
    via: str = Credential.Via.BEARER,
    scopes: tuple[str, ...] | None = None,
    name: str = "",
    now: dt.datetime | None = None,
) -> SignedIn:
    """A credential of the player: a session by bearer, unless told otherwise."""
    made, secret = credential_create(
        player=player, kind=kind, via=via, scopes=scopes, name=name, now=now or clock.now()
    )
    return SignedIn(player, made, secret)


def token(player: Player, *scopes: str) -> SignedIn:
    """An API token with these scopes (both when none is given)."""
    return credential(player, kind=Credential.Kind.TOKEN, scopes=scopes or None, name="test")


def signed_in(name: str = "") -> SignedIn:
    """A person signed in by bearer session: `alice = signed_in("alice")`."""
    return credential(person(name))


def signed_in_guest() -> SignedIn:
    """A guest signed in by bearer session."""
    return credential(guest())
