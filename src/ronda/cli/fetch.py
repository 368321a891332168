"""`ronda fetch`."""

from __future__ import annotations

import json
import shlex
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Annotated, Any
from urllib.parse import urlsplit

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from ronda.cli.client import Client
from ronda.cli.files import STDIN, check_writable
from ronda.cli.naming import fetch_id
from ronda.cli.output import AsJson, console, print_json, print_table
from ronda.errors import InvalidInput
from ronda.frontier.strategies import Strategy
from ronda.grid.url_lists import urls_in

POLL_SECONDS = 0.5
TOP_HOSTS = 5
TOP_DIFFERENT = 20
COMPARING_SECONDS = 120
# As shells have it for Ctrl-C.
INTERRUPTED = 130


def fetch(
    what: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILE|URL...", help="Files with a URL a line (- is standard input), or URLs."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the answers here, as WARC.")
    ] = None,
    max_age: Annotated[
        int | None, typer.Option(help="Take what the archive has, if not older (seconds).")
    ] = None,
    strategy: Annotated[
        Strategy | None, typer.Option(help="Who is preferred; without it, what the settings say.")
    ] = None,
    vantage: Annotated[
        list[str] | None,
        typer.Option(metavar="CL,DE", help="Fetch each URL from all these countries and compare."),
    ] = None,
    resume: Annotated[
        str, typer.Option(metavar="ID", help="Wait for a fetch made before instead of making one.")
    ] = "",
    cancel: Annotated[
        str,
        typer.Option(metavar="ID", help="End a fetch made before; what nodes are at ends with its answer."),
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Have URLs fetched by the grid, politely, and wait for the answers.

    Ctrl-C ends the waiting, not the fetch: it says how to go on waiting, and how to cancel.
    """
    if sum(map(bool, (what, resume, cancel))) != 1:
        raise InvalidInput("Give URLs or files with URLs, or the id of a fetch to --resume or --cancel.")
    client = Client()
    if cancel:
        ended = client.delete(f"/fetches/{fetch_id(cancel)}")
        console.print(f"Cancelled: {ended['ended']} of {ended['total']} URLs have ended")
        return
    if output:
        check_writable(output)
    if resume:
        made = client.get(f"/fetches/{fetch_id(resume)}")
    else:
        made = client.post("/fetches", _wanted(what or [], max_age, strategy, vantage or []))
    with _told_when_interrupted(made["id"], output):
        answers = _follow(client, made)
        is_compared = bool(vantage or (made.get("vantage") or {}).get("countries"))
        comparisons = _comparisons(client, made["id"]) if is_compared else []
        if output:
            client.patiently(lambda: client.download(f"/fetches/{made['id']}/warc", output))
    if as_json:
        print_json({"answers": answers, "comparisons": comparisons} if is_compared else answers)
    else:
        _summarise(answers, output)
        _summarise_comparisons(comparisons)
    if any(answer["state"] != "fetched" for answer in answers):
        raise typer.Exit(1)


def _wanted(
    what: list[str], max_age: int | None, strategy: Strategy | None, vantage: list[str]
) -> dict[str, Any]:
    return {
        "urls": _urls(what),
        "max_age": max_age,
        "strategy": strategy,
        "vantage": [country.strip().upper() for country in ",".join(vantage).split(",") if country.strip()],
    }


@contextmanager
def _told_when_interrupted(made_id: str, output: Path | None) -> Iterator[None]:
    """Whoever ends the waiting, by Ctrl-C or SIGTERM, reads what becomes of the fetch."""

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    except KeyboardInterrupt:
        where = f" -o {shlex.quote(str(output))}" if output else ""
        lines = [
            f"ronda: no longer waiting; fetch {made_id} goes on at the server.",
            f"  wait again:  ronda fetch --resume {made_id}{where}",
            f"  cancel it:   ronda fetch --cancel {made_id}",
        ]
        typer.echo("\n".join(lines), err=True)
        raise typer.Exit(INTERRUPTED) from None
    finally:
        signal.signal(signal.SIGTERM, before)


def _urls(what: list[str]) -> list[str]:
    urls: list[str] = []
    for text in what:
        if "://" in text:
            urls.append(text)
            continue
        urls += urls_in(_list_in(text))
    if not urls:
        raise InvalidInput("There is no URL in what was given.")
    return urls


def _list_in(name: str) -> str:
    try:
        data = sys.stdin.buffer.read() if name == STDIN else Path(name).read_bytes()
    except OSError as error:
        raise InvalidInput(f"{name} is no URL and no readable file: {error.strerror}.") from None
    return data.decode("utf-8", "replace")


def _follow(client: Client, made: dict[str, Any]) -> list[dict[str, Any]]:
    answers: dict[int, dict[str, Any]] = {}
    after = 0
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        bar = progress.add_task("fetching", total=made["total"])
        while True:
            state = client.patiently(lambda: client.get(f"/fetches/{made['id']}"))
            for answer in client.patiently(partial(_since, client, made["id"], after)):
                after = answer["id"]
                if answer["state"] == "void":
                    # Taken back: its node was found to give wrong answers. The right one follows.
                    answers.pop(answer["voids"], None)
                else:
                    answers[after] = answer
            progress.update(bar, completed=state["ended"], total=state["total"])
            if state["is_done"]:
                return list(answers.values())
            time.sleep(POLL_SECONDS)


def _since(client: Client, made_id: str, after: int) -> list[dict[str, Any]]:
    """The answers behind those we have."""
    return [json.loads(line) for line in client.lines(f"/fetches/{made_id}/results", after=after)]


def _comparisons(client: Client, made_id: str) -> list[dict[str, Any]]:
    """What told the countries apart; comparing takes a while, but not for ever if no worker runs."""
    patience = time.monotonic() + COMPARING_SECONDS
    while not client.get(f"/fetches/{made_id}")["vantage"]["is_compared"] and time.monotonic() < patience:
        time.sleep(POLL_SECONDS)
    return [json.loads(line) for line in client.lines(f"/fetches/{made_id}/comparisons")]


def _summarise_comparisons(comparisons: list[dict[str, Any]]) -> None:
    if not comparisons:
        return
    outcomes = Counter(one["outcome"] for one in comparisons)
    print_table(["countries", "URLs"], sorted(outcomes.items()), "")
    different = [(one["url"], one["rung"]) for one in comparisons if one["outcome"] == "differ"]
    if different:
        print_table(["differs", "by"], different[:TOP_DIFFERENT], "")


def _summarise(answers: list[dict[str, Any]], output: Path | None) -> None:
    classes = Counter(f"{a['status'] // 100}xx" if a["status"] else a["state"] for a in answers)
    print_table(["answer", "URLs"], sorted(classes.items()), "")
    reasons = Counter(a["reason"] for a in answers if a["reason"])
    if reasons:
        print_table(["reason", "URLs"], reasons.most_common(), "")
    hosts = Counter(host for a in answers if (host := _host_of(a["url"])))
    print_table(["host", "URLs"], hosts.most_common(TOP_HOSTS), "")
    if cut_off := sum(bool(a["truncated"]) for a in answers):
        console.print(f"{cut_off} answers were cut off: larger or slower than a node takes, or broken off")
    if output:
        fetched = sum(answer["state"] == "fetched" for answer in answers)
        console.print(f"{fetched} of {len(answers)} URLs were fetched, and written to {output}")


def _host_of(url: str) -> str:
    """Without the password that somebody wrote in it. What was refused may have no host at all."""
    try:
        return urlsplit(url).netloc.rpartition("@")[2]
    except ValueError:
        return ""
