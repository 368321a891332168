"""Every error of the API is a problem (RFC 9457) with an id; nothing is changed by a bad request."""

from __future__ import annotations

import http.client
import json
from typing import Any

import pytest

from tests.running import RunningRonda, wait_for


def ask(
    ronda: RunningRonda,
    method: str,
    path: str,
    body: bytes | None = None,
    headers: dict[str, str] | None = None,
    with_token: bool = True,
) -> tuple[http.client.HTTPResponse, Any]:
    connection = http.client.HTTPConnection("127.0.0.1", ronda.port, timeout=60)
    given = {"Content-Type": "application/json", **(headers or {})}
    if with_token:
        given.setdefault("Authorization", f"Bearer {ronda.token}")
    connection.request(method, f"/api/v1{path}", body=body, headers=given)
    response = connection.getresponse()
    raw = response.read()
    connection.close()
    return response, json.loads(raw) if raw else None


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "/nothing-here", None, 404),
        ("GET", "/jobs/not-a-uuid", None, 404),
        ("GET", "/jobs/00000000-0000-4000-8000-000000000000", None, 404),
        ("GET", "/status/00000000-0000-4000-8000-000000000000", None, 404),
        ("PUT", "/jobs", b"{}", 405),
        ("POST", "/jobs", b"{not json", 400),
        ("POST", "/jobs", b"[1]", 422),
        ("POST", "/jobs", b'{"kind": "nothing"}', 422),
        ("POST", "/jobs", b'{"kind": "drill", "arguments": {"steps": 0}}', 422),
        ("POST", "/jobs", b'{"kind": "drill", "arguments": {"stpes": 3}}', 422),
        ("POST", "/jobs", b'{"kind": "drill", "arguments": {"steps": true}}', 422),
        ("POST", "/jobs", b'{"kind": "drill", "argumnets": {}}', 422),
        ("PATCH", "/people/1", b'{"rolez": ["reader"]}', 422),
        ("PATCH", "/people/1", b'{"is_active": true, "name": "x"}', 422),
        ("PUT", "/settings/job_keep_days", b'{"value": 3, "reason": "x"}', 422),
        ("POST", "/fetches", b'{"urls": ["http://example.org/"], "colour": "red"}', 422),
        ("POST", "/fetches", b'{"urls": ["http://example.org/", "http://example.org/\\ud800"]}', 422),
        ("POST", "/fetches", b'{"urls": ["http://example.org/"], "max_age_seconds": true}', 422),
        ("GET", "/jobs?id_start=xyz", None, 422),
        ("GET", "/jobs/kinds?sort=color", None, 422),
        ("GET", "/settings?page=0", None, 422),
        ("POST", "/tokens", b'{"name": ""}', 422),
        ("POST", "/tokens", b"{}", 422),
        ("POST", "/tokens", b'{"name": "a\\u0000b"}', 422),
        ("POST", "/tokens", b"\xff\xfe", 400),
        ("GET", "/jobs?page=0", None, 422),
        ("GET", "/jobs?page_size=100000", None, 422),
        ("GET", "/jobs?sort=color", None, 422),
        ("GET", "/jobs?state=flying", None, 422),
        ("GET", "/people?search=%00", None, 422),
        ("GET", "/revisions/diff?a=1&b=2&wiki=x%00", None, 422),
        ("GET", "/timemap/link/http://example.org/%00", None, 422),
        ("PUT", "/settings/nothing", b'{"value": 1}', 404),
        ("PUT", "/settings/job_keep_days", b'{"value": "many"}', 422),
        ("PUT", "/settings/delay_floor_seconds", b'{"value": "1e-30"}', 422),
        ("PUT", "/settings/delay_floor_seconds", b'{"value": "1e999999"}', 422),
        ("GET", "/people/99999999999999999999999999", None, 404),
        ("DELETE", "/tokens/99999999999999999999999999", None, 404),
    ],
)
def test_bad_requests(
    shared_ronda: RunningRonda, method: str, path: str, body: bytes | None, status: int
) -> None:
    response, problem = ask(shared_ronda, method, path, body)
    assert (response.status, problem["status"]) == (status, status), problem
    assert response.headers["Content-Type"] == "application/problem+json"
    assert response.headers["X-Request-ID"] == problem["id"]
    assert problem["title"]
    assert problem["detail"]


def test_who_is_asking(shared_ronda: RunningRonda) -> None:
    for headers in ({}, {"Authorization": "Bearer ronda_wrong"}, {"Authorization": "Basic eDp5"}):
        for method, path in (("GET", "/me"), ("POST", "/jobs"), ("DELETE", "/tokens/1")):
            response, problem = ask(shared_ronda, method, path, headers=headers, with_token=False)
            assert (response.status, problem["status"]) == (401, 401), (method, problem)
            assert response.headers["WWW-Authenticate"] == "Bearer"


