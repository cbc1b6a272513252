"""Public ids and secrets: random, never walked, never derived from anything."""

from __future__ import annotations

import hashlib
import secrets

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
PUBLIC_ID = "[0-9a-z]{16}"
"""What addresses take for a public id, as a regular expression; what is none never reaches the database."""


def new_public_id() -> str:
    """16 lower-case Crockford characters, 80 random bits (case C22: ids cannot be walked)."""
    number = secrets.randbits(80)
    return "".join(ALPHABET[number >> shift & 31] for shift in range(75, -1, -5))


def new_secret(prefix: str) -> str:
    """A bearer secret of 256 random bits, e.g. `tpk_…`; shown once, stored only as `hash_secret` of it."""
    return f"{prefix}_{secrets.token_urlsafe(32)}"


def hash_secret(secret: str) -> bytes:
    """SHA-256 of a secret, 32 bytes. A plain hash is enough: the secret itself has 256 random bits."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()
