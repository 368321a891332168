"""`ronda wiki extract|articles|check|import`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlencode

import typer

from ronda.cli.client import Client
from ronda.cli.jobs import follow
from ronda.cli.output import AsJson, console, print_json, print_table
from ronda.errors import InvalidInput, RondaError

wiki = typer.Typer(
    name="wiki", help="Histories of wiki articles: extract, check, import.", no_args_is_help=True
)

Api = Annotated[str, typer.Option("--api", help="Address of another MediaWiki's api.php.")]
NoWait = Annotated[bool, typer.Option("--no-wait", help="Do not stay until it ends.")]


@wiki.command("extract")
def extract(
    title: Annotated[str, typer.Argument(metavar="[TITLE]", help="Title of the article, or its URL.")] = "",
    locale: Annotated[str, typer.Option(help="Language of Wikipedia, like es.")] = "",
    category: Annotated[str, typer.Option(help="All pages of a category.")] = "",
    titles: Annotated[Path | None, typer.Option(help="A file with a title a line.", dir_okay=False)] = None,
    no_text: Annotated[bool, typer.Option("--no-text", help="Without texts: ten times quicker.")] = False,
    api: Api = "",
    no_wait: NoWait = False,
    as_json: AsJson = False,
) -> None:
    """Extract the history of an article, of a category or of a list. Later it fetches what is new."""
    if sum([bool(title), bool(category), titles is not None]) != 1:
        raise InvalidInput("Give a title, a --category or a file of --titles.")
    client = Client()
    wanted = {"locale": locale, "api": api, "with_text": not no_text}
    if title:
        job = _begin_one(client, title, wanted)
    else:
        lines = _lines(titles) if titles else []
        job = client.post("/extractions", {"category": category, "titles": lines, **wanted})
    _tell(client, job, no_wait, as_json)


def _begin_one(client: Client, title: str, wanted: dict[str, Any]) -> dict[str, Any]:
    name = "url" if title.startswith(("https://", "http://")) else "title"
    query = {**wanted, "with_text": str(wanted["with_text"]).lower()}
    location = str(client.get("/extract", **{name: title}, **query)["Location"])
    found: dict[str, Any] = client.get(f"/jobs/{location.rpartition('/')[2].partition('?')[0]}")
    return found


def _lines(path: Path) -> list[str]:
    try:
        return [line.strip() for line in path.read_text().splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path} cannot be read: {error}.") from error


def _tell(client: Client, job: dict[str, Any], no_wait: bool, as_json: bool) -> None:
    if not no_wait:
        job = follow(client, job)
    if as_json:
        print_json(job)
    elif no_wait:
        console.print(f"{job['id']} {job['state']}")
    elif job["state"] == "succeeded":
        console.print(_sentence(job["result"]), markup=False)
    if job["state"] in ("failed", "cancelled"):
        raise RondaError(f"The job {job['id']} {job['state']}. {job['error']}".rstrip())


def _sentence(result: dict[str, Any]) -> str:
    if "articles" in result:
        return f"{result['articles']:,} articles are being extracted; `ronda jobs` shows them."
    if "file" in result:
        return (
            f"{result['revisions']:,} revisions of {result['pages']:,} pages, {result['known']:,} were known"
        )
    if result["state"] == "missing":
        return f"{result['title']}: the wiki has no such page."
    words = f"{result['title']}: {result['revisions']:,} revisions, {result['new']:,} of them new, {result['state']}"
    return f"{words}, {result['gaps']:,} gaps" if result["gaps"] else words


@wiki.command("articles")
def articles(
    search: Annotated[
        str, typer.Argument(metavar="[WORDS]", help="Part of a title or of a wiki's name.")
    ] = "",
    state: Annotated[str, typer.Option(help="Only these: proved, linked, gaps, missing, partial.")] = "",
    limit: Annotated[int, typer.Option(help="How many.", min=1, max=500)] = 50,
    as_json: AsJson = False,
) -> None:
    """List articles, and how complete their histories are."""
    found = Client().get("/completeness", search=search, state=state, page_size=limit)["items"]
    if as_json:
        print_json(found)
        return
    rows = [
        (
            one["article"],
            one["title"],
            one["wiki"],
            f"{one['revisions']:,}",
            one["state"],
            (one["last_extraction_date"] or "")[:19],
        )
        for one in found
    ]
    columns = ["article", "title", "wiki", "revisions", "completeness", "extracted (UTC)"]
    print_table(columns, rows, "No articles. `ronda wiki extract TITLE` begins.")


@wiki.command("check")
def check(
    article: Annotated[str, typer.Argument(metavar="ARTICLE", help="Its title, or its number.")],
    no_wait: NoWait = False,
    as_json: AsJson = False,
) -> None:
    """Compare a history with the wiki's whole list, and fetch what is missing. Exit 1 if gaps stay."""
    client = Client()
    job = client.post(f"/articles/{number_of(client, article)}/check", {})
    if no_wait:
        _tell(client, job, no_wait, as_json)
        return
    job = follow(client, job)
    _tell(client, job, False, as_json)
    if job["result"]["state"] == "gaps":
        raise typer.Exit(1)


def number_of(client: Client, article: str) -> int:
    """By its number or its title."""
    if article.isdigit():
        return int(article)
    found = client.get("/completeness", search=article, page_size=100)["items"]
    exact = [one for one in found if one["title"] == article]
    if len(exact) != 1:
        raise RondaError(
            f"{len(exact)} articles are called {article!r}; `ronda wiki articles` has their numbers."
        )
    return int(exact[0]["article"])


@wiki.command("import")
def import_dump(
    dump: Annotated[
        Path, typer.Argument(metavar="DUMP.xml[.gz|.bz2]", help="MediaWiki's export.", dir_okay=False)
    ],
    api: Api = "",
    no_wait: NoWait = False,
    as_json: AsJson = False,
) -> None:
    """Import a MediaWiki export file (directors)."""
    client = Client()
    query = urlencode({"name": dump.name, "api": api})
    if not dump.is_file():
        raise InvalidInput(f"There is no file {dump}.")
    job = client.upload(f"/articles/import?{query}", dump)
    _tell(client, job, no_wait, as_json)