def test_wrong_role(shared_ronda: RunningRonda) -> None:
    from tests.running import run_ronda

    status, person = shared_ronda.call(
        "POST", "/people", {"email": "reader@example.org", "roles": ["reader"]}
    )
    assert status == 201, person
    link = run_ronda("login-link", "reader@example.org", home=shared_ronda.home, **shared_ronda.environment)
    assert link.returncode == 0, link.stderr
    assert f"{shared_ronda.url}/login/once/" in link.stdout
    # A token of the reader's own, through the console's session.
    token = _token_through_session(shared_ronda, link.stdout.strip())
    for method, path, body in (
        ("GET", "/people", None),
        ("GET", "/settings", None),
        ("PUT", "/settings/job_keep_days", {"value": 1}),
        ("POST", "/jobs", {"kind": "drill"}),
        ("GET", "/processes", None),
        ("POST", "/grid/register", {"name": "x", "version": "1"}),
    ):
        status, problem = shared_ronda.call(method, path, body, token=token)
        assert (status, problem["status"]) == (403, 403), (path, problem)
    assert shared_ronda.call("GET", "/jobs", token=token)[1]["total"] == 0


def _token_through_session(ronda: RunningRonda, link: str) -> str:
    from http.cookiejar import CookieJar
    from urllib.parse import urlencode
    from urllib.request import HTTPCookieProcessor, Request, build_opener

    jar = CookieJar()
    opener = build_opener(HTTPCookieProcessor(jar))
    opener.open(link).read()

    def csrf() -> str:
        return next(str(cookie.value) for cookie in jar if "csrf" in cookie.name)

    opener.open(link, data=urlencode({"csrfmiddlewaretoken": csrf()}).encode()).read()
    request = Request(
        f"{ronda.url}/api/v1/tokens",
        data=b'{"name": "script"}',
        headers={"Content-Type": "application/json", "X-CSRFToken": csrf()},
    )
    with opener.open(request) as response:
        return str(json.loads(response.read())["token"])


def test_refused_change_changes_nothing(shared_ronda: RunningRonda) -> None:
    _, me = shared_ronda.call("GET", "/me")
    change = {"roles": ["administrator", "reader"], "is_active": False}
    assert shared_ronda.call("PATCH", f"/people/{me['id']}", change)[0] == 409
    assert shared_ronda.call("GET", "/me")[1]["roles"] == me["roles"]


