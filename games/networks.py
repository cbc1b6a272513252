"""Networks as fair play knows them: the same one is told from another, and none is led back to an address."""

from __future__ import annotations

import ipaddress
from typing import Final

from django.utils.crypto import salted_hmac

NOWHERE: Final = bytes(16)
"""The network of a connection without an address (a Unix socket): it says nothing, and links nobody."""

_SALT: Final = "games.networks"
_IPV4_PREFIX: Final = 24
_IPV6_PREFIX: Final = 48  # of one customer, as providers give them out


def network_hash(address: str) -> bytes:
    """16 bytes for the /24 (IPv6: /48) of an address: HMAC-SHA-256 with a key derived from settings.SECRET_KEY.

    The same network always has the same bytes, and without the key nobody gets back from them to an address, not by
    trying all of them either. NOWHERE for what is no address.
    """
    try:
        found = ipaddress.ip_interface(address.partition("%")[0]).ip
    except ValueError:
        return NOWHERE
    if isinstance(found, ipaddress.IPv6Address) and found.ipv4_mapped is not None:
        found = found.ipv4_mapped
    length = _IPV4_PREFIX if found.version == 4 else _IPV6_PREFIX
    prefix = ipaddress.ip_network((found, length), strict=False)
    return salted_hmac(_SALT, str(prefix), algorithm="sha256").digest()[:16]
