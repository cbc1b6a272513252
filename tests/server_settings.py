"""The settings of the tests' server processes: the real ones, but for the cost of a password's hash.

Hundreds of accounts are made over the tests, at a third of a second of a core each; what hashes cost is no part of what
those tests are about. `tests/accounts/test_signing_in.py` looks at the real ones.
"""

from django.contrib.auth.hashers import PBKDF2PasswordHasher

from tripeaks_site.settings import *  # noqa: F403


class QuickHasher(PBKDF2PasswordHasher):
    iterations = 1_000


PASSWORD_HASHERS = ["tests.server_settings.QuickHasher"]
