"""A setting that makes no sense stops the start; what parses but cannot work is a system check."""

from __future__ import annotations

import pytest
from django.core.exceptions import ImproperlyConfigured

from tripeaks_site import env


@pytest.mark.parametrize("text", ["0/60", "60/0", "-1/60", "60", "60/", "/60", "60/60/60", "a/b", "²/60", "60/ 60x"])
def test_a_limit_is_so_many_in_so_many_seconds(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("TRIPEAKS_THROTTLE_READ", text)
    with pytest.raises(ImproperlyConfigured, match="TRIPEAKS_THROTTLE_READ must look like 60/60"):
        env.rate("THROTTLE_READ", (1, 1))
    monkeypatch.setenv("TRIPEAKS_THROTTLE_READ", " 30/5 ")
    assert env.rate("THROTTLE_READ", (1, 1)) == (30, 5)
    monkeypatch.setenv("TRIPEAKS_THROTTLE_READ", "")
    assert env.rate("THROTTLE_READ", (1, 1)) == (1, 1)
