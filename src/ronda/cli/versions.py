"""`ronda versions` and `ronda version pin|unpin|forget`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ronda.cli.client import Client
from ronda.cli.naming import SourceName, source_named
from ronda.cli.output import AsJson, console, print_json, print_table, size

one = typer.Typer(name="version", help="Pin a version, or forget it.", no_args_is_help=True)

VersionId = Annotated[str, typer.Argument(metavar="VERSION", help="The version's id.")]


def list_versions(
    source: SourceName,
    limit: Annotated[int, typer.Option(help="How many, newest first.", min=1, max=500)] = 50,
    forgotten: Annotated[
        bool, typer.Option("--forgotten", help="Instead, those forgotten: by whom, when, why.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List what was kept of a source, newest first."""
    client = Client()
    wanted = source_named(client, source)["id"]
    if forgotten:
        found = client.get("/versions/forgotten", source=wanted, page_size=limit)
    else:
        found = client.get(f"/sources/{wanted}/versions", page_size=limit)
    if as_json:
        print_json(found["items"])
    elif forgotten:
        _print_forgotten(found["items"])
    else:
        _print_kept(found["items"])


def _print_kept(versions: list[dict[str, Any]]) -> None:
    rows = [
        (
            v["number"],
            v["id"],
            v["started_at"][:19],
            _score(v["score"]),
            v["documents"],
            size(v["bytes_stored"]),
            size(v["bytes_saved"]),
            v["failures"],
            v["cut_off"],
            "pinned" if v["is_pinned"] else "",
        )
        for v in versions
    ]
    columns = ["number", "version", "captured (UTC)", "score", "documents", "stored", "saved", "failures"]
    print_table([*columns, "cut off", ""], rows, "No versions yet. `ronda visit` captures one now.")


def _print_forgotten(versions: list[dict[str, Any]]) -> None:
    names = ("number", "id", "started_at", "forgotten_at", "forgotten_by", "because")
    rows = [[str(v[name] or "")[: 19 if name.endswith("_at") else None] for name in names] for v in versions]
    columns = ["number", "version", "captured (UTC)", "forgotten (UTC)", "by", "why"]
    print_table(columns, rows, "None was forgotten.")


def _score(score: dict[str, Any] | None) -> str:
    if score is None:
        return ""
    words = [f"{score['total']:.3f}", "important" if score["is_important"] else ""]
    words += ["return" if score["returns_to"] else "", "template" if score["mass_pages"] else ""]
    return " ".join(word for word in words if word)


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
