"""`ronda wiki revisions|count|avg|mode|query|stats|diff`: what histories are asked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlencode

import typer

from ronda.cli.client import Client
from ronda.cli.diff import _print_inline
from ronda.cli.files import STDIN, read_text, write_bytes, write_text
from ronda.cli.output import AsJson, console, print_json, print_table
from ronda.cli.wiki import number_of, wiki
from ronda.cli.wiki_filters import OfWiki, filtered
from ronda.errors import InvalidInput

Filters = dict[str, str]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="Write the result here: .csv, .parquet or .json.", dir_okay=False),
]
CELL = 60


@wiki.command("count")
@filtered
def count(
    filters: Filters,
    as_json: AsJson = False,
) -> None:
    """Count the revisions that pass the filters."""
    answer = Client().get("/count", **filters)
    print_json(answer) if as_json else console.print(f"{answer['count']:,} revisions")


@wiki.command("avg")
@filtered
def avg(
    filters: Filters,
    datestart: Annotated[str, typer.Option("--datestart", help="First day of the interval, YYYY-MM-DD.")],
    dateend: Annotated[str, typer.Option("--dateend", help="Last day of the interval; it counts.")],
    as_json: AsJson = False,
) -> None:
    """Revisions a day of an interval, days without one counted."""
    answer = Client().get("/avg", **filters)
    if as_json:
        print_json(answer)
    else:
        console.print(
            f"{answer['result']:,.4g} revisions a day: {answer['count']:,} in {answer['days']:,} days"
        )


@wiki.command("mode")
@filtered
def mode(
    attribute: Annotated[str, typer.Argument(help="title, pageid, user, userid, date or size.")],
    filters: Filters,
    as_json: AsJson = False,
) -> None:
    """What an attribute is most often: who edits most, which article, which day. Ties are all listed."""
    answer = Client().get("/mode", attribute=attribute, **filters)
    if as_json:
        print_json(answer)
        return
    rows = [(value, f"{answer['count']:,}") for value in answer["result"]]
    print_table([attribute, "revisions"], rows, "No revision passes these filters.")
    if note := answer.get("note"):
        console.print(note)


@wiki.command("revisions")
@filtered
def revisions(
    filters: Filters,
    sort: Annotated[
        str, typer.Option(help="Attribute to sort by; a leading - turns it round.")
    ] = "-timestamp",
    page: Annotated[int, typer.Option(help="Which page.", min=1)] = 1,
    limit: Annotated[int, typer.Option(help="How many.", min=1, max=500)] = 50,
    text: Annotated[bool, typer.Option("--text", help="With their texts (--json, --output).")] = False,
    output: Output = None,
    as_json: AsJson = False,
) -> None:
    """List revisions."""
    wanted = {**filters, "sort": sort, "page": page, "page_size": limit, "text": str(text).lower()}
    client = Client()
    if output:
        query = {name: value for name, value in wanted.items() if value not in (None, "")}
        client.download(f"/revisions?{urlencode({**query, 'format': _format(output)})}", output)
        return
    found = client.get("/revisions", **wanted)
    if as_json:
        print_json(found["items"])
        return
    rows = [
        (one["revid"], one["timestamp"], one["title"], one["user"], one["size"], _clip(one["comment"]))
        for one in found["items"]
    ]
    print_table(
        ["revision", "time (UTC)", "article", "user", "bytes", "comment"],
        rows,
        "No revision passes these filters.",
    )
    if found["total"] > limit:
        console.print(f"Page {page}: {len(rows)} of {found['total']:,}; --page and --limit show more.")


@wiki.command("query")
def query(
    question: Annotated[
        str, typer.Argument(help="A pipeline as JSON, a SELECT, @FILE with either, or - for standard input.")
    ],
    collection: Annotated[str, typer.Option(help="revisions or articles (pipelines).")] = "revisions",
    date_format: Annotated[str, typer.Option(help="How dates in the pipeline are written.")] = "",
    limit: Annotated[int, typer.Option(help="Rows at most.", min=1, max=10_000)] = 1_000,
    output: Output = None,
    as_json: AsJson = False,
) -> None:
    """Ask a question of your own: an aggregation pipeline of MongoDB's, or SQL over revisions, texts, articles."""
    text = _question(question).strip()
    options = {"collection": collection, "date_format": date_format, "max_rows": limit}
    is_pipeline = text.startswith(("[", "{"))
    body = text if is_pipeline else json.dumps({"sql": text})
    given = {name: value for name, value in options.items() if value}
    client = Client()
    if output and (kind := _format(output)) != "json":
        _save(client, f"/query?{urlencode({**given, 'format': kind})}", body, output)
        return
    answer = client.post_text(f"/query?{urlencode(given)}", body, "application/json")
    if output:
        write_text(output, json.dumps(answer["items"], ensure_ascii=False, indent=2))
    elif as_json:
        print_json(answer["items"])
    else:
        columns = answer["columns"]
        rows = [[_clip(item.get(name)) for name in columns] for item in answer["items"]]
        print_table(columns, rows, "The answer is empty.")
        if answer["is_cut"]:
            console.print(f"There are more than {limit:,} rows; --limit shows more.")


