"""Requests whose heads are too long or no HTTP at all get a problem in JSON, like any other bad request."""

from __future__ import annotations

import json
import socket
from http.client import HTTPResponse
from urllib.parse import urlsplit

import pytest

from ronda.http.heads import LONGEST_HEAD_BYTES, LONGEST_URL_BYTES
from tests.running import RunningRonda

HOST = b"Host: localhost\r\n"


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (b"GET /api/v1/search?q=" + b"a" * LONGEST_URL_BYTES + b" HTTP/1.1\r\n" + HOST + b"\r\n", 414),
        (b"GET /livez HTTP/1.1\r\n" + HOST + b"X-Long: " + b"a" * LONGEST_HEAD_BYTES + b"\r\n\r\n", 431),
        (b"this is no HTTP\r\n\r\n", 400),
    ],
    ids=["address", "header", "no HTTP"],
)
def test_bad_heads_are_refused_as_problems(
    shared_ronda: RunningRonda, request_bytes: bytes, status: int
) -> None:
    told, content_type, body = _answer(shared_ronda, request_bytes)
    assert (told, content_type) == (status, "application/problem+json")
    problem = json.loads(body)
    assert problem["status"] == status
    assert problem["detail"]
    assert problem["id"]


def test_long_heads_within_the_caps_are_answered(shared_ronda: RunningRonda) -> None:
    long = b"GET /livez?" + b"a" * (LONGEST_URL_BYTES - 100) + b" HTTP/1.1\r\n" + HOST
    many = b"".join(b"X-%d: %s\r\n" % (number, b"a" * 4000) for number in range(50))
    assert _answer(shared_ronda, long + many + b"\r\n")[0] == 200


def test_heads_are_counted_anew_for_every_request(shared_ronda: RunningRonda) -> None:
    parts = urlsplit(shared_ronda.url)
    request = b"GET /livez HTTP/1.1\r\n" + HOST + b"X-Long: " + b"a" * (LONGEST_HEAD_BYTES // 4) + b"\r\n\r\n"
    with socket.create_connection((parts.hostname or "", parts.port or 80), timeout=60) as connection:
        for _ in range(8):
            connection.sendall(request)
            response = HTTPResponse(connection)
            response.begin()
            assert response.status == 200
            response.read()


def _answer(ronda: RunningRonda, request: bytes) -> tuple[int, str | None, bytes]:
    parts = urlsplit(ronda.url)
    with socket.create_connection((parts.hostname or "", parts.port or 80), timeout=60) as connection:
        connection.sendall(request)
        response = HTTPResponse(connection)
        response.begin()
        return response.status, response.headers["Content-Type"], response.read()
