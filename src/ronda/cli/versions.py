"""`ronda versions` and `ronda version pin|unpin|forget`."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.filesize import decimal

from ronda.cli.client import Client
from ronda.cli.naming import SourceName, source_named
from ronda.cli.output import AsJson, console, print_json, print_table

one = typer.Typer(name="version", help="Pin a version, or forget it.", no_args_is_help=True)

VersionId = Annotated[str, typer.Argument(metavar="VERSION", help="The version's id.")]


def list_versions(
    source: SourceName,
    limit: Annotated[int, typer.Option(help="How many, newest first.", min=1, max=500)] = 50,
    as_json: AsJson = False,
) -> None:
    """List what was kept of a source, newest first."""
    client = Client()
    found = client.get(f"/sources/{source_named(client, source)['id']}/versions", page_size=limit)
    if as_json:
        print_json(found["items"])
        return
    rows = [
        (
            v["number"],
            v["id"],
            v["started_at"][:19],
            v["documents"],
            decimal(v["bytes_stored"]),
            decimal(v["bytes_saved"]),
            v["failures"],
            "pinned" if v["is_pinned"] else "",
        )
        for v in found["items"]
    ]
    columns = ["number", "version", "captured (UTC)", "documents", "stored", "saved", "failures", ""]
    print_table(columns, rows, "No versions yet. `ronda visit` captures one now.")


@one.command("pin")
def pin_version(version: VersionId, as_json: AsJson = False) -> None:
    """Keep a version from being forgotten."""
    _pin(version, True, as_json)


@one.command("unpin")
def unpin_version(version: VersionId, as_json: AsJson = False) -> None:
    """Let a version be forgotten again."""
    _pin(version, False, as_json)


def _pin(version: str, is_pinned: bool, as_json: bool) -> None:
    changed = Client().post(f"/versions/{version}/pin", {"is_pinned": is_pinned})
    if as_json:
        print_json(changed)
    else:
        console.print(f"version {changed['number']} is {'pinned' if is_pinned else 'no longer pinned'}")


@one.command("forget")
def forget_version(
    version: VersionId,
    because: Annotated[str, typer.Option(help="Why; stays on record.")],
    as_json: AsJson = False,
) -> None:
    """Forget a version: it is no longer found or replayed. WARC files stay as they are."""
    Client().post(f"/versions/{version}/forget", {"because": because})
    if as_json:
        print_json({"id": version, "forgotten_because": because})
    else:
        console.print(f"version {version} is forgotten")
