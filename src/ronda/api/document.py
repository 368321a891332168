"""The OpenAPI document: what the routers say, and once for all of them how an error looks."""

from __future__ import annotations

from typing import Any

from ninja import NinjaAPI
from ninja.openapi.schema import OpenAPISchema

from ronda.http.problems import CONTENT_TYPE

PROBLEM_SCHEMA: dict[str, Any] = {
    "title": "Problem",
    "description": "Problem details (RFC 9457).",
    "type": "object",
    "required": ["type", "title", "status", "detail", "id"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string", "description": "The phrase of the status."},
        "status": {"type": "integer", "minimum": 400, "maximum": 599},
        "detail": {"type": "string", "description": "What happened, and what to do."},
        "id": {"type": "string", "description": "Stands in the server's log."},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["field", "message"],
                "properties": {"field": {"type": "string"}, "message": {"type": "string"}},
            },
        },
    },
}
PROBLEM_RESPONSE: dict[str, Any] = {
    "description": "Anything that went wrong.",
    "content": {CONTENT_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
}


class RondaApi(NinjaAPI):
    def get_openapi_schema(self, **kwargs: Any) -> OpenAPISchema:
        document = super().get_openapi_schema(**kwargs)
        components = document["components"]
        components.setdefault("schemas", {})["Problem"] = PROBLEM_SCHEMA
        components.setdefault("responses", {})["Problem"] = PROBLEM_RESPONSE
        for operations in document["paths"].values():
            for operation in operations.values():
                operation["responses"].setdefault("default", {"$ref": "#/components/responses/Problem"})
        return document
