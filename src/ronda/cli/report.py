"""`ronda report`: an answer of a fetch is wrong."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ronda.cli.client import Client
from ronda.cli.naming import fetch_id
from ronda.cli.output import AsJson, console, print_json, print_table


def report(
    fetch: Annotated[str, typer.Argument(metavar="FETCH", help="The id of the fetch.")],
    url: Annotated[
        str,
        typer.Argument(metavar="[URL]", help="The URL that was answered wrongly. None: list the reports."),
    ] = "",
    country: Annotated[
        str, typer.Option(metavar="CL", help="The country whose answer it is, of a fetch from several.")
    ] = "",
    answer: Annotated[
        int | None, typer.Option(metavar="ID", help="The id of the answer in the results, instead of a URL.")
    ] = None,
    note: Annotated[str, typer.Option(help="What is wrong with it.")] = "",
    as_json: AsJson = False,
) -> None:
    """Say that an answer is wrong: others fetch it again, and it is replaced if they agree on another one."""
    path = f"/fetches/{fetch_id(fetch)}/reports"
    client = Client()
    if not url and answer is None:
        _show(client.get(path, page_size=500)["items"], as_json)
        return
    wrong = {"url": url, "country": country.strip().upper(), "answer": answer, "note": note}
    made = client.post(path, wrong)
    if as_json:
        print_json(made)
    else:
        console.print(f"Reported, {made['outcome']}. What became of it: ronda report {fetch}")


def _show(reports: list[dict[str, Any]], as_json: bool) -> None:
    if as_json:
        print_json(reports)
        return
    rows = [(r["answer"], r["url"], r["country"], r["outcome"], r["created_at"][:19]) for r in reports]
    print_table(["answer", "URL", "country", "outcome", "reported (UTC)"], rows, "Nothing is reported.")