def _save(client: Client, path: str, body: str, output: Path) -> None:
    data = client.post_for_bytes(path, body.encode(), "application/json")
    write_bytes(output, data)


@wiki.command("stats")
def stats(
    articles: Annotated[
        list[str], typer.Argument(metavar="ARTICLE…", help="Their titles, or their numbers.")
    ],
    as_json: AsJson = False,
) -> None:
    """What the history of an article tells, or of several together."""
    client = Client()
    numbers = [number_of(client, article) for article in articles]
    found = client.get("/statistics", articles=",".join(map(str, numbers)))
    if as_json:
        print_json(found)
        return
    told = found["statistics"]
    console.print(", ".join(one["title"] for one in found["of"]))
    kinds = ", ".join(f"{number:,} {kind}" for kind, number in told["by_kind"].items() if number)
    quiet = told["longest_quiet"]
    facts = [
        ("edits", f"{told['edits']:,} ({kinds}; {told['minor']:,} minor)"),
        ("editors", f"{told['editors']:,}; the busiest tenth made {told['share_of_top_tenth']:.0%}"),
        ("from, to", f"{told['first']} – {told['last']}"),
        ("reverts", f"{told['reverts']:,}, which undid {told['reverted']:,} edits"),
        ("between edits", _span(told["median_gap_seconds"]) + " (median)"),
        ("longest quiet", f"{_span(quiet['seconds'])} from {quiet['began']}" if quiet else "–"),
        ("size", f"{told['size_bytes']:,} bytes"),
    ]
    print_table(["", ""], facts, "")
    rows = [
        (one["user"], one["kind"], one["edits"], f"{one['added_bytes']:,}", one["reverted"])
        for one in told["top_by_edits"]
    ]
    print_table(["editor", "kind", "edits", "added bytes", "reverted"], rows, "")


def _span(seconds: float | None) -> str:
    if seconds is None:
        return "–"
    for unit, length in (("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if seconds >= length:
            return f"{seconds / length:,.1f} {unit}"
    return f"{seconds:,.0f} seconds"


@wiki.command("diff")
def diff(
    a: Annotated[int, typer.Argument(help="A revision.")],
    b: Annotated[int, typer.Argument(help="Another; without: the first one against its parent.")] = 0,
    of_wiki: OfWiki = "",
    as_json: AsJson = False,
) -> None:
    """Show what changed between two revisions."""
    found = Client().get("/revisions/diff", a=a, b=b, wiki=of_wiki)
    if as_json:
        print_json(found)
        return
    for side in ("before", "after"):
        one = found[side]
        console.print(
            f"{one['revid']}  {one['at']}  {one['user'] or 'hidden'}  {_clip(one['comment'])}", markup=False
        )
    _print_inline([row for row in found["rows"] if row["kind"] != "same"])


def _format(output: Path) -> str:
    kind = output.suffix.removeprefix(".").lower()
    if kind not in ("csv", "parquet", "json"):
        raise InvalidInput(f"{output.name} ends in none of .csv, .parquet, .json.")
    return kind


def _question(said: str) -> str:
    if said == STDIN:
        return read_text(STDIN)
    return read_text(said[1:]) if said.startswith("@") else said


def _clip(value: Any) -> str:
    text = "" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= CELL else f"{text[: CELL - 1]}…"
