"""Hearing of new versions: by mail and through Apprise, at once or in a digest, once each; and by feed."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.policy import default
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any
from xml.etree import ElementTree

import pytest
from aiosmtpd.controller import Controller
from django.conf import settings
from django.test import Client, override_settings
from django.utils import timezone, translation

from ronda.accounts.models import Person
from ronda.accounts.pages.entrance import BACKEND
from ronda.accounts.roles import Role
from ronda.archive.models import Collection
from ronda.errors import InvalidInput
from ronda.rounds import feed_keys, notices, notifications, sending
from ronda.rounds.errors import NoSuchTarget
from ronda.rounds.models import Source, Version
from ronda.rounds.notification_models import Notice, Subscription, Target
from tests.accounts.test_mail import Mailbox
from tests.people import person_with
from tests.rounds.kept_sites import HOME, followed, version_of
from tests.rounds.working import work_off
from tests.running import RunningRonda, free_port, wait_for

ATOM = "{http://www.w3.org/2005/Atom}"


class Receiver(HTTPServer):
    """A service that takes notices, as long as `status` says so."""

    def __init__(self) -> None:
        self.taken: list[dict[str, Any]] = []
        self.status = 200
        super().__init__(("127.0.0.1", 0), _Taking)

    @property
    def address(self) -> str:
        return f"json://me:secretword@127.0.0.1:{self.server_port}/hook"


class _Taking(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.server.status == 200:
            self.server.taken.append(body)
        self.send_response(self.server.status)
        self.end_headers()

    def log_message(self, *_words: object) -> None:
        pass


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    server = Receiver()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def private_networks() -> Iterator[None]:
    with override_settings(RONDA=replace(settings.RONDA, allow_private_networks=True)):
        yield


@pytest.fixture
def ana(db: None) -> Person:
    return person_with(Role.SUBSCRIBER, email="ana@example.org")


@pytest.fixture
def source(ana: Person) -> Source:
    return followed(owner=ana, title="The <b>paper</b>")


def _heard(target: Target, **values: Any) -> Target:
    Target.objects.filter(pk=target.pk).update(**values)
    return target


def _send() -> None:
    work_off()  # what changed is found out first
    sending.send_due()
    work_off()


@pytest.mark.usefixtures("private_networks")
def test_apprise_at_once_and_once(ana: Person, source: Source, receiver: Receiver) -> None:
    target = notifications.add_target(actor=ana, kind="apprise", address=receiver.address)
    assert "secretword" not in target.shown
    assert "127.0.0.1" in target.shown
    # Whatever it stands in, a target hears of a version once.
    notifications.subscribe(actor=ana, target_id=target.pk)
    notifications.subscribe(actor=ana, target_id=target.pk, source_id=source.pk)
    notifications.subscribe(
        actor=ana, target_id=target.pk, collection="scientific", when=notifications.When("daily")
    )
    version_of(source, {HOME: "<p>one</p>"})
    version_of(source, {HOME: "<p>one</p><p>two</p>", f"{HOME}new": "<p>new</p>"})
    assert Notice.objects.count() == 2
    _send()
    _send()
    (message,) = receiver.taken
    assert message["title"] == "2 new versions"
    assert "The <b>paper</b>" in message["message"]
    assert "1 document changed, 1 added" in message["message"]
    assert f"{HOME}: 1 paragraph added" in message["message"]
    assert f"/sources/{source.pk}/news" in message["message"]
    assert not Notice.objects.filter(sent_at=None).exists()


@pytest.mark.usefixtures("private_networks")
def test_failing_target_is_tried_with_patience_and_told(
    ana: Person, source: Source, receiver: Receiver
) -> None:
    target = notifications.add_target(actor=ana, kind="apprise", address=receiver.address)
    notifications.subscribe(actor=ana, target_id=target.pk, source_id=source.pk)
    receiver.status = 500
    version_of(source, {HOME: "x"})
    for failures in range(1, 4):
        _send()
        target.refresh_from_db()
        assert target.failures == failures
        assert target.retry_at
        assert target.retry_at > timezone.now() + timedelta(seconds=30)
        sending.send_due()
        assert not work_off(), "it rests until then"
        _heard(target, retry_at=timezone.now())
    assert target.is_failing
    assert target.last_error
    assert "secretword" not in target.last_error
    receiver.status = 200
    _send()
    target.refresh_from_db()
    assert (len(receiver.taken), target.failures, target.last_error) == (1, 0, "")


def test_a_private_address_is_refused(ana: Person, receiver: Receiver) -> None:
    for address in (
        f"json://localhost:{receiver.server_port}",
        "nonsense://x",
    ):
        with pytest.raises(InvalidInput):
            notifications.add_target(actor=ana, kind="apprise", address=address)
    # Also one that came in while it was allowed, or whose name leads elsewhere now; and files of this machine.
    for address, reason in (
        (receiver.address, "loopback"),
        ("syslog://", "not allowed"),
        ("discord://4174216298/JHMHI8qBe7bk2ZwO5U711o3dV_js?template=/etc/passwd", "files of this machine"),
    ):
        target = Target.objects.create(person=ana, kind="apprise", address=address, shown="x")
        notifications.ask_for_test(actor=ana, target_id=target.pk)
        work_off()
        target.refresh_from_db()
        assert reason in target.last_error
    assert not receiver.taken


def test_mail_in_the_language_of_whoever_asked(ana: Person, source: Source) -> None:
    mailbox = Mailbox()
    server = Controller(mailbox, hostname="127.0.0.1", port=free_port())
    server.start()
    smtp = {
        "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST": "127.0.0.1",
        "EMAIL_PORT": server.port,
    }
    try:
        with override_settings(**smtp):
            with translation.override("es"):
                target = notifications.add_target(actor=ana, kind="mail")
            notifications.ask_for_test(actor=ana, target_id=target.pk)
            notifications.subscribe(actor=ana, target_id=target.pk, collection="scientific")
            version_of(source, {HOME: "<p>uno</p>"})
            _send()
    finally:
        server.stop()
    test, notice = (message_from_bytes(text.encode(), policy=default) for text in mailbox.messages)
    assert test["To"] == notice["To"] == "ana@example.org"
    assert notice["Subject"] == "Nueva versión de The <b>paper</b>"
    assert "primera versión: 1 documento" in notice.get_content()
    assert f"{settings.RONDA.console_url}/notifications" in notice.get_content()
    target.refresh_from_db()
    assert target.sent_at


def test_a_worker_sends_it(shared_ronda: RunningRonda) -> None:
    """With processes, from the API to the mail, which goes to the log without a mail server."""
    status, target = shared_ronda.call("POST", "/notifications", {"kind": "mail"})
    assert status == 201, target
    assert shared_ronda.call("POST", f"/notifications/{target['id']}/test")[0] == 202

    def is_sent() -> bool:
        return bool(shared_ronda.call("GET", "/notifications")[1][0]["sent_at"])

    wait_for(is_sent, "the test to be sent")
    assert "A test from Ronda" in shared_ronda.log
    assert shared_ronda.call("DELETE", f"/notifications/{target['id']}")[0] == 204


def test_a_mail_server_that_is_away_is_a_failure(ana: Person) -> None:
    target = notifications.add_target(actor=ana, kind="mail")
    notifications.ask_for_test(actor=ana, target_id=target.pk)
    with override_settings(
        EMAIL_BACKEND="django.core.mail.backends.smtp.EmailBackend",
        EMAIL_HOST="127.0.0.1",
        EMAIL_PORT=free_port(),
    ):
        assert work_off()[0].result["error"]  # type: ignore[index]
    target.refresh_from_db()
    assert target.failures == 1


@pytest.mark.parametrize(
    ("when", "now", "due"),
    [
        (("at_once", 7, 0), (2026, 5, 6, 8), (2026, 5, 6, 8)),
        (("daily", 7, 0), (2026, 5, 6, 6), (2026, 5, 6, 7)),
        (("daily", 7, 0), (2026, 5, 6, 7), (2026, 5, 7, 7)),
        (("weekly", 7, 2), (2026, 5, 6, 6), (2026, 5, 6, 7)),  # a Wednesday
        (("weekly", 7, 2), (2026, 5, 6, 8), (2026, 5, 13, 7)),
        (("weekly", 23, 0), (2026, 5, 6, 8), (2026, 5, 11, 23)),
    ],
)
def test_when_a_digest_is_due(when: tuple[Any, ...], now: tuple[int, ...], due: tuple[int, ...]) -> None:
    subscription = Subscription(rhythm=when[0], hour=when[1], weekday=when[2])
    assert notices.due_at(subscription, datetime(*now, tzinfo=UTC)) == datetime(*due, tzinfo=UTC)  # type: ignore[misc, arg-type]


def test_a_notice_waits_for_its_digest_and_for_what_changed(ana: Person, source: Source) -> None:
    target = notifications.add_target(actor=ana, kind="mail")
    notifications.subscribe(
        actor=ana, target_id=target.pk, source_id=source.pk, when=notifications.When("daily")
    )
    version_of(source, {HOME: "<p>one</p>"})
    version_of(source, {HOME: "<p>two</p>"})
    sending.send_due()
    assert [job.kind for job in work_off()] == ["compare_versions"]
    Notice.objects.update(due_at=timezone.now())
    sending.send_due()
    sending.send_due()
    (job,) = work_off()
    assert (job.kind, job.result) == ("send_notices", {"sent": 2, "error": ""})


def test_who_may_no_longer_see_it_hears_nothing(source: Source) -> None:
    eve = person_with(Role.READER, email="eve@example.org")
    target = notifications.add_target(actor=eve, kind="mail")
    notifications.subscribe(actor=eve, target_id=target.pk, source_id=source.pk)
    with pytest.raises(NoSuchTarget):
        notifications.subscribe(actor=source.owner, target_id=target.pk)
    version_of(source, {HOME: "<p>one</p>"})
    Collection.objects.update(is_public=False)
    _send()
    assert not Notice.objects.exists()
    with pytest.raises(InvalidInput):
        notifications.subscribe(actor=eve, target_id=target.pk, collection="scientific")


def _entries(response: Any) -> list[ElementTree.Element]:
    """Of a feed as strict readers want it (RFC 4287 §4.1)."""
    assert response.status_code == 200
    assert response.headers["Content-Type"].startswith("application/atom+xml")
    root = ElementTree.fromstring(response.content)
    assert root.tag == f"{ATOM}feed"
    for element in (root, *root.findall(f"{ATOM}entry")):
        for name in ("id", "title", "updated"):
            (found,) = element.findall(f"{ATOM}{name}")
            assert found.text
        datetime.fromisoformat(element.findtext(f"{ATOM}updated", ""))
    assert root.find(f"{ATOM}author/{ATOM}name") is not None
    assert [link.get("rel") for link in root.findall(f"{ATOM}link")].count("self") == 1
    entries = root.findall(f"{ATOM}entry")
    assert len({entry.findtext(f"{ATOM}id") for entry in entries}) == len(entries)
    return entries


def test_feed_names_nothing_of_what_was_forgotten(ana: Person, source: Source) -> None:
    secret = f"{HOME}secret"
    first = version_of(source, {HOME: "<p>one</p>", secret: "<p>nobody should know</p>"})
    version_of(source, {HOME: "<p>two</p>"})
    work_off()
    reader, token = Client(), feed_keys.feed_token(actor=ana)
    address = f"/feeds/sources/{source.pk}.atom"
    assert secret in reader.get(address, {"token": token}).text
    Version.objects.filter(pk=first.pk).update(forgotten_at=timezone.now())
    told = reader.get(address, {"token": token}).text
    assert secret not in told
    assert f'href="http://127.0.0.1:8000/sources/{source.pk}" rel="alternate"' in told


def test_feeds_for_readers_without_a_login(ana: Person, source: Source) -> None:
    version_of(source, {HOME: "<p>one</p>"})
    version_of(source, {HOME: "<p>one</p><p>two</p>", f"{HOME}\x02<i>": "<p>new</p>"})
    work_off()
    token, reader = feed_keys.feed_token(actor=ana), Client()
    for address in (f"/feeds/sources/{source.pk}.atom", "/feeds/collections/scientific.atom"):
        assert reader.get(address).status_code == 302, "to the login"
        response = reader.get(address, {"token": token})
        newest, first = _entries(response)
        assert "version 2" in newest.findtext(f"{ATOM}title", "")
        summary = newest.findtext(f"{ATOM}summary", "")
        assert "1 document changed, 1 added" in summary
        assert "<i>" not in summary
        assert "first version" in first.findtext(f"{ATOM}summary", "")
        assert token not in response.text
        assert reader.get(address, {"token": token[:-1] + "x"}).status_code == 404
    Collection.objects.update(is_public=False)
    assert reader.get(f"/feeds/sources/{source.pk}.atom", {"token": token}).status_code == 404
    Collection.objects.update(is_public=True)
    feed_keys.renew_feed_token(actor=ana)
    assert reader.get(f"/feeds/sources/{source.pk}.atom", {"token": token}).status_code == 404
    assert reader.get("/notifications", {"token": token}).status_code == 302, "good for feeds alone"


def test_api(ana: Person, source: Source) -> None:
    browser = Client()
    browser.force_login(ana, backend=BACKEND)

    def call(method: str, path: str, body: Any = None) -> tuple[int, Any]:
        response = getattr(browser, method)(
            f"/api/v1/notifications{path}", body, content_type="application/json"
        )
        return response.status_code, json.loads(response.content) if response.content else None

    status, target = call("post", "", {"kind": "mail"})
    assert (status, target["address"]) == (201, "ana@example.org")
    wanted = {"target": target["id"], "source": str(source.pk), "rhythm": "weekly", "hour": 9, "weekday": 4}
    status, subscription = call("post", "/subscriptions", wanted)
    assert (status, subscription["rhythm"]) == (201, "weekly")
    assert call("get", "")[1][0]["subscriptions"] == [subscription]
    assert call("post", f"/{target['id']}/test")[0] == 202
    assert call("delete", f"/subscriptions/{subscription['id']}")[0] == 204
    assert call("post", "", {"kind": "apprise", "address": "json://127.0.0.1"})[0] == 422
    assert call("delete", f"/{target['id']}")[0] == 204
    assert call("delete", f"/{target['id']}")[0] == 404
    old = call("get", "/feed-token")[1]["token"]
    assert call("post", "/feed-token")[1]["token"] != old
