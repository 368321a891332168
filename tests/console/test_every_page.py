"""Every page, for every role, in both languages: shown or refused as it should be, and clean."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from django.conf import settings
from django.test import Client, override_settings
from django.urls import reverse
from django.utils import timezone

from ronda.accounts import services as accounts
from ronda.accounts.models import Person
from ronda.accounts.roles import Role
from ronda.analysis.answer_bodies import body_of
from ronda.analysis.asked import of_session
from ronda.analysis.models import AnswerRow, Batch, Session
from ronda.analysis.sessions import Wanted, open_session
from ronda.credits.services import top_up
from ronda.frontier.opt_outs import add_opt_out
from ronda.grid import minutes
from ronda.grid.fetches import create_fetch
from ronda.grid.minutes import Amount
from ronda.grid.models import Comparison, FetchAnswer
from ronda.grid.services import register_node
from ronda.jobs.models import Job, State
from ronda.jobs.services import start_job
from ronda.policies.services import change_setting
from ronda.rounds import simulations
from ronda.rounds.models import NoiseRule, VersionScore, VisitOutcome, VisitPage
from ronda.rounds.services import remove as remove_source
from ronda.rounds.simulations import Scenario
from ronda.rounds.visiting import ask_for_visit
from ronda.supervision.models import Leadership, Process
from ronda.trust import standings
from ronda.trust.rules import ProbeResult, Score, after_probe
from tests.console.markup import Page
from tests.rounds.sources import captured, followed, own_archive, visited, watched

EVERYBODY = tuple(Role)
READERS = (Role.READER, Role.SUBSCRIBER, Role.DIRECTOR)
FOLLOWERS = (Role.SUBSCRIBER, Role.DIRECTOR)
DEMO = "http://127.1.0.1:9000/"
OPEN_PAGES = ("login", "register", "register-sent", "recover", "recover-sent", "bot")
PAGES: dict[str, tuple[Role, ...]] = {
    "overview": EVERYBODY,
    "search": READERS,
    "searches": EVERYBODY,
    "favourites": READERS,
    "account": EVERYBODY,
    "password": EVERYBODY,
    "account-delete": EVERYBODY,
    "tokens": EVERYBODY,
    "jobs": EVERYBODY,
    "job-start": EVERYBODY,
    "grid": (Role.DIRECTOR, Role.CONTRIBUTOR, Role.CLIENT),
    "fetches": (Role.CLIENT,),
    "fetch-new": (Role.CLIENT,),
    "ask": (Role.CLIENT,),
    "questions": (Role.CLIENT,),
    "sessions": (Role.CLIENT,),
    "answers": (Role.CLIENT,),
    "sources": READERS,
    "source-new": FOLLOWERS,
    "sources-import": FOLLOWERS,
    "collections": READERS,
    "groups": READERS,
    "simulations": READERS,
    "simulation-new": READERS,
    "collection-new": (Role.DIRECTOR,),
    "topics": READERS,
    "hosts": (Role.DIRECTOR,),
    "opt-outs": (Role.DIRECTOR,),
    "nodes": (Role.CONTRIBUTOR,),
    "credits": EVERYBODY,
    "notifications": READERS,
    "page-diff": EVERYBODY,
    "settings": (Role.DIRECTOR,),
    "people": (),
    "person-add": (),
    "system": (),
}


# Pages about one thing that more than administrators see: who may.
READABLE = {
    **dict.fromkeys(("source", "its versions", "its noise", "visit", "ended visit", "version"), READERS),
    **dict.fromkeys(("prediction", "prediction of a changing source"), READERS),
    **dict.fromkeys(("collection", "collection with a removal"), READERS),
}
READABLE |= dict.fromkeys(("ask about movies", "questions about movies"), (Role.CLIENT,))
# An administrator's own source: directors may change it, too.
OWNERS = ("edit source", "delete source", "cancel visit", "forget version", "edit collection")


@pytest.fixture
def own_files(db: None, tmp_path: Path) -> Iterator[None]:
    with own_archive(tmp_path):
        yield


@pytest.fixture
def full_house(administrator: Person, own_files: None) -> dict[str, str]:
    """Something of everything; the addresses of pages about one thing."""
    job = start_job(actor=administrator, kind="drill", arguments={"steps": 5})
    now = timezone.now()
    Job.objects.create(
        kind="drill", owner=administrator, state=State.FAILED, error="<b>no</b>", attempt=2, losses=1
    )
    Job.objects.create(
        kind="gone", state=State.SUCCEEDED, result={"n": [1]}, started_at=now, ended_at=now, total=3, done=3
    )
    process = Process.objects.create(
        instance="11111111-1111-4111-8111-111111111111",
        machine="here",
        name="worker-1",
        role="worker",
        pid=12345,
        state="running",
        doing=f"job {job.pk}",
        last_words="<script>alert(1)</script>",
        version="1",
        started_at=now,
        beat_at=now,
        reported_at=now,
    )
    Process.objects.create(
        instance=process.instance, machine="here", name="demo-1", role="demo", state="running",
        doing=f"{DEMO} 40 sites", version="1", reported_at=now,
    )  # fmt: skip
    Leadership.objects.create(instance=process.instance, machine="here", pid=1, since=now, beat_at=now)
    token, _secret = accounts.create_token(actor=administrator, name="laptop")
    node = register_node(actor=administrator, name="my node", version="1", system="Linux", country="CL")
    liar = register_node(actor=administrator, name="<b>liar", version="1", system="Linux")
    quarantined = standings.locked([liar.pk])[liar.pk]
    standings.keep(quarantined, after_probe(Score(), ProbeResult.FAILED))
    minutes.count(node_id=node.pk, amounts={"2xx": Amount(3, 5000), "dns": Amount(1)})
    fetch = create_fetch(actor=administrator, urls=["http://a.example/", "http://b.example/", "ftp://<b>"])
    answer = FetchAnswer.objects.create(
        fetch=fetch, url="http://a.example/<b>", state="fetched", status=200, node=node, country="CL"
    )
    seen = create_fetch(actor=administrator, urls=["http://a.example/"], vantage=["CL", "DE"])
    Comparison.objects.create(
        fetch=seen, url="http://a.example/", outcome="differ", rung="text", similarity=0.2
    )
    opt_out = add_opt_out(actor=administrator, pattern="b.example", reason="<script>alert(1)</script>")
    top_up(actor=administrator, email=administrator.email, amount=Decimal("12.5"), note="<b>")
    source = followed(
        administrator,
        "http://a.example/",
        title="<b>",
        notes="<script>alert(1)</script>",
        tags=("<i>",),
        topic=301,
    )
    version = captured(source)
    captured(source, now - timedelta(days=40))
    VersionScore.objects.create(
        version=version, score=0.3, content=0.6, mass_pages=4, mass_part="p.<b>", returns_to=source.versions.last(),
        drivers=[{"url": "http://a.example/<b>", "fate": "changed", "score": 0.3, "component": "text"}],
    )  # fmt: skip
    session = _answered_session(administrator)
    for number, state in enumerate(("learnt", "hand", "undone", "suspected")):
        NoiseRule.objects.create(
            source=source, kind="selector", where=f"p.a{number}", nature="part", state=state, since=now, visits=number,
            used_at=now, examples=[["<script>alert(1)</script>", "b"]], is_too_slow=state == "hand",
        )  # fmt: skip
    visited(source, VisitOutcome.DOWN, now - timedelta(days=3))
    under_way = ask_for_visit(actor=administrator, source_id=source.pk)
    VisitPage.objects.create(visit=under_way, url=source.url, url_digest=uuid.uuid4(), role="entry")
    lively = followed(administrator, "http://lively.example/", tags=("<i>",), predictor="auto")
    watched(lively, days=60, changes_every=3)
    simulation = simulations.start(
        actor=administrator, wanted=simulations.Wanted(scenario=Scenario("poisson"))
    )
    removed = followed(administrator, "http://gone.example/", collection="scientific")
    remove_source(actor=administrator, source_id=removed.pk, because="<script>alert(1)</script>")
    change_setting(actor=administrator, name="job_keep_days", value=30, note="small disk")
    change_setting(actor=administrator, name="new_person_roles", value=["reader"])
    return {
        "job": reverse("job", args=[job.pk]),
        "cancel": reverse("job-cancel", args=[job.pk]),
        "again": reverse("job-start-kind", args=["drill"]) + f"?like={job.pk}",
        "restart": reverse("process-restart", args=[process.pk]),
        "node": reverse("node", args=[node.pk]),
        "liar": reverse("node", args=[liar.pk]),
        "remove node": reverse("node-remove", args=[node.pk]),
        "lift quarantine": reverse("node-lift", args=[liar.pk]),
        "fetch": reverse("fetch", args=[fetch.pk]),
        "fetch from countries": reverse("fetch", args=[seen.pk]),
        "report": reverse("answer-report", args=[fetch.pk, answer.pk]),
        "cancel fetch": reverse("fetch-cancel", args=[fetch.pk]),
        "host": reverse("host", args=["a.example"]),
        "opted-out host": reverse("host", args=["b.example"]),
        "change host": reverse("host-change", args=["a.example"]),
        "end rest": reverse("host-end-backoff", args=["a.example"]),
        "ask robots": reverse("host-ask-robots", args=["a.example"]),
        "remove opt-out": reverse("opt-out-remove", args=[opt_out.pk]),
        "session": reverse("session", args=[session.pk]),
        "delete session": reverse("session-delete", args=[session.pk]),
        "ask about movies": reverse("ask-set", args=["movies"]),
        "questions about movies": reverse("question-set", args=["movies"]),
        "source": reverse("source", args=[source.pk]),
        "prediction": reverse("source-prediction", args=[source.pk]),
        "prediction of a changing source": reverse("source-prediction", args=[lively.pk]),
        "simulation": reverse("simulation", args=[simulation.pk]),
        "its versions": reverse("source-versions", args=[source.pk]),
        "its noise": reverse("source-noise", args=[source.pk]),
        "visit": reverse("visit", args=[under_way.pk]),
        "ended visit": reverse("visit", args=[version.visit_id]),
        "version": reverse("version", args=[version.pk]),
        "collection": reverse("collection", args=["cultural"]),
        "collection with a removal": reverse("collection", args=["scientific"]),
        "delete source": reverse("sources-delete") + f"?source={source.pk}",
        "edit source": reverse("source-edit", args=[source.pk]),
        "cancel visit": reverse("visit-cancel", args=[source.pk]),
        "forget version": reverse("version-forget", args=[version.pk]),
        "edit collection": reverse("collection-edit", args=["cultural"]),
        "revoke": reverse("token-revoke", args=[token.pk]),
        "person": reverse("person", args=[administrator.pk]),
        "close": reverse("person-close", args=[administrator.pk]),
        "reopen": reverse("person-reopen", args=[administrator.pk]),
        "revoke theirs": reverse("person-token-revoke", args=[administrator.pk, token.pk]),
        **{
            name: reverse("setting", args=[name])
            for name in ("job_keep_days", "registration_open", "new_person_roles")
        },
    }


def _answered_session(person: Person) -> Session:
    """With an answer of every kind: a number, bars, a table, a failure."""
    wanted = Wanted(questions="movies")
    session, _is_new = open_session(actor=person, wanted=wanted)
    Batch.objects.create(
        session=session, table="movies", number=1, checksum="0" * 64, rows=3, dropped=1, reasons={"<b>": 1},
        body_bytes=5000, segment_bytes=900,
    )  # fmt: skip
    rows = list(AnswerRow.objects.filter(session=session).order_by("pk"))
    for row in rows[1:]:
        question = of_session(session).set.question(row.question)
        names = list(dict.fromkeys([question.drawing.x or "name", *question.drawing.y, "more"]))
        table = pa.table(
            {name: ["<script>alert(1)</script>"] if not at else [1.5] for at, name in enumerate(names)}
        )
        body = body_of(table)
        AnswerRow.objects.filter(pk=row.pk).update(
            state="done", columns=body.columns, body=body.packed, row_count=30, is_complete=True,
            warnings=["<script>alert(1)</script>"], used={"movies": 3}, dropped={"movies": {"<b>": 1}},
            seen={"movies": {"batches": 1, "rows": 3, "dropped": 1}}, answered_at=timezone.now(), seconds=0.2,
        )  # fmt: skip
    AnswerRow.objects.filter(pk=rows[-1].pk).update(state="failed", error="<script>alert(1)</script>")
    return session


def _addresses(full_house: dict[str, str]) -> Iterator[tuple[str, tuple[Role, ...]]]:
    for name, roles in PAGES.items():
        yield reverse(name), roles
    for name, address in full_house.items():
        is_director_s = address.startswith(("/settings/", "/hosts/", "/opt-outs/")) or name in OWNERS
        yield address, READABLE.get(name, (Role.DIRECTOR,) if is_director_s else ())


def _page(html: str) -> Page:
    # The demo's web is the one other host there is, and only behind a link to follow by hand.
    return Page(html.replace(DEMO, "/"))


def _assert_clean(html: str, address: str, language: str) -> None:
    page = _page(html)
    assert page.complaints == [], address
    assert page.language == language, address


@pytest.mark.parametrize("language", ["en", "es"])
def test_an_administrator_sees_every_page(
    browser_of: Callable[..., Client], administrator: Person, full_house: dict[str, str], language: str
) -> None:
    browser = browser_of(administrator, language)
    for address, _roles in _addresses(full_house):
        response = browser.get(address)
        assert response.status_code == 200, address
        _assert_clean(response.text, address, language)
        assert "<script>alert" not in response.text


@pytest.mark.parametrize("role", [role for role in Role if role is not Role.ADMINISTRATOR])
def test_others_see_what_their_role_allows(
    browser_of: Callable[..., Client],
    make_person: Callable[..., Person],
    full_house: dict[str, str],
    role: Role,
) -> None:
    browser = browser_of(make_person(f"{role}@example.org", role), "es")
    for address, roles in _addresses(full_house):
        response = browser.get(address)
        # A thing of somebody else's is not there (404); a place one may not enter is closed (403).
        assert response.status_code in ((200,) if role in roles else (403, 404)), address
        _assert_clean(response.text, address, "es")


@pytest.mark.django_db
@pytest.mark.parametrize("language", ["en", "es"])
def test_strangers_see_the_entrance_and_are_sent_to_it(
    browser_of: Callable[..., Client], full_house: dict[str, str], language: str
) -> None:
    browser = browser_of(language=language)
    for name in OPEN_PAGES:
        response = browser.get(reverse(name))
        assert response.status_code == 200
        _assert_clean(response.text, name, language)
    for address, _roles in _addresses(full_house):
        response = browser.get(address)
        assert response.status_code == 302, address
        assert response.headers["Location"].startswith("/login?next="), address


@pytest.mark.parametrize(
    ("contact", "link"),
    [
        ("crawl@example.org", 'href="mailto:crawl@example.org"'),
        ("https://example.org/contact", 'href="https://example.org/contact"'),
        ("", "RONDA_CONTACT"),
    ],
)
@pytest.mark.django_db
def test_owners_of_sites_learn_whom_to_write_to(
    browser_of: Callable[..., Client], contact: str, link: str
) -> None:
    with override_settings(RONDA=replace(settings.RONDA, contact=contact)):
        page = browser_of(language="es").get("/bot").text
    assert link in page
    assert "User-agent: RondaBot" in page
    assert "120" in page, "the longest delay is a setting, and told"


def test_live_parts_come_alone(browser: Client, full_house: dict[str, str]) -> None:
    for address in (
        *map(
            reverse,
            (
                "overview",
                "jobs",
                "people",
                "system",
                "nodes",
                "grid",
                "fetches",
                "hosts",
                "sources",
                "groups",
                "sessions",
            ),
        ),
        *(full_house[name] for name in ("job", "node", "fetch", "host", "source", "visit", "version")),
        *(full_house[name] for name in ("prediction of a changing source", "simulation", "session")),
    ):
        response = browser.get(address, headers={"HX-Request": "true"})
        assert response.status_code == 200
        assert response.text.lstrip().startswith('<div id="live-'), address
        assert response.headers["Cache-Control"] == "no-store"
        assert _page(response.text).complaints == []


def test_the_admin_shows_every_model(browser: Client, full_house: dict[str, str]) -> None:
    for address in (
        "/admin/",
        "/admin/accounts/person/",
        "/admin/accounts/apitoken/",
        "/admin/jobs/job/",
        "/admin/policies/policychange/",
        "/admin/supervision/process/",
        "/admin/supervision/leadership/",
        "/admin/grid/node/",
        "/admin/credits/account/",
        "/admin/credits/transfer/",
        "/admin/credits/entry/",
        "/admin/trust/standing/",
        "/admin/trust/incident/",
        "/admin/trust/check/",
    ):
        assert browser.get(address).status_code == 200, address
    assert browser.get("/admin/jobs/job/add/").status_code == 403


def test_the_admin_is_for_administrators(
    browser_of: Callable[..., Client], make_person: Callable[..., Person]
) -> None:
    refused = browser_of(make_person("reader@example.org", Role.DIRECTOR)).get("/admin/", follow=True)
    assert refused.status_code == 403
    assert browser_of().get("/admin/", follow=True).redirect_chain[-1][0].startswith("/login")
