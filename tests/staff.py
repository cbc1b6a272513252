"""Moderators of the tests, signed in to the admin as its second factor wants it.

    mod = signed_in_moderator(client)                  # a Player with the role of a moderator; `client` is past the code
    head = signed_in_moderator(client, role="head", name="hilda")
    other = signed_in_moderator(other_client, player=mod)         # one more browser of the same account

Roles: "moderator", "head", "auditor", "superuser", and "staff" (may sign in, has no role). `staff(…)` makes the account
alone. For a live server in a browser the way is the real one:

    secret = browser_enrols(page, site.url, "mod", PASSWORD)      # password, phone, backup codes; ends at /admin/
    browser_signs_in(page, site.url, "mod", PASSWORD, secret)     # password and a code

`live_moderator(site, "mod", role="head")` makes the account in the live server's database by the commands.
"""

from __future__ import annotations

import time
from base64 import b32decode

from django.contrib.auth.models import Group
from django.test import Client
from django_otp import DEVICE_ID_SESSION_KEY
from django_otp.oath import TOTP
from django_otp.plugins.otp_totp.models import TOTPDevice
from playwright.sync_api import Page

from games.models import Player
from tests.factories import PASSWORD, person
from tests.processes import ServerProcess, run_manage

STEP = 30


def staff(name: str = "mod", *, role: str = "moderator", password: str | None = None) -> Player:
    """An account that is staff and has this role."""
    player = person(name, password=password, is_staff=True, is_superuser=role == "superuser")
    if role not in ("superuser", "staff"):
        player.groups.add(Group.objects.get(name=role))
    return player


def enrolled(player: Player) -> TOTPDevice:
    """The account's phone, set up now where it was not."""
    device, _ = TOTPDevice.objects.get_or_create(user=player, defaults={"name": "phone"})
    assert isinstance(device, TOTPDevice)
    return device


def signed_in_moderator(
    client: Client, *, role: str = "moderator", name: str = "mod", player: Player | None = None
) -> Player:
    """Sign Django's test client in to the admin, password and code behind it; the account (`player`, or a new one)."""
    player = player or staff(name, role=role)
    device = enrolled(player)
    client.force_login(player)
    session = client.session
    session[DEVICE_ID_SESSION_KEY] = device.persistent_id
    session.save()
    return player


# --- codes ---------------------------------------------------------------------------------------------------------


def code_at(key: bytes, step: int) -> str:
    """What the phone shows in the `step`th half minute since 1970."""
    totp = TOTP(key, step=STEP)
    totp.time = step * STEP
    return f"{totp.token():06}"


def present_code(device: TOTPDevice) -> str:
    """What the phone shows now; the device need be in no row."""
    return code_at(device.bin_key, int(time.time()) // STEP)


def fresh_code(device: TOTPDevice) -> str:
    """A code that the server still takes: the present one, or the next where that was used."""
    device.refresh_from_db()
    return code_at(device.bin_key, max(int(time.time()) // STEP, device.last_t + 1))


def wrong_code(device: TOTPDevice) -> str:
    """Six digits that are right at no time near now."""
    now = int(time.time()) // STEP
    near = {code_at(device.bin_key, now + offset) for offset in range(-5, 6)}
    return next(code for code in (f"{number:06}" for number in range(20)) if code not in near)


# --- a live server -------------------------------------------------------------------------------------------------


def live_moderator(site: ServerProcess, name: str = "mod", *, role: str = "moderator") -> None:
    """An account with this role and PASSWORD in the database of a live server."""
    env = {**site.environment, "DJANGO_SUPERUSER_PASSWORD": PASSWORD}
    run_manage("createsuperuser", "--noinput", "--name", name, env=env)
    if role != "superuser":
        demote = f"from games.models import Player; Player.objects.filter(name={name!r}).update(is_superuser=False)"
        run_manage("shell", "-c", demote, env=env)
        run_manage("staff_role", name, role, env=env)


def secret_on(page: Page) -> bytes:
    """The key that the page of setting up shows in letters."""
    return b32decode(page.locator("code.secret").inner_text().replace(" ", ""))


def browser_enrols(page: Page, url: str, name: str, password: str = PASSWORD) -> bytes:
    """Sign in for the first time: password, phone, backup codes; the key of the phone. Ends on the admin's first page."""
    _password(page, url, name, password)
    secret = secret_on(page)
    page.get_by_label("Code").fill(code_at(secret, int(time.time()) // STEP))
    page.get_by_role("button", name="Confirm").click()
    page.get_by_role("link", name="I have kept them").click()
    return secret


def browser_signs_in(page: Page, url: str, name: str, password: str, secret: bytes, *, stay: bool = False) -> None:
    """Sign in again; `stay`: on the page of the code. The next code is taken, too, so one half minute is enough for
    setting up and one sign-in, not for two.
    """
    _password(page, url, name, password)
    if stay:
        return
    page.get_by_label("Code").fill(code_at(secret, int(time.time()) // STEP + 1))
    page.get_by_role("button", name="Continue").click()


def _password(page: Page, url: str, name: str, password: str) -> None:
    page.goto(f"{url}/admin/")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Log in").click()