def test_oversized_bodies(shared_ronda: RunningRonda) -> None:
    """Refused by what they declare, and by what they send."""
    large = 10 * 1024**2 + 1
    response, problem = ask(shared_ronda, "POST", "/tokens", headers={"Content-Length": str(10 * 1024**4)})
    assert (response.status, problem["status"]) == (413, 413)
    assert response.headers["X-Request-ID"] == problem["id"]
    wait_for(lambda: problem["id"] in shared_ronda.log, "its line in the log")
    connection = http.client.HTTPConnection("127.0.0.1", shared_ronda.port, timeout=60)
    headers = {"Authorization": f"Bearer {shared_ronda.token}", "Transfer-Encoding": "chunked"}
    chunks = (b"x" * 65536 for _ in range(large // 65536 + 2))
    try:
        connection.request("POST", "/api/v1/tokens", body=chunks, headers=headers, encode_chunked=True)
        answer = connection.getresponse()
        assert answer.status == 413
        assert json.loads(answer.read())["id"] == answer.headers["X-Request-ID"]
    except (BrokenPipeError, ConnectionResetError):
        pass  # it stopped listening before we stopped talking, as it may
    finally:
        connection.close()
    assert shared_ronda.health()["status"] == "ok"


@pytest.mark.parametrize(
    ("method", "path", "headers", "status", "words"),
    [
        ("POST", "/login", {"Content-Length": str(10 * 1024**4)}, 413, "tiene como máximo 10485760 bytes"),
        ("GET", "/logout", {}, 405, "Esta dirección no admite ese método"),
    ],
)
def test_people_get_pages(
    shared_ronda: RunningRonda, method: str, path: str, headers: dict[str, str], status: int, words: str
) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", shared_ronda.port, timeout=60)
    connection.request(method, path, headers={"Accept-Language": "es", **headers})
    response = connection.getresponse()
    page = response.read().decode()
    connection.close()
    assert response.status == status
    assert response.headers["Content-Type"].startswith("text/html")
    assert words in page
    assert f"<code>{response.headers['X-Request-ID']}</code>" in page
    assert ("Allow" in response.headers) == (status == 405)


def test_what_nodes_ask_all_the_time_is_logged_when_it_is_refused(shared_ronda: RunningRonda) -> None:
    wait_for(lambda: "/grid/register 200" in shared_ronda.log, "its own node")
    response, _ = ask(shared_ronda, "POST", "/grid/lease", b"{}")
    assert response.status == 422
    wait_for(lambda: f"[{response.headers['X-Request-ID']}]" in shared_ronda.log, "its line in the log")
    assert "/grid/lease 200" not in shared_ronda.log


def test_paths_forge_no_log_lines(shared_ronda: RunningRonda) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", shared_ronda.port, timeout=60)
    for path in ("/x%0A12:00:00%20info%20forged%1b%5b31m", "/api/v1/x%0D%0Aforged"):
        connection.request("GET", path)
        connection.getresponse().read()
    # A form without its token, at an address that lets somebody in.
    connection.request("POST", "/login/once/not-to-be-read")
    refused = connection.getresponse()
    refused.read()
    connection.close()
    wait_for(lambda: refused.headers["X-Request-ID"] in shared_ronda.log, "the line of the last request")
    lines = shared_ronda.log.splitlines()
    assert not [line for line in lines if line.startswith(("12:00:00 info forged", "forged"))]
    assert any(r"GET /x\n12:00:00 info forged\x1b[31m 404" in line for line in lines)
    forbidden = [line for line in lines if "Forbidden (CSRF" in line]
    assert forbidden
    assert all(line.endswith("]") for line in forbidden), "each with its request's id"
    assert "not-to-be-read" not in shared_ronda.log


def test_every_list_comes_in_pages(shared_ronda: RunningRonda) -> None:
    for path in (
        "/jobs/kinds",
        "/settings",
        "/jobs",
        "/tokens",
        "/people",
        "/processes",
        "/nodes",
        "/fetches",
    ):
        status, page = shared_ronda.call("GET", f"{path}?page_size=1&page=1")
        assert status == 200
        assert set(page) == {"items", "page", "page_size", "total"}, path
        assert len(page["items"]) <= 1
    up = [s["name"] for s in shared_ronda.call("GET", "/settings?sort=name&page_size=500")[1]["items"]]
    down = [s["name"] for s in shared_ronda.call("GET", "/settings?sort=-name&page_size=500")[1]["items"]]
    assert up == sorted(up)
    assert up == down[::-1]
    assert shared_ronda.call("GET", "/settings?page_size=2&page=2")[1]["items"][0]["name"] == up[2]


def test_unforeseen_error_has_an_id_that_stands_in_the_log(shared_ronda: RunningRonda) -> None:
    """A bug in our own code, provoked: a job row whose state is none we know."""
    import psycopg

    job = shared_ronda.start_drill(steps=1, pause_seconds=0)
    shared_ronda.wait_for_job(job, "succeeded")
    with psycopg.connect(shared_ronda.environment["RONDA_DATABASE_URL"]) as connection:
        connection.execute("UPDATE jobs_job SET state = 'odd' WHERE id = %s", [job])
    try:
        response, problem = ask(shared_ronda, "GET", f"/status/{job}")
    finally:
        with psycopg.connect(shared_ronda.environment["RONDA_DATABASE_URL"]) as connection:
            connection.execute("DELETE FROM jobs_job WHERE id = %s", [job])
    assert (response.status, problem["status"]) == (500, 500)
    assert "Traceback" not in str(problem)
    assert problem["id"] in shared_ronda.log
    assert "is not a valid State" in shared_ronda.log


@pytest.mark.parametrize(
    ("path", "status"), [("/settings", 200), ("/settings?page=0", 422), ("/nothing", 404)]
)
def test_head_is_get_without_the_body(shared_ronda: RunningRonda, path: str, status: int) -> None:
    whole, _ = ask(shared_ronda, "GET", path)
    head, nothing = ask(shared_ronda, "HEAD", path)
    assert (head.status, nothing) == (status, None)
    for name in ("Content-Type", "Content-Length"):
        assert head.headers[name] == whole.headers[name]
    assert ask(shared_ronda, "HEAD", path, with_token=False)[0].status in (401, 404)


def test_document_says_how_errors_look(shared_ronda: RunningRonda) -> None:
    _, document = ask(shared_ronda, "GET", "/openapi.json")
    operations = [one for path in document["paths"].values() for one in path.values()]
    assert {one["responses"]["default"]["$ref"] for one in operations} == {"#/components/responses/Problem"}
    _, problem = ask(shared_ronda, "GET", "/nothing-here")
    schema = document["components"]["schemas"]["Problem"]
    assert set(schema["required"]) <= problem.keys() <= schema["properties"].keys()
