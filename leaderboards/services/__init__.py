"""Writes, by noun."""

from .accounts import account_delete as account_delete
from .accounts import accounts_purge as accounts_purge
from .dailies import dailies_prepare as dailies_prepare
from .dailies import daily_ensure as daily_ensure
from .dailies import daily_start as daily_start
