"""`ronda search` and `ronda replay`."""

from __future__ import annotations

import webbrowser
from html import unescape
from typing import Annotated, Any

import typer
from rich.markup import escape

from ronda.cli.client import Client
from ronda.cli.output import AsJson, console, print_json
from ronda.errors import InvalidInput, NotFound


def search(
    words: Annotated[
        list[str] | None, typer.Argument(metavar="WORDS...", help='"a phrase", or, -- -without.')
    ] = None,
    url: Annotated[
        str, typer.Option(metavar="PATTERN", help="A URL, example.org/news/*, *.example.org.")
    ] = "",
    collection: Annotated[str, typer.Option(help="Only in this collection (its short name).")] = "",
    topic: Annotated[int | None, typer.Option(help="Only of sources with this topic (its code).")] = None,
    since: Annotated[str, typer.Option("--from", metavar="DATE", help="Not before: 2026, 2026-01-31.")] = "",
    until: Annotated[str, typer.Option("--to", metavar="DATE", help="Not after.")] = "",
    status: Annotated[int | None, typer.Option(help="HTTP status.")] = None,
    mime: Annotated[str, typer.Option(help="How the type begins: text/, image/png.")] = "",
    page: Annotated[int, typer.Option(min=1, help="Page of results.")] = 1,
    as_json: AsJson = False,
) -> None:
    """Find captures by words of their text, by URL and more."""
    if not (words or url or collection or since or until or mime) and topic is None and status is None:
        raise InvalidInput("Say what to look for.", hint="Words, or --url PATTERN.")
    query = {"q": " ".join(words or []), "url": url, "collection": collection, "topic": topic, "from": since}
    found = Client().get("/search", **query, to=until, status=status, mime=mime, page=page)
    if as_json:
        print_json(found)
        return
    for item in found["items"]:
        _show(item)
    more = " (there are more: only the newest were looked at)" if found["is_cut"] else ""
    console.print(f"{found['total']} pages{more}" if found["total"] else "Nothing was found.")


def _show(item: dict[str, Any]) -> None:
    newest = item["seen"][0]
    console.print(f"[bold]{escape(item['title'] or item['url'])}[/bold]", soft_wrap=True)
    console.print(f"  {escape(item['url'])}", soft_wrap=True)
    if item["highlight"]:
        text = (
            escape(item["highlight"]).replace("<mark>", "[bold yellow]").replace("</mark>", "[/bold yellow]")
        )
        console.print(f"  {' '.join(unescape(text).split())}", soft_wrap=True)
    dates = ", ".join(
        one["fetched_at"][:16].replace("T", " ") + (" (cut off)" if one["truncated"] else "")
        for one in item["seen"]
    )
    console.print(f"  {item['versions']} captures: {dates}", soft_wrap=True)
    console.print(f"  {escape(newest['replay_url'])}\n", soft_wrap=True)


def replay(
    url: Annotated[str, typer.Argument(metavar="URL", help="The page to show.")],
    at: Annotated[str, typer.Option(metavar="DATE", help="As it was then: 2026-01-31, 20260131120000.")] = "",
    collection: Annotated[str, typer.Option(help="From this collection (its short name).")] = "",
    browse: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
    as_json: AsJson = False,
) -> None:
    """The address at which an archived page is shown as it was, nearest to a moment."""
    found = Client().get("/replay/address", url=url, at=at, collection=collection)
    if not found:
        raise NotFound(f"Nothing of {url} was captured.")
    if as_json:
        print_json(found)
    else:
        typer.echo(found["address"])
    if browse:
        webbrowser.open(found["address"])
