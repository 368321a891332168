"""`ronda follow` and `ronda visit`."""

from __future__ import annotations

import time
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from ronda.cli.client import Client
from ronda.cli.naming import SourceName, source_named
from ronda.cli.output import AsJson, console, print_json
from ronda.cli.wish_options import Wish, with_wish

POLL_SECONDS = 0.5
OPEN_STATES = ("queued", "answered")
FAILED = ("down", "refused", "cancelled", "exhausted")

Wait = Annotated[bool, typer.Option("--wait", help="Stay until the visit ends, with a progress bar.")]


@with_wish
def follow(
    url: Annotated[str, typer.Argument(help="Where it begins.")], wish: Wish, as_json: AsJson = False
) -> None:
    """Follow a site or a page: visit it again and again, and keep a version whenever it changed."""
    made = Client().post("/sources", {"url": url, **wish.said})
    if as_json:
        print_json(made)
    else:
        console.print(f"{made['id']} {made['url']} is followed, in the collection {made['collection']}.")


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
    cut_off = f", {visit['cut_off']} cut off" if visit["cut_off"] else ""
    return f"visit {visit['id']} {visit['outcome']}{reason}{version}{cut_off}"
