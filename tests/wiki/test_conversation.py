"""Questions to a wiki: who asks, how fast, and what is made of what comes back."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest
from django.conf import settings
from django.test import override_settings
from hypothesis import given
from hypothesis import strategies as st

from ronda.frontier.models import Host
from ronda.policies.models import PolicyChange
from ronda.wiki import conversation as talking
from ronda.wiki.conversation import Conversation, user_agent
from ronda.wiki.errors import ContactMissing, WikiRefuses, WikiSilent
from ronda.wiki.line import Reply
from ronda.wiki.verdicts import judge
from tests.wiki.scripted_wiki import ScriptedWiki

OK = (200, "application/json", b'{"batchcomplete": true, "query": {"pages": []}}', {})


@pytest.fixture
def wiki(transactional_db: None) -> Iterator[ScriptedWiki]:
    given = replace(settings.RONDA, contact="ops@example.org", allow_private_networks=True)
    with override_settings(RONDA=given), ScriptedWiki() as made:
        PolicyChange.objects.create(name="wiki_delay_seconds", value="0", former="1")
        PolicyChange.objects.create(name="first_backoff_seconds", value="1", former="60")
        yield made


def _asked(wiki: ScriptedWiki) -> Any:
    with closing(Conversation(wiki.api, pulse=lambda: None, wait=time.sleep)) as conversation:
        return conversation.ask({"prop": "info"})


def test_it_says_who_asks_and_how_much_lag_it_puts_up_with(wiki: ScriptedWiki) -> None:
    wiki.script = [OK]
    assert _asked(wiki) == {"batchcomplete": True, "query": {"pages": []}}
    (request,) = wiki.requests
    assert "ops@example.org" in request.headers["User-Agent"]
    assert request.headers["User-Agent"].startswith("Ronda/")
    assert request.headers["Accept-Encoding"] == "identity", (
        "packing for one's own machine is work for nothing"
    )
    assert request.query["formatversion"] == "2"
    assert request.query["maxlag"] == "10"


def test_whatever_is_no_answer_is_asked_for_again(
    wiki: ScriptedWiki, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(talking, "FIRST_PAUSE_SECONDS", 0.01)
    wiki.script = [
        (200, "text/html", b"<h1>Our servers are under maintenance</h1>", {}),
        (200, "application/json", b'{"query": {"pages": [{"pageid"', {}),
        (502, "text/html", b"Bad gateway", {}),
        (200, "application/json", b'{"error": {"code": "maxlag", "info": "lagged"}}', {"Retry-After": "1"}),
        (429, "text/html", b"Too many", {"Retry-After": "1"}),
        (200, "application/json", b'{"error": {"code": "internal_api_error_DBQueryError"}}', {}),
        OK,
    ]
    assert _asked(wiki)["batchcomplete"]
    assert len(wiki.requests) == 7
    assert wiki.requests[4].at - wiki.requests[3].at >= 1, "the lag is waited for"
    assert wiki.requests[5].at - wiki.requests[4].at >= 1, "Retry-After is waited for"


def test_patience_ends_with_a_word_on_what_to_do(wiki: ScriptedWiki, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(talking, "FIRST_PAUSE_SECONDS", 0.001)
    monkeypatch.setattr(talking, "LONGEST_PAUSE_SECONDS", 0.01)
    wiki.script = [(200, "text/html", b"nothing", {})] * talking.MOST_FAILURES
    with pytest.raises(WikiSilent, match="goes on from there"):
        _asked(wiki)


def test_refusals_are_not_asked_for_again(wiki: ScriptedWiki) -> None:
    wiki.script = [
        (200, "application/json", b'{"error": {"code": "readapidenied", "info": "You need to log in"}}', {})
    ]
    with pytest.raises(WikiRefuses, match="log in"):
        _asked(wiki)
    wiki.script = [(301, "text/html", b"", {"Location": "https://elsewhere.example/api.php"})]
    with pytest.raises(WikiRefuses, match=r"elsewhere\.example"):
        _asked(wiki)


def test_the_pause_between_questions_is_the_hosts(wiki: ScriptedWiki) -> None:
    wiki.script = [OK, OK]
    Host.objects.create(name=wiki.authority, scheme="http", delay_seconds=1.5)
    _asked(wiki)
    _asked(wiki)
    assert wiki.requests[1].at - wiki.requests[0].at >= 1.5


def test_wikimedia_is_asked_so_often_and_not_oftener(wiki: ScriptedWiki) -> None:
    waits = [talking._slot_in_seconds(120) for _ in range(5)]
    assert waits[0] == 0
    assert waits[4] == pytest.approx(2.0, abs=0.3)


def test_a_contact_is_required_for_wikis_elsewhere() -> None:
    with override_settings(RONDA=replace(settings.RONDA, contact="")):
        with pytest.raises(ContactMissing, match="RONDA_CONTACT"):
            user_agent("en.wikipedia.org")
        assert user_agent("127.0.0.1")


@given(st.integers(200, 599), st.none() | st.recursive(st.none() | st.integers() | st.text(), st.lists))
def test_nothing_but_an_object_without_an_error_is_believed(status: int, data: Any) -> None:
    assert judge(Reply(status, data, {})).data is None
