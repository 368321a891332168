"""`ronda outlook`, `ronda groups`, `ronda notify` and `ronda trace`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ronda.cli.client import Client
from ronda.cli.files import write_text
from ronda.cli.naming import SourceName, source_named
from ronda.cli.output import AsJson, console, print_json, print_table, size

OfCollection = Annotated[str, typer.Option("--collection", help="Only of this collection.")]


def outlook(
    source: SourceName,
    predictor: Annotated[str, typer.Option(help="What another predictor would say.")] = "",
    as_json: AsJson = False,
) -> None:
    """Say when a source is visited next, why then, and how it has changed so far."""
    client = Client()
    found = client.get(f"/sources/{source_named(client, source)['id']}/outlook", predictor=predictor)
    if as_json:
        print_json(found)
        return
    record = found.pop("record") or {}
    print_table(["", ""], [(name, _cell(value)) for name, value in {**found, **record}.items()], "")


def _cell(value: Any) -> Any:
    return f"{value:.3g}" if isinstance(value, float) else value


def groups(
    group: Annotated[str, typer.Option(metavar="high|medium|low", help="The sources of this group.")] = "",
    behaviour: Annotated[
        str,
        typer.Option(
            metavar="steady|working-day|bursty|seasonal|silent|erratic", help="The sources that change so."
        ),
    ] = "",
    collection: OfCollection = "",
    limit: Annotated[int, typer.Option(help="How many sources at most.", min=1, max=500)] = 100,
    as_json: AsJson = False,
) -> None:
    """Show sources by how often and how they change; of one group, its sources."""
    client = Client()
    if group or behaviour:
        found = client.get(
            "/groups/sources", group=group, behaviour=behaviour, collection=collection, page_size=limit
        )
        _print_sources(found["items"], as_json)
        return
    sums = client.get("/groups", collection=collection)
    if as_json:
        print_json(sums)
        return
    rows = [_sums({**sums["all"], "name": "all"})]
    rows += [_sums(one) for one in (*sums["by_frequency"], *sums["by_behaviour"])]
    columns = ["group", "sources", "frequency", "changes", "lost", "visits", "needless", "stored", "saved"]
    print_table(columns, rows, "")


def _sums(one: dict[str, Any]) -> tuple[Any, ...]:
    return (
        one["name"],
        one["sources"],
        f"{one['mean_frequency']:.2f}",
        one["changes"],
        f"{one['lost']:.0f} ({one['lost_share']:.0%})",
        one["visits"],
        f"{one['needless']} ({one['needless_share']:.0%})",
        size(one["bytes_stored"]),
        size(one["bytes_saved"]),
    )


def _print_sources(items: list[dict[str, Any]], as_json: bool) -> None:
    if as_json:
        print_json(items)
        return
    rows = [
        (
            one["title"],
            one["url"],
            f"{one['frequency']:.2f}",
            one["group"],
            one["behaviour"],
            one["changes"],
            f"{one['lost']:.0f}",
            one["visits"],
            one["needless"],
        )
        for one in items
    ]
    columns = ["name", "url", "frequency", "group", "behaviour", "changes", "lost", "visits", "needless"]
    print_table(columns, rows, "No sources in this group.")


def notify(
    url: Annotated[str, typer.Argument(help="What has changed.")],
    as_json: AsJson = False,
) -> None:
    """Say that a URL has changed: the sources that hold it are visited soon."""
    heard = Client().post("/notify", {"url": url})
    if as_json:
        print_json(heard)
        return
    rows = [
        (one["url"], (one["visit_at"] or "")[:19], "" if one["is_news"] else "told before") for one in heard
    ]
    print_table(["source", "visited (UTC)", ""], rows, "")


def trace(
    collection: OfCollection = "",
    source: Annotated[str, typer.Option(help="Only of this source: its id or URL.")] = "",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write here; else to standard output.")
    ] = None,
) -> None:
    """Write the changes that visits found as a trace, as `ronda simulate` reads it."""
    client = Client()
    wanted = {"collection": collection} if collection else {}
    if source:
        wanted["source"] = source_named(client, source)["id"]
    text = client.text("/trace.csv", **wanted)
    if output:
        write_text(output, text)
        console.print(f"{max(0, text.count(chr(10)) - 1)} rows")
    else:
        typer.echo(text, nl=False)
