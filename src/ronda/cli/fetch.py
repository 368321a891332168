"""`ronda fetch`."""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from ronda.cli.client import Client
from ronda.cli.output import AsJson, console, print_json, print_table
from ronda.errors import InvalidInput
from ronda.frontier.strategies import Strategy

POLL_SECONDS = 0.5
TOP_HOSTS = 5
TOP_DIFFERENT = 20
COMPARING_SECONDS = 120


def fetch(
    what: Annotated[
        list[str], typer.Argument(metavar="FILE|URL...", help="Files with a URL a line, or URLs.")
    ],
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
        str, typer.Option(metavar="CL,DE", help="Fetch each URL from all these countries and compare.")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Have URLs fetched by the grid, politely, and wait for the answers."""
    client = Client()
    if output:
        _check_writable(output)
    wanted = {
        "urls": _urls(what),
        "max_age": max_age,
        "strategy": strategy,
        "vantage": [country.strip().upper() for country in vantage.split(",") if country.strip()],
    }
    made = client.post("/fetches", wanted)
    answers = _follow(client, made)
    comparisons = _comparisons(client, made["id"]) if vantage else []
    if output:
        client.patiently(lambda: client.download(f"/fetches/{made['id']}/warc", output))
    if as_json:
        print_json({"answers": answers, "comparisons": comparisons} if vantage else answers)
    else:
        _summarise(answers, output)
        _summarise_comparisons(comparisons)
    if any(answer["state"] != "fetched" for answer in answers):
        raise typer.Exit(1)


def _check_writable(output: Path) -> None:
    """Before anything is fetched: it is written beside and renamed, so its folder must take it."""
    if output.is_dir() or not output.parent.is_dir() or not os.access(output.parent, os.W_OK):
        raise InvalidInput(f"{output} cannot be written: give a file in a folder that is there and yours.")


def _urls(what: list[str]) -> list[str]:
    urls: list[str] = []
    for text in what:
        if "://" in text:
            urls.append(text)
            continue
        try:
            lines = Path(text).read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError as error:
            raise InvalidInput(f"{text} is no URL and no readable file: {error.strerror}.") from None
        urls += [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    if not urls:
        raise InvalidInput("There is no URL in what was given.")
    return urls


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


def _since(client: Client, fetch_id: str, after: int) -> list[dict[str, Any]]:
    """The answers behind those we have."""
    return [json.loads(line) for line in client.lines(f"/fetches/{fetch_id}/results", after=after)]


def _comparisons(client: Client, fetch_id: str) -> list[dict[str, Any]]:
    """What told the countries apart; comparing takes a while, but not for ever if no worker runs."""
    patience = time.monotonic() + COMPARING_SECONDS
    while not client.get(f"/fetches/{fetch_id}")["vantage"]["is_compared"] and time.monotonic() < patience:
        time.sleep(POLL_SECONDS)
    return [json.loads(line) for line in client.lines(f"/fetches/{fetch_id}/comparisons")]


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
    hosts = Counter(urlsplit(a["url"]).netloc for a in answers)
    print_table(["host", "URLs"], hosts.most_common(TOP_HOSTS), "")
    if cut_off := sum(bool(a["truncated"]) for a in answers):
        console.print(f"{cut_off} answers were cut off: larger or slower than a node takes, or broken off")
    if output:
        console.print(f"{len(answers)} answers, written to {output}")
