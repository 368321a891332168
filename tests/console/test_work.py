"""Jobs, settings, processes and nodes through the console."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Annotated, Any, Literal

import pytest
from django.test import Client
from django.utils import timezone
from pydantic import Field

from ronda.accounts.models import Person
from ronda.accounts.roles import Role
from ronda.jobs.errors import JobGivenUp
from ronda.jobs.forms import ArgumentsForm
from ronda.jobs.kinds import Arguments, JobKind
from ronda.jobs.models import Job, State
from ronda.jobs.services import start_job
from ronda.policies.models import PolicyChange
from ronda.policies.queries import setting
from ronda.supervision.models import Process


def test_start_a_job_and_cancel_it(browser: Client) -> None:
    answer = browser.post("/jobs/start/drill", {"steps": "7", "pause_seconds": "0.5"})
    job = Job.objects.get()
    assert answer.headers["Location"] == f"/jobs/{job.pk}"
    assert job.arguments == {"steps": 7, "pause_seconds": 0.5}
    shown = browser.get(f"/jobs/{job.pk}").text
    assert f"/jobs/{job.pk}/cancel" in shown
    assert "every 1500ms" in shown
    assert browser.get(f"/jobs/{job.pk}/cancel").status_code == 200
    assert Job.objects.get().state == State.QUEUED, "looking at the question must not cancel"
    cancelled = browser.post(f"/jobs/{job.pk}/cancel", follow=True).text
    assert "The job is cancelled" in cancelled
    assert "every 1500ms" not in cancelled, "an ended job needs no polling"


def test_an_empty_argument_takes_its_default(browser: Client) -> None:
    browser.post("/jobs/start/drill", {"steps": "", "pause_seconds": "2"})
    assert Job.objects.get().arguments == {"steps": 30, "pause_seconds": 2.0}


@pytest.mark.parametrize(
    ("name", "value"), [("steps", "0"), ("steps", "many"), ("pause_seconds", "61"), ("pause_seconds", "nan")]
)
def test_wrong_arguments_name_the_field(browser: Client, name: str, value: str) -> None:
    answer = browser.post("/jobs/start/drill", {name: value})
    assert answer.status_code == 422
    assert f'id="id_{name}_error"' in answer.text
    assert not Job.objects.exists()


def test_unknown_kinds_are_not_there(browser: Client) -> None:
    assert browser.get("/jobs/start/nonsense").status_code == 404


def test_what_ronda_did_by_itself_is_hidden_unless_it_went_wrong(
    browser: Client, administrator: Person
) -> None:
    well, wrong, open_ = (
        Job.objects.create(kind="read_texts", state=state)
        for state in (State.SUCCEEDED, State.FAILED, State.RUNNING)
    )
    asked_for = Job.objects.create(kind="drill", owner=administrator, state=State.SUCCEEDED)

    def shown(address: str) -> set[Job]:
        text = browser.get(address).text
        return {job for job in (well, wrong, open_, asked_for) if f'id="job-{job.pk}"' in text}

    assert shown("/jobs") == {wrong, open_, asked_for}
    assert shown("/jobs?with_routine=on") == {well, wrong, open_, asked_for}
    assert shown("/jobs?kind=read_texts") == {well, wrong, open_}

    def listed(address: str) -> set[str]:
        return {job["id"] for job in browser.get(address).json()["items"]}

    assert listed("/api/v1/jobs") == {str(job.pk) for job in (well, wrong, open_, asked_for)}
    assert listed("/api/v1/jobs?with_routine=false") == {str(job.pk) for job in (wrong, open_, asked_for)}


def test_ended_jobs_cannot_be_cancelled(browser: Client, administrator: Person) -> None:
    job = Job.objects.create(kind="drill", owner=administrator, state=State.SUCCEEDED)
    assert browser.get(f"/jobs/{job.pk}/cancel").status_code == 302
    assert "ended already (succeeded)" in browser.post(f"/jobs/{job.pk}/cancel", follow=True).text


def test_jobs_are_filtered_and_one_s_own(
    browser: Client,
    administrator: Person,
    make_person: Callable[..., Person],
    browser_of: Callable[..., Client],
) -> None:
    job = start_job(actor=administrator, kind="drill", arguments={})
    assert str(job.pk) in browser.get("/jobs?state=queued&kind=drill").text
    assert str(job.pk) not in browser.get("/jobs?state=failed").text
    assert browser.get("/jobs?state=nonsense").status_code == 200
    stranger = browser_of(make_person("a@example.org", Role.CLIENT))
    assert str(job.pk) not in stranger.get("/jobs").text
    assert stranger.post(f"/jobs/{job.pk}/cancel").status_code == 404


def test_forms_fit_every_kind_of_argument() -> None:
    class Everything(Arguments):
        url: Annotated[str, Field(max_length=9)]
        depth: int | None = None
        mode: Literal["fast", "slow"] = "slow"
        is_loud: bool = False
        headers: dict[str, str] = Field(default_factory=dict)

    def work(run: object, arguments: Any) -> None:
        return None

    kind = JobKind(name="everything", title="Everything", arguments=Everything, role=Role.CLIENT, work=work)
    form = ArgumentsForm(
        kind, {"url": "x", "depth": "", "mode": "fast", "is_loud": "on", "headers": '{"a": "b"}'}
    )
    assert form.is_valid(), form.errors
    assert kind.parse(form.given()) == Everything(url="x", mode="fast", is_loud=True, headers={"a": "b"})
    refused = ArgumentsForm(kind, {"url": "far too long", "depth": "x", "mode": "odd", "headers": "{"})
    assert set(refused.errors) == {"url", "depth", "mode", "headers"}


def test_a_setting_is_changed_with_a_reason(browser: Client, administrator: Person) -> None:
    answer = browser.post("/settings/job_keep_days", {"value": "7", "note": "disk"}, follow=True).text
    assert "7 days" in answer
    assert "disk" in answer
    assert "90 days → <strong>7 days</strong>" in answer
    browser.post("/settings/new_person_roles", {"value": ["client", "reader"]})
    assert setting(actor=administrator, name="new_person_roles").value == "reader client"
    browser.post("/settings/registration_open", {})
    assert setting(actor=administrator, name="registration_open").value is False


@pytest.mark.parametrize("value", ["0", "4000", "many", ""])
def test_wrong_values_change_nothing(browser: Client, value: str) -> None:
    answer = browser.post("/settings/job_keep_days", {"value": value})
    assert answer.status_code == 422
    assert 'id="id_value_error"' in answer.text
    assert not PolicyChange.objects.exists()
    assert browser.post("/settings/nonsense", {"value": "1"}).status_code == 404


def _process(role: str = "worker", **values: Any) -> Process:
    now = timezone.now()
    given = {
        "machine": "here",
        "name": f"{role}-1",
        "state": "running",
        "version": "1",
        "reported_at": now,
        **values,
    }
    return Process.objects.create(instance=uuid.uuid4(), role=role, **given)


def test_a_process_is_restarted_after_a_question(browser: Client) -> None:
    process = _process()
    address = f"/system/processes/{process.pk}/restart"
    assert "checkpoint" in browser.get(address).text
    process.refresh_from_db()
    assert process.restart_requested_at is None
    assert browser.post(f"{address}?from=jobs").headers["Location"] == "/jobs"
    process.refresh_from_db()
    assert process.restart_requested_at is not None


def test_a_silent_process_cannot_be_restarted(browser: Client) -> None:
    process = _process(reported_at=timezone.now() - timedelta(minutes=5))
    answer = browser.post(f"/system/processes/{process.pk}/restart", follow=True)
    assert "nobody to restart it" in answer.text


def test_the_overview_leads_to_the_demo(browser: Client) -> None:
    assert "demo-link" not in browser.get("/").text
    _process("demo", doing="http://127.1.0.1:9000/")
    assert 'href="http://127.1.0.1:9000/"' in browser.get("/").text
    Process.objects.update(doing="javascript:alert(1)")
    assert "javascript:" not in browser.get("/").text


def test_workers_tell_which_job_they_do(browser: Client, administrator: Person) -> None:
    job = start_job(actor=administrator, kind="drill", arguments={})
    _process(doing=f"job {job.pk}")
    assert f'id="doing-{job.pk}"' in browser.get("/jobs").text


def test_workers_of_past_starts_are_not_listed(browser: Client) -> None:
    _process(name="worker-7", reported_at=timezone.now() - timedelta(minutes=5))
    _process(name="worker-8", state="stopped")
    _process(name="worker-9")
    listed = browser.get("/jobs").text
    assert "worker-9" in listed
    assert "worker-7" not in listed
    assert "worker-8" not in listed


def test_what_cannot_be_sorted_and_why_a_job_failed_are_told_in_spanish(
    administrator: Person, browser_of: Callable[..., Client]
) -> None:
    browser = browser_of(administrator, "es")
    answer = browser.get("/jobs?sort=colour")
    assert answer.status_code == 422
    assert "No se puede ordenar por «colour»" in answer.text
    job = Job.objects.create(kind="drill", owner=administrator, state=State.FAILED, error=str(JobGivenUp()))
    for address in ("/jobs", f"/jobs/{job.pk}"):
        assert "Abandonado: sus procesos trabajadores murieron" in browser.get(address).text
