"""What the API description's generator does not do by itself."""

from __future__ import annotations

from typing import Any


def describe_deletion(result: dict[str, Any], generator: Any, request: Any, public: bool) -> dict[str, Any]:
    """A drf-spectacular hook: the deletion of an account takes a body; the generator knows none for DELETE."""
    del generator, request, public
    schema = {"$ref": "#/components/schemas/PasswordSchema"}
    operation = result["paths"]["/api/v1/account"]["delete"]
    operation["requestBody"] = {"content": {"application/json": {"schema": schema}}}
    return result
