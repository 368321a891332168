"""How commands are told what is meant: a source by its id or its URL, a fetch by its id."""

from __future__ import annotations

import uuid
from typing import Annotated, Any

import typer

from ronda.cli.client import Client
from ronda.errors import Conflict, InvalidInput, NotFound

SourceName = Annotated[str, typer.Argument(metavar="SOURCE", help="The source's id, or its URL.")]


def source_named(client: Client, name: str) -> dict[str, Any]:
    """The one source meant; several with the same URL are told apart by their ids."""
    if _is_id(name):
        return dict(client.get(f"/sources/{name}"))
    found = client.get("/sources", url=name, page_size=10)["items"]
    if not found:
        raise NotFound(f"No source has the URL {name}.", hint="`ronda sources` lists them.")
    if len(found) > 1:
        told = ", ".join(f"{one['id']} ({one['collection']}, {one['scope']})" for one in found)
        raise Conflict(f"Several sources have this URL: {told}.", hint="Name one by its id.")
    return dict(found[0])


def _is_id(name: str) -> bool:
    try:
        uuid.UUID(name)
    except ValueError:
        return False
    return True


def fetch_id(text: str) -> uuid.UUID:
    try:
        return uuid.UUID(text)
    except ValueError:
        raise InvalidInput(f"{text} is no id of a fetch.") from None
