"""`ronda collections` and `ronda topics`."""

from __future__ import annotations

from typing import Annotated

import typer

from ronda.cli.client import Client
from ronda.cli.output import AsJson, print_json, print_table

collections = typer.Typer(name="collections", help="List collections, or make one.")
topics = typer.Typer(name="topics", help="List topics, or add one.")


@collections.callback(invoke_without_command=True)
def list_collections(context: typer.Context, as_json: AsJson = False) -> None:
    """List collections, or make one."""
    if context.invoked_subcommand:
        return
    found = Client().get("/collections", page_size=500)["items"]
    if as_json:
        print_json(found)
        return
    rows = [(c["slug"], c["name"], "everybody" if c["is_public"] else "its people") for c in found]
    print_table(["collection", "name", "seen by"], rows, "No collections.")


@collections.command("add")
def add_collection(
    slug: Annotated[str, typer.Argument(help="Its short name, like press-2026.")],
    name: Annotated[str, typer.Argument(help="Its name.")],
    description: Annotated[str, typer.Option(help="What belongs in it.")] = "",
    closed: Annotated[bool, typer.Option("--closed", help="Only for the people added to it.")] = False,
    as_json: AsJson = False,
) -> None:
    """Make a collection (directors)."""
    body = {"slug": slug, "name": name, "description": description, "is_public": not closed}
    made = Client().post("/collections", body)
    if as_json:
        print_json(made)
    else:
        typer.echo(f"{made['slug']} {made['name']}")


@collections.command("predictor")
def choose_for_collection(
    slug: Annotated[str, typer.Argument(help="Its short name.")],
    predictor: Annotated[str, typer.Argument(help="A name, auto, or nothing: as the settings say.")] = "",
    as_json: AsJson = False,
) -> None:
    """Choose the predictor of its sources that name none (directors)."""
    _say(Client().put(f"/collections/{slug}/predictor", {"predictor": predictor}), as_json)


def _say(chosen: dict[str, str], as_json: bool) -> None:
    if as_json:
        print_json(chosen)
    else:
        typer.echo(chosen["predictor"] or "as the settings say")


@topics.callback(invoke_without_command=True)
def list_topics(context: typer.Context, as_json: AsJson = False) -> None:
    """List topics, or add one."""
    if context.invoked_subcommand:
        return
    found = Client().get("/topics", page_size=500)["items"]
    if as_json:
        print_json(found)
    else:
        print_table(["code", "topic"], [(t["code"], t["name"]) for t in found], "No topics.")


@topics.command("add")
def add_topic(
    code: Annotated[int, typer.Argument(help="A number that is not taken.")],
    name: Annotated[str, typer.Argument(help="What it is called.")],
    as_json: AsJson = False,
) -> None:
    """Add a topic (directors)."""
    made = Client().post("/topics", {"code": code, "name": name})
    if as_json:
        print_json(made)
    else:
        typer.echo(f"{made['code']} {made['name']}")


@topics.command("predictor")
def choose_for_topic(
    code: Annotated[int, typer.Argument(help="Its code.")],
    predictor: Annotated[str, typer.Argument(help="A name, auto, or nothing: as elsewhere.")] = "",
    as_json: AsJson = False,
) -> None:
    """Choose the predictor of its sources that name none (directors)."""
    _say(Client().put(f"/topics/{code}/predictor", {"predictor": predictor}), as_json)
