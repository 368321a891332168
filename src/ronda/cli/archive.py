"""`ronda archive verify|reindex|forget-imported`, `ronda import`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlencode

import typer

from ronda.cli.client import Client
from ronda.cli.jobs import follow
from ronda.cli.output import AsJson, console, counted, print_json, print_table
from ronda.errors import InvalidInput, RondaError

archive = typer.Typer(name="archive", help="Look after the archive's files and index.", no_args_is_help=True)


@archive.command("verify")
def verify(as_json: AsJson = False) -> None:
    """Read every record of every WARC file again, and compare with its digests and the index."""
    result = _run("verify_archive", as_json)
    if not as_json:
        console.print(
            f"{counted(result['captures'], 'capture')}, {counted(result['records'], 'record')} in "
            f"{counted(result['files'], 'file')} read{_elsewhere(result)}"
        )
    _tell_problems(result, as_json)


@archive.command("reindex")
def reindex(as_json: AsJson = False) -> None:
    """Make the index anew from the WARC files alone; everything may go on meanwhile."""
    result = _run("reindex_archive", as_json)
    if not as_json:
        console.print(
            f"{counted(result['captures'], 'capture')} in {counted(result['files'], 'file')} indexed, "
            f"{counted(result['dropped'], 'row')} dropped{_elsewhere(result)}"
        )
    _tell_problems(result, as_json)


@archive.command("forget-imported")
def forget_imported(
    url: Annotated[str, typer.Argument(metavar="URL", help="A URL, prefix* or *.domain.")],
    collection: Annotated[str, typer.Option("--collection", "-c", help="Short name of the collection.")],
    because: Annotated[str, typer.Option(help="Why; stays on record.")],
    as_json: AsJson = False,
) -> None:
    """Forget imported captures: they are no longer found or replayed. WARC files stay as they are."""
    forgotten = Client().post("/imports/forget", {"url": url, "collection": collection, "because": because})
    if as_json:
        print_json(forgotten)
    else:
        console.print(f"forgotten: {counted(forgotten['captures'], 'imported capture')}")


def _elsewhere(result: dict[str, Any]) -> str:
    number = result["files_elsewhere"]
    return f"; on other machines: {counted(number, 'file')}" if number else ""


def _run(kind: str, as_json: bool) -> dict[str, Any]:
    client = Client()
    job = follow(client, client.post("/jobs", {"kind": kind, "arguments": {}}))
    if job["state"] != "succeeded":
        raise RondaError(f"The job {job['id']} {job['state']}. {job['error']}".rstrip())
    result: dict[str, Any] = job["result"]
    if as_json:
        print_json(result)
    return result


def _tell_problems(result: dict[str, Any], as_json: bool) -> None:
    if not result["problem_count"]:
        return
    if not as_json:
        for problem in result["problems"]:
            console.print(problem, markup=False, soft_wrap=True)
        console.print(counted(result["problem_count"], "problem"))
    raise typer.Exit(1)


def import_files(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="WARC files, plain or gzip.")],
    collection: Annotated[
        str,
        typer.Option(
            "--collection", "-c", help="Short name of the collection; without it, the one of the settings."
        ),
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Take WARC files from elsewhere into a collection. What is there already is passed over."""
    missing = [str(path) for path in files if not path.is_file()]
    if missing:
        raise InvalidInput(f"There is no file {', '.join(missing)}.")
    client = Client()
    results = [_import_one(client, path, collection) for path in files]
    if as_json:
        print_json(results)
    else:
        rows = [(r["file"], r["taken"], r["known"], r["left_out"], _end(r)) for r in results]
        print_table(["file", "taken", "there already", "left out", ""], rows, "")
        for result in results:
            for problem in result["problems"]:
                console.print(f"{result['file']} {problem}", markup=False, soft_wrap=True)
    if any(result["left_out"] or result["broken_because"] for result in results):
        raise typer.Exit(1)


def _import_one(client: Client, path: Path, collection: str) -> dict[str, Any]:
    query = urlencode({"name": path.name} | ({"collection": collection} if collection else {}))
    job = follow(client, client.upload(f"/imports?{query}", path))
    if job["state"] == "succeeded":
        result: dict[str, Any] = job["result"]
        return result
    problem = f"the job {job['id']} {job['state']}: {job['error']}"
    nothing = {"taken": 0, "known": 0, "left_out": 0, "problems": []}
    return {"file": path.name, **nothing, "broken_at": 0, "broken_because": problem}


def _end(result: dict[str, Any]) -> str:
    if not result["broken_because"]:
        return ""
    return f"broken at byte {result['broken_at']}: {result['broken_because']}"
