"""`ronda jobs`, `job`, `start` and `cancel`."""

from __future__ import annotations

import json
import time
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from ronda.cli.client import Client
from ronda.cli.output import AsJson, console, print_json, print_table
from ronda.errors import InvalidInput, RondaError

OPEN = ("queued", "running")
POLL_SECONDS = 0.5

JobId = Annotated[str, typer.Argument(metavar="JOB", help="The job's id, or its first characters.")]


def list_jobs(
    state: Annotated[str, typer.Option(help="Only this state.")] = "",
    limit: Annotated[int, typer.Option(help="How many, newest first.", min=1, max=500)] = 20,
    with_routine: Annotated[
        bool, typer.Option("--all", help="Also what Ronda did by itself, and well.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List jobs, newest first."""
    jobs = Client().get("/jobs", state=state, page_size=limit, with_routine=with_routine)["items"]
    if as_json:
        print_json(jobs)
        return
    rows = [
        (j["id"][:8], j["kind"], j["state"], _progress(j), j["created_at"][:19], j["worker"]) for j in jobs
    ]
    print_table(["job", "kind", "state", "progress", "created (UTC)", "worker"], rows, "No jobs.")


def _progress(job: dict[str, Any]) -> str:
    return str(job["error"] or job["sentence"])


def show_job(job: JobId, as_json: AsJson = False) -> None:
    """Show one job."""
    client = Client()
    found = client.get(f"/jobs/{_full_id(client, job)}")
    if as_json:
        print_json(found)
        return
    print_table(["", ""], [(k, json.dumps(v) if isinstance(v, dict) else v) for k, v in found.items()], "")


def start_job(
    kind: Annotated[str, typer.Argument(help="Kind of job, like drill.")],
    arguments: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME=VALUE]...", help="Its arguments.")
    ] = None,
    wait: Annotated[bool, typer.Option("--wait", help="Stay until it ends, with a progress bar.")] = False,
    as_json: AsJson = False,
) -> None:
    """Start a job."""
    client = Client()
    job = client.post("/jobs", {"kind": kind, "arguments": dict(_pair(text) for text in arguments or [])})
    if wait:
        job = follow(client, job)
    if as_json:
        print_json(job)
    else:
        typer.echo(f"{job['id']} {job['state']} {_progress(job)}".rstrip())
    if job["state"] in ("failed", "cancelled"):
        raise typer.Exit(1)


def _pair(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise InvalidInput(f"Write arguments as NAME=VALUE, not {text!r}.")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def follow(client: Client, job: dict[str, Any]) -> dict[str, Any]:
    """Until it ends, with a progress bar."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        bar = progress.add_task(job["kind"], total=None)
        while job["state"] in OPEN:
            time.sleep(POLL_SECONDS)
            job = client.get(f"/jobs/{job['id']}")
            progress.update(bar, completed=job["done"], total=job["total"])
    return job


def cancel_job(job: JobId, as_json: AsJson = False) -> None:
    """Cancel a job: at once if it waits, at its next step if it runs."""
    client = Client()
    cancelled = client.delete(f"/jobs/{_full_id(client, job)}")
    if as_json:
        print_json(cancelled)
    else:
        console.print(
            f"{cancelled['id']} {'is being cancelled' if cancelled['is_cancelling'] else 'cancelled'}"
        )


def _full_id(client: Client, start: str) -> str:
    if len(start) == 36:
        return start
    is_possible = start and not set(start) - set("0123456789abcdefABCDEF-")
    found: dict[str, Any] = {"total": 0}
    if is_possible:
        found = client.get("/jobs", id_start=start, page_size=1)
    if found["total"] != 1:
        raise RondaError(f"{'More than one job' if found['total'] else 'No job'} starts with {start!r}.")
    return str(found["items"][0]["id"])
