"""HEAD answers as GET without a body; OPTIONS names the methods; neither needs anything else."""

from __future__ import annotations

import pytest

from tests.api.endpoints import Endpoint, endpoints
from tests.calls import call
from tests.factories import signed_in

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("endpoint", [one for one in endpoints() if "GET" in one.methods], ids=lambda one: one.pattern)
def test_head_is_get_without_the_body(endpoint: Endpoint) -> None:
    alice = signed_in("alice")
    get, head = (call(method, endpoint.path, who=alice).response for method in ("GET", "HEAD"))
    assert head.status_code == get.status_code
    assert head.content == b""


@pytest.mark.parametrize("endpoint", endpoints(), ids=lambda one: one.pattern)
def test_options_names_the_methods(endpoint: Endpoint) -> None:
    answer = call("OPTIONS", endpoint.path)
    assert answer.status == 204
    allowed = set(answer.response.headers["Allow"].split(", "))
    assert allowed - {"HEAD"} == {*endpoint.methods, "OPTIONS"}
    assert ("HEAD" in allowed) == ("GET" in endpoint.methods)
