"""A person with a token who asks the API of this very process."""

from __future__ import annotations

import json
from typing import Any

from django.test import Client

from ronda.accounts.roles import Role
from ronda.accounts.services import create_token
from tests.people import person_with


class Asker:
    def __init__(self) -> None:
        self.person = person_with(Role.READER)
        _token, secret = create_token(actor=self.person, name="test")
        self.client = Client(headers={"Authorization": f"Bearer {secret}"})

    def get(self, path: str) -> tuple[int, Any]:
        response = self.client.get(f"/api/v1{path}")
        return response.status_code, json.loads(response.content)

    def post(self, path: str, body: Any) -> tuple[int, Any]:
        text = body if isinstance(body, str) else json.dumps(body)
        response = self.client.post(f"/api/v1{path}", text, content_type="application/json")
        return response.status_code, json.loads(response.content)

    def sql(self, sql: str) -> tuple[int, Any]:
        return self.post("/query", {"sql": sql})
