"""The document's filters as options, for every command that asks for some revisions."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Annotated, Any

import typer

OfWiki = Annotated[str, typer.Option("--wiki", help="Only of this wiki, e.g. en.wikipedia.org.")]
# By their names in the API.
OPTIONS: dict[str, Any] = {
    "title": Annotated[str, typer.Option(help="Title of the article.")],
    "pageid": Annotated[str, typer.Option("--pageid", help="Id of the article's page.")],
    "user": Annotated[str, typer.Option(help="Name of the author.")],
    "userid": Annotated[str, typer.Option("--userid", help="Id of the author.")],
    "tag": Annotated[str, typer.Option(help="A tag the revision carries.")],
    "size": Annotated[str, typer.Option(help="Bytes of the revision.")],
    "sizematch": Annotated[
        str, typer.Option("--sizematch", help="Positive: larger than --size; negative: smaller; 0: exactly.")
    ],
    "date": Annotated[str, typer.Option("--date", help="Of this day, YYYY-MM-DD.")],
    "datestart": Annotated[str, typer.Option("--datestart", help="From this day on.")],
    "dateend": Annotated[str, typer.Option("--dateend", help="Up to this day, which counts.")],
    "locale": Annotated[str, typer.Option(help="Only of wikis in this language.")],
    "wiki": OfWiki,
}


def filtered(command: Callable[..., None]) -> Callable[..., None]:
    """Adds the filters to the options of a command, which finds what was said in its parameter `filters`.

    An option that the command declares itself (because it is required there) stays as it is, and is a filter, too.
    """
    own = [
        one for one in inspect.signature(command, eval_str=True).parameters.values() if one.name != "filters"
    ]
    declared = {one.name for one in own}
    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default="", annotation=kind)
        for name, kind in OPTIONS.items()
        if name not in declared
    ]

    def run(**given: Any) -> None:
        filters = {name: given[name] for name in OPTIONS}
        command(filters=filters, **{name: given[name] for name in declared})

    # What is required first, then the filters, then what is about the answer.
    shown = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in own]
    is_required = [one.default is inspect.Parameter.empty for one in shown]
    first = [one for one, needed in zip(shown, is_required, strict=True) if needed]
    last = [one for one, needed in zip(shown, is_required, strict=True) if not needed]
    run.__name__, run.__doc__, run.__module__ = command.__name__, command.__doc__, command.__module__
    run.__signature__ = inspect.Signature([*first, *added, *last])  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in [*first, *added, *last]}
    return run
