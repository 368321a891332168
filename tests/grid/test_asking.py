"""What a client may ask for, and what nobody tells a node about the client."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.conf import settings
from django.test import Client, override_settings
from django.utils import timezone

from ronda.accounts.roles import Role
from ronda.accounts.services import create_token
from ronda.archive.models import Capture, WarcFile
from ronda.frontier.models import Batch, Request
from ronda.frontier.opt_outs import add_opt_out
from ronda.frontier.services import digest_of
from ronda.grid import fetches
from ronda.grid.fetches_api import as_result
from ronda.grid.models import FetchAnswer
from ronda.grid.policies import CACHE_SECONDS
from ronda.policies.services import change_setting
from tests.people import person_with

pytestmark = pytest.mark.django_db

INWARD = [
    "http://127.0.0.1/",
    "http://10.1.2.3/",
    "http://192.168.1.1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://[::1]/",
    "http://[fe80::1]/",
    "http://[fd00::1]/",
    "http://[::ffff:10.0.0.1]/",
    "http://[64:ff9b::10.0.0.1]/",
    "http://[2002:0a00:0001::]/",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0177.0.0.1/",
    "http://127.1/",
    "http://localhost/",
    "http://printer.local/",
    "http://intranet/",
    "http://user:secret@example.org/",
    "http://example.org:22/",
    "ftp://example.org/",
    "file:///etc/passwd",
]


@pytest.mark.parametrize("url", INWARD)
def test_server_queues_nothing_that_leads_inward(url: str) -> None:
    client = person_with(Role.CLIENT)
    with override_settings(RONDA=replace(settings.RONDA, allow_private_networks=False)):
        fetch = fetches.create_fetch(actor=client, urls=[url])
    [answer] = fetch.answers.all()
    assert answer.state == "refused"
    assert answer.reason
    assert not Request.objects.exists()


def test_cache_time_answers_from_the_archive_and_what_is_older_is_fetched() -> None:
    client = person_with(Role.CLIENT, Role.DIRECTOR)
    file = WarcFile.objects.create(name="x.warc.gz", machine="m")
    for path, age in (("young", 50), ("old", 500)):
        url = f"http://a.example/{path}"
        Capture.objects.create(
            url=url, url_digest=digest_of(url), fetched_at=timezone.now() - timedelta(seconds=age), status=200,
            digest="sha256:0", file=file, offset=age, length=1, response_length=1,
        )  # fmt: skip
    urls = ["http://a.example/young", "http://a.example/old"]
    assert fetches.create_fetch(actor=client, urls=urls).batch.ended == 0, "no cache unless asked for"
    change_setting(actor=client, name=CACHE_SECONDS.name, value="100")
    fetch = fetches.create_fetch(actor=client, urls=urls)
    assert [answer.url for answer in fetch.answers.all()] == ["http://a.example/young"]
    assert fetches.create_fetch(actor=client, urls=urls, max_age_seconds=1000).batch.ended == 2
    assert fetches.create_fetch(actor=client, urls=urls, max_age_seconds=0).batch.ended == 0


def captured(path: str, status: int = 200, **more: str) -> Capture:
    url = f"http://a.example/{path}"
    file, _ = WarcFile.objects.get_or_create(name="x.warc.gz", defaults={"machine": "m"})
    return Capture.objects.create(
        url=url, url_digest=digest_of(url), fetched_at=timezone.now(), status=status,
        digest="sha256:0", file=file, offset=file.capture_set.count(), length=1, response_length=1, **more,
    )  # fmt: skip


def test_archive_answers_for_nobody_else_and_for_nobody_who_opted_out() -> None:
    """A redirect leads on to another answer; who does not want to be fetched is not shown either."""
    client = person_with(Role.CLIENT, Role.DIRECTOR)
    captured("old-home", 301)
    captured("page")
    urls = ["http://a.example/old-home", "http://a.example/page"]
    made = fetches.create_fetch(actor=client, urls=urls, max_age_seconds=1000)
    assert [answer.url for answer in made.answers.all()] == ["http://a.example/page"]
    add_opt_out(actor=client, pattern="a.example", reason="asked us")
    made = fetches.create_fetch(actor=client, urls=urls, max_age_seconds=1000)
    assert {(a.state, a.reason) for a in made.answers.all()} == {("refused", "opted out: asked us")}


class TestOverTheApi:
    @pytest.fixture
    def post(self, client: Client) -> Callable[..., Any]:
        _, token = create_token(actor=person_with(Role.CLIENT), name="n")
        client.defaults["HTTP_AUTHORIZATION"] = f"Bearer {token}"
        return partial(client.post, content_type="application/json")

    def test_max_age_and_that_an_answer_was_cut_off(self, post: Callable[..., Any]) -> None:
        captured("page")
        urls = ["http://a.example/page"]
        for name in ("max_age", "max_age_seconds"):
            assert post("/api/v1/fetches", {"urls": urls, name: 60}).json()["ended"] == 1
        assert (
            post("/api/v1/fetches/lines?max_age=60", '{"url": "http://a.example/page"}').json()["ended"] == 1
        )
        made = post("/api/v1/fetches", {"urls": urls, "max_age": 60}).json()
        Capture.objects.update(truncated="length")
        [answer] = FetchAnswer.objects.filter(fetch=made["id"])
        assert as_result(answer)["truncated"] == "length"

    def test_line_without_end(self, post: Callable[..., Any]) -> None:
        refused = post("/api/v1/fetches/lines", '{"url":' + "[" * 100_000)
        assert refused.status_code == 422
        assert refused.json()["detail"].startswith("Line 1 is no URL")

    def test_lines_say_a_url_and_nothing_else(self, post: Callable[..., Any]) -> None:
        lines = '{"url": "http://a.example/1"}\n\n{"url": "http://a.example/2", "max_age": 60}\n'
        refused = post("/api/v1/fetches/lines", lines)
        assert refused.status_code == 422
        assert "Line 3 says 'max_age'" in refused.json()["detail"]
        assert post("/api/v1/fetches/lines?max_age=-1", "http://a.example/").status_code == 422
        assert not Batch.objects.exists()


def test_nodes_learn_nothing_about_clients(client: Client) -> None:
    """Everything a node is told, read as a whole."""
    asking = person_with(Role.CLIENT, email="asker@example.org")
    fetch = fetches.create_fetch(actor=asking, urls=["http://a.example/1"])
    _, token = create_token(actor=person_with(Role.CONTRIBUTOR, email="lender@example.org"), name="n")

    def say(path: str, body: object, method: str = "post") -> str:
        answer = getattr(client, method)(
            f"/api/v1/grid/{path}",
            body,
            content_type="application/json",
            headers={"Authorization": f"Bearer {token}"},
        )
        assert answer.status_code < 300, answer.content
        return str(answer.content.decode())

    told = [say("register", {"name": "n", "version": "1", "system": "s"})]
    node = json.loads(told[0])["node_id"]
    told.append(say("lease", {"node_id": node, "slots": 4}))
    block = json.loads(told[1])["block"]
    assert json.loads(told[1])["hosts"]
    told.append(say("heartbeat", {"node_id": node, "blocks": [block], "state": {}}))
    told.append(say(f"blocks/{block}?node_id={node}", b"", "put"))
    for word in (asking.email, str(fetch.pk), "owner", "client"):
        assert not any(word in text for text in told)


def test_a_choice_that_nobody_knows_is_told_and_nothing_is_queued() -> None:
    """Beside a list of lines the choices stand in the address: a slip there is one in the body of the other way."""
    _token, secret = create_token(actor=person_with(Role.CLIENT), name="t")
    headers = {"Authorization": f"Bearer {secret}"}
    for slip in ("bogus=1", "max-age=3600", "max_age=3600&vantages=CL"):
        reply = Client().post(
            f"/api/v1/fetches/lines?{slip}", "http://a.example/", content_type="text/plain", headers=headers
        )
        assert reply.status_code == 422, reply.content
        assert slip.rpartition("&")[2].partition("=")[0] in reply.json()["detail"]
    assert not Request.objects.exists()
    reply = Client().post(
        "/api/v1/fetches/lines?max_age=3600&strategy=equal&vantage=CL&vantage=DE",
        "http://a.example/",
        content_type="text/plain",
        headers=headers,
    )
    assert reply.status_code == 202, reply.content
