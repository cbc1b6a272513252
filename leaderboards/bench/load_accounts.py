"""Accounts for generated players, made straight in the database: sign-ups cost a password's hash each and are not measured.

    python -m leaderboards.bench.load_accounts COUNT        (with the server's environment)

Prints one line of JSON: the tokens.
"""

from __future__ import annotations

import json
import os
import secrets
import sys


def main(count: int) -> None:
    """See the module."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tripeaks_site.settings")
    import django

    django.setup()
    from django.db import transaction

    from games import clock
    from games.models import Player
    from games.services.credentials import credential_create

    tokens = []
    now = clock.now()
    with transaction.atomic():
        for _ in range(count):
            name = f"load {secrets.token_hex(7)}"
            player = Player.objects.create(kind="person", name=name, name_key=name, password="!")
            _, token = credential_create(player=player, kind="token", via="bearer", name="load", now=now)
            tokens.append(token)
    print(json.dumps(tokens))  # noqa: T201


if __name__ == "__main__":
    main(int(sys.argv[1]))
