"""The same quiet surroundings as for tests of accounts."""

from tests.accounts.conftest import empty_throttles as empty_throttles
