"""`ronda follow` and `ronda visit`."""

from __future__ import annotations

import time
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from ronda.cli.client import Client
from ronda.cli.naming import SourceName, source_named
from ronda.cli.output import AsJson, console, print_json

POLL_SECONDS = 0.5
OPEN_STATES = ("queued", "answered")
FAILED = ("down", "refused", "cancelled")

Wait = Annotated[bool, typer.Option("--wait", help="Stay until the visit ends, with a progress bar.")]
Collection = Annotated[
    str | None, typer.Option(help="Short name of a collection; without it, the one of the settings.")
]
Topic = Annotated[int | None, typer.Option(help="Code of a topic, like 301.")]
ScopeOf = Annotated[str | None, typer.Option(metavar="host|domain|prefix|page", help="How far it reaches.")]
Depth = Annotated[int | None, typer.Option(help="How many links deep.")]
MaxPages = Annotated[int | None, typer.Option(help="Pages a capture takes at most.")]
MaxBytes = Annotated[int | None, typer.Option(help="Bytes a capture takes at most.")]
MaxSeconds = Annotated[int | None, typer.Option(help="Seconds a capture takes at most.")]
Every = Annotated[
    str | None, typer.Option(metavar="1d|auto", help="Time between visits; auto: Ronda finds it.")
]
Tags = Annotated[list[str] | None, typer.Option("--tag", help="A tag; may be given several times.")]
Notes = Annotated[str | None, typer.Option(help="Whatever is worth knowing about it.")]
Title = Annotated[str | None, typer.Option(help="What it is called.")]
AnyNode = Annotated[
    bool | None,
    typer.Option(
        "--any-node/--trusted-nodes", help="Also by nodes not yet trusted, or only by trusted ones."
    ),
]


def follow(
    url: Annotated[str, typer.Argument(help="Where it begins.")],
    collection: Collection = None,
    topic: Topic = None,
    scope: ScopeOf = None,
    depth: Depth = None,
    max_pages: MaxPages = None,
    max_bytes: MaxBytes = None,
    max_seconds: MaxSeconds = None,
    every: Every = None,
    tags: Tags = None,
    notes: Notes = None,
    title: Title = None,
    any_node: AnyNode = None,
    as_json: AsJson = False,
) -> None:
    """Follow a site or a page: visit it again and again, and keep a version whenever it changed."""
    given = said(
        url=url,
        title=title,
        collection=collection,
        topic=topic,
        scope=scope,
        depth=depth,
        max_pages=max_pages,
        max_bytes=max_bytes,
        max_seconds=max_seconds,
        every=every,
        tags=tags,
        notes=notes,
        is_for_any_node=any_node,
    )
    made = Client().post("/sources", given)
    if as_json:
        print_json(made)
    else:
        console.print(f"{made['id']} {made['url']} is followed, in the collection {made['collection']}.")


def said(**given: Any) -> dict[str, Any]:
    """What was said on the command line; the rest is the server's to choose."""
    return {name: value for name, value in given.items() if value is not None}


def visit(
    source: SourceName,
    wait: Wait = False,
    cancel: Annotated[bool, typer.Option("--cancel", help="Cancel the visit under way.")] = False,
    as_json: AsJson = False,
) -> None:
    """Capture a source now, whether it changed or not."""
    client = Client()
    address = f"/sources/{source_named(client, source)['id']}/visit"
    made = client.delete(address) if cancel else client.post(address, None)
    if wait:
        made = _until_it_ends(client, made["id"])
    if as_json:
        print_json(made)
    else:
        console.print(_told(made))
    if not cancel and made["outcome"] in FAILED:
        raise typer.Exit(1)


def _until_it_ends(client: Client, visit_id: int) -> dict[str, Any]:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        bar = progress.add_task("probing", total=None)
        while True:
            found = dict(client.patiently(lambda: client.get(f"/visits/{visit_id}")))
            known = sum(found["pages"].values())
            waiting = sum(found["pages"].get(state, 0) for state in OPEN_STATES)
            progress.update(bar, description=found["state"], completed=known - waiting, total=known or None)
            if found["state"] == "ended":
                return found
            time.sleep(POLL_SECONDS)


def _told(visit: dict[str, Any]) -> str:
    if visit["state"] != "ended":
        return (
            f"visit {visit['id']} is {'being cancelled' if visit['is_to_be_cancelled'] else visit['state']}"
        )
    version = f", version {visit['version']}" if visit["version"] else ""
    reason = f": {visit['reason']}" if visit["reason"] else ""
    return f"visit {visit['id']} {visit['outcome']}{reason}{version}"
