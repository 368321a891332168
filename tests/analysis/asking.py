"""A client of the API within the test's own process, and the jobs it leads to done on the spot."""

from __future__ import annotations

import hashlib
import json
import threading
from typing import Any

from django.test import Client

from ronda.accounts.models import Person
from ronda.accounts.roles import Role
from ronda.accounts.services import create_token
from ronda.analysis.checksums import digest_field
from ronda.jobs import services as jobs
from ronda.jobs.models import Job, State
from tests.people import person_with

CSV = "text/csv"
SCORES = {
    "set.toml": '[tables.scores]\ncolumns = { name = "VARCHAR", score = "BIGINT" }\n',
    "best.sql": '/* title = "The best"\n[parameters.least]\ntype = "BIGINT"\ndefault = 0 */\n'
    "SELECT name, score FROM scores WHERE score >= $least ORDER BY score DESC, name",
    "total.sql": "SELECT sum(score)::BIGINT AS total, count(*) AS number FROM scores",
}


class Caller:
    """One client, with a token of its own."""

    def __init__(self, email: str = "ana@example.org", *roles: Role) -> None:
        self.person: Person = person_with(*(roles or (Role.CLIENT,)), email=email)
        _token, secret = create_token(actor=self.person, name="test")
        self._client = Client(headers={"Authorization": f"Bearer {secret}"})

    def call(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        response = self._client.generic(
            method, f"/api/v1{path}", b"" if body is None else json.dumps(body).encode(), "application/json"
        )
        return response.status_code, response.json() if response.content else None

    def open(self, **wanted: Any) -> str:
        status, made = self.call("POST", "/sessions", {"sql": SCORES, **wanted})
        assert status == 201, made
        return str(made["id"])

    def put(
        self,
        session: str,
        number: int,
        body: bytes,
        *,
        table: str = "scores",
        kind: str = CSV,
        **headers: str,
    ) -> tuple[int, Any]:
        given = {"Content-Digest": digest_field(hashlib.sha256(body).digest()), **_named(headers)}
        response = self._client.put(
            f"/api/v1/sessions/{session}/tables/{table}/batches/{number}", body, kind, headers=given
        )
        return response.status_code, response.json()

    def close(self, session: str, **batches: int) -> tuple[int, Any]:
        return self.call("POST", f"/sessions/{session}/close", {"batches": batches})

    def answers(self, session: str) -> dict[str, dict[str, Any]]:
        status, found = self.call("GET", f"/sessions/{session}/answers")
        assert status == 200, found
        return {answer["question"]: answer for answer in found["answers"]}


def _named(headers: dict[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}


def rows_csv(*rows: tuple[str, int]) -> bytes:
    return "".join(["name,score\n", *(f"{name},{score}\n" for name, score in rows)]).encode()


def work_off() -> int:
    """What the workers would do."""
    done = 0
    while job := Job.objects.filter(state=State.QUEUED).order_by("created_at").first():
        jobs.run(job_id=job.pk, worker="here", stopping=threading.Event())
        done += 1
    return done
