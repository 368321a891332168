"""What may be wished of a source, as options: `ronda follow` and `ronda source edit` take the same."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from typing import Annotated, Any, get_type_hints

import typer


@dataclass(frozen=True)
class Wish:
    """Named as in the API. What was not said is none, and the server's to choose."""

    title: Annotated[str | None, typer.Option(help="What it is called.")] = None
    collection: Annotated[
        str | None, typer.Option(help="Short name of a collection; without it, the one of the settings.")
    ] = None
    topic: Annotated[int | None, typer.Option(help="Code of a topic, like 301.")] = None
    scope: Annotated[
        str | None, typer.Option(metavar="host|domain|prefix|page", help="How far it reaches.")
    ] = None
    depth: Annotated[int | None, typer.Option(help="How many links deep.")] = None
    max_pages: Annotated[int | None, typer.Option(help="Pages a capture takes at most.")] = None
    max_bytes: Annotated[int | None, typer.Option(help="Bytes a capture takes at most.")] = None
    max_seconds: Annotated[int | None, typer.Option(help="Seconds a capture takes at most.")] = None
    every: Annotated[
        str | None, typer.Option(metavar="1d|auto", help="Time between visits; auto: Ronda finds it.")
    ] = None
    predictor: Annotated[
        str | None,
        typer.Option(
            help="Who says when, if --every is auto: a predictor's name, or auto for the best of them."
        ),
    ] = None
    weight: Annotated[float | None, typer.Option(help="How much it counts within a budget of visits.")] = None
    threshold: Annotated[
        float | None, typer.Option(min=0, max=1, help="Score from which a change is important, from 0 to 1.")
    ] = None
    tags: Annotated[list[str] | None, typer.Option("--tag", help="A tag; may be given several times.")] = None
    notes: Annotated[str | None, typer.Option(help="Whatever is worth knowing about it.")] = None
    is_for_any_node: Annotated[
        bool | None,
        typer.Option(
            "--any-node/--trusted-nodes", help="Also by nodes not yet trusted, or only by trusted ones."
        ),
    ] = None

    @property
    def said(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if value is not None}


def with_wish(command: Callable[..., None]) -> Callable[..., None]:
    """Its parameter `wish` becomes an option a field: typer reads signatures, so that is what is written."""
    hints = get_type_hints(Wish, include_extras=True)
    options = [
        inspect.Parameter(
            one.name, inspect.Parameter.KEYWORD_ONLY, default=one.default, annotation=hints[one.name]
        )
        for one in fields(Wish)
    ]

    @wraps(command)
    def told(**given: Any) -> None:
        wished = {option.name: given.pop(option.name) for option in options}
        command(wish=Wish(**wished), **given)

    own = inspect.signature(command, eval_str=True).parameters
    parameters = [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for name, parameter in own.items()
        if name != "wish"
    ]
    *first, last = parameters  # --json stays the last of the options
    told.__signature__ = inspect.Signature([*first, *options, last])  # type: ignore[attr-defined]
    told.__annotations__ = {}
    return told
