"""`ronda export`."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated
from urllib.parse import quote

import typer

from ronda.archive.programs import find
from ronda.cli.client import Client
from ronda.cli.files import check_writable
from ronda.cli.output import AsJson, console, print_json
from ronda.errors import InvalidInput, RondaError


def export(
    collection: Annotated[str, typer.Option("--collection", "-c", help="Short name of a collection.")] = "",
    source: Annotated[str, typer.Option("--source", help="Id of a source.")] = "",
    version: Annotated[str, typer.Option("--version", help="Id of a version.")] = "",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The file to write.")] = None,
    is_wacz: Annotated[bool, typer.Option("--wacz", help="Write WACZ instead of WARC.")] = False,
    as_json: AsJson = False,
) -> None:
    """Write what was kept into one WARC file (or WACZ) that needs no other: what revisits refer to is in it."""
    chosen = {"collections": collection, "sources": source, "versions": version}
    given = [(kind, name) for kind, name in chosen.items() if name]
    if len(given) != 1:
        raise InvalidInput("Name one of --collection, --source and --version.")
    [(kind, name)] = given
    target = output or Path(f"{name}.wacz" if is_wacz else f"{name}.warc.gz")
    path = f"/{kind}/{quote(name, safe='')}"
    check_writable(target)
    if is_wacz:
        _write_wacz(path, name, target)
    else:
        Client().download(f"{path}/export.warc.gz", target)
    size = target.stat().st_size
    if as_json:
        print_json({"file": str(target), "size_bytes": size})
    else:
        console.print(f"{size:,} bytes written to {target}")


def _write_wacz(path: str, name: str, target: Path) -> None:
    program = find("wacz")
    with TemporaryDirectory(prefix="ronda-export-") as folder:
        warc, pages, fresh = (Path(folder) / end for end in (f"{name}.warc.gz", "pages.jsonl", "out.wacz"))
        client = Client()
        client.download(f"{path}/export.warc.gz", warc)
        client.download(f"{path}/pages.jsonl", pages)
        # The list is ours: on its own, wacz takes for pages only what others of the file name as their referrer.
        options = ["--pages", str(pages), "--copy-pages", "--title", f"Ronda: {name}", "-o", str(fresh)]
        made = subprocess.run(
            [program, "create", *options, warc], capture_output=True, text=True, check=False
        )
        if made.returncode or not fresh.exists():
            raise RondaError(f"wacz could not make {target}: {(made.stderr or made.stdout)[-2000:].strip()}")
        shutil.move(fresh, target)
