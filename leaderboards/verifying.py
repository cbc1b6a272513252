"""What the processes of `manage.py verify` do; imported before Django is ready, so everything else is not at the top."""

from __future__ import annotations

Found = tuple[int, list[tuple[str, str, str]]]


def part_verify(kind: str, after: int, upto: int) -> Found:
    """Verify the rows of a kind with after < id <= upto: (how many, (what, code, said) of each difference)."""
    import django
    from django.apps import apps

    if not apps.ready:
        django.setup()
    from games.selectors.verify import attempts_verify
    from leaderboards.selectors.verify import boards_verify, players_verify

    verify = {"attempts": attempts_verify, "players": players_verify, "boards": boards_verify}[kind]
    count, found = verify(after, upto)
    return count, [(what, code, said) for what, code, said in found]
