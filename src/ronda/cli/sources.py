"""`ronda sources`, with `import` and `export`, and `ronda source show|edit|pause|resume|delete`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ronda.cli.client import Client
from ronda.cli.files import read_text, write_text
from ronda.cli.naming import SourceName, source_named
from ronda.cli.output import AsJson, console, print_json, print_table
from ronda.cli.wish_options import Wish, with_wish
from ronda.errors import InvalidInput

many = typer.Typer(name="sources", help="List sources; import and export lists of them.")
one = typer.Typer(name="source", help="Look at a source, change it, delete it.", no_args_is_help=True)

OfCollection = Annotated[str, typer.Option("--collection", help="Only of this collection.")]
OfTopic = Annotated[int | None, typer.Option("--topic", help="Only of this topic.")]
OfState = Annotated[str, typer.Option("--state", metavar="active|paused|ended", help="Only in this state.")]
OfTag = Annotated[str, typer.Option("--tag", help="Only with this tag.")]
Search = Annotated[str, typer.Option(help="Words in URL, title, notes or tags.")]


@many.callback(invoke_without_command=True)
def list_sources(
    context: typer.Context,
    collection: OfCollection = "",
    topic: OfTopic = None,
    state: OfState = "",
    tag: OfTag = "",
    search: Search = "",
    limit: Annotated[int, typer.Option(help="How many at most.", min=1, max=500)] = 100,
    as_json: AsJson = False,
) -> None:
    """List sources; import and export lists of them."""
    if context.invoked_subcommand:
        return
    found = Client().get(
        "/sources",
        collection=collection,
        topic=topic,
        state=state,
        tag=tag,
        search=search,
        page_size=limit,
    )
    if as_json:
        print_json(found["items"])
        return
    rows = [
        (
            s["id"],
            s["url"],
            s["collection"],
            s["topic"],
            s["state"],
            s["versions"],
            _moment(s["next_visit_at"]),
        )
        for s in found["items"]
    ]
    columns = ["source", "url", "collection", "topic", "state", "versions", "next visit (UTC)"]
    print_table(columns, rows, "No sources. `ronda follow URL` follows one.")
    if found["total"] > limit:
        console.print(f"{limit} of {found['total']}; --limit shows more.")


def _moment(text: str | None) -> str:
    return (text or "")[:19]


@many.command("import")
def import_sources(
    file: Annotated[
        Path, typer.Argument(help="A CSV file as `ronda sources export` writes; - reads standard input.")
    ],
    as_json: AsJson = False,
) -> None:
    """Follow every line of a CSV file; its first line names the columns, of which only url is needed."""
    report = Client().post_text("/sources/import", read_text(str(file)), "text/csv")
    if as_json:
        print_json(report)
    else:
        refused = [line for line in report["lines"] if line["refused_because"]]
        rows = [(line["line"], line["url"], line["refused_because"]) for line in refused]
        if rows:
            print_table(["line", "url", "refused because"], rows, "")
        console.print(f"{report['taken']} taken, {report['refused']} refused.")
    if report["refused"]:
        raise typer.Exit(1)


@many.command("export")
def export_sources(
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write here; else to standard output.")
    ] = None,
    collection: OfCollection = "",
    topic: OfTopic = None,
    state: OfState = "",
    tag: OfTag = "",
    search: Search = "",
) -> None:
    """Write sources as CSV, as `ronda sources import` reads them."""
    wanted = {"collection": collection, "topic": topic, "state": state, "tag": tag, "search": search}
    text = Client().text("/sources/export.csv", **{name: value for name, value in wanted.items() if value})
    if output:
        write_text(output, text)
    else:
        typer.echo(text, nl=False)


@one.command("show")
def show_source(source: SourceName, as_json: AsJson = False) -> None:
    """Show a source: what is kept of it, when it is visited next, and why then."""
    _print(source_named(Client(), source), as_json)


@one.command("edit")
@with_wish
def edit_source(
    source: SourceName,
    wish: Wish,
    url: Annotated[str | None, typer.Option(help="Where it begins.")] = None,
    owner: Annotated[
        str | None, typer.Option(metavar="MAIL", help="Whose it is from now on (directors).")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Change a source; what is not named stays. It holds from the next visit on."""
    changes = wish.said | ({"url": url} if url else {}) | ({"owner": owner} if owner else {})
    if not changes:
        raise InvalidInput("Say what to change.", hint="`ronda source edit --help` lists it.")
    client = Client()
    _print(client.patch(f"/sources/{source_named(client, source)['id']}", changes), as_json)


@one.command("pause")
def pause_source(source: SourceName, as_json: AsJson = False) -> None:
    """No more visits until it is resumed."""
    _change(source, "pause", as_json)


@one.command("resume")
def resume_source(source: SourceName, as_json: AsJson = False) -> None:
    """Follow a source again that was paused, or deleted without its versions."""
    _change(source, "resume", as_json)


@one.command("delete")
def delete_source(
    source: SourceName,
    forget: Annotated[bool, typer.Option("--forget-versions", help="Its versions go, too.")] = False,
    because: Annotated[str, typer.Option(help="Why its versions are forgotten; stays on record.")] = "",
    as_json: AsJson = False,
) -> None:
    """Follow a source no longer. Its versions stay, unless told otherwise."""
    client = Client()
    found = source_named(client, source)
    client.delete(f"/sources/{found['id']}", versions="forget" if forget else "keep", because=because)
    if as_json:
        print_json({"id": found["id"], "versions": "forgotten" if forget else "kept"})
    else:
        console.print(
            f"{found['url']} is no longer followed; its versions are {'forgotten' if forget else 'kept'}."
        )


def _change(source: str, action: str, as_json: bool) -> None:
    client = Client()
    _print(client.post(f"/sources/{source_named(client, source)['id']}/{action}", None), as_json)


def _print(source: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json(source)
    else:
        shown = {**source, "tags": ", ".join(source["tags"])}
        print_table(["", ""], list(shown.items()), "")
