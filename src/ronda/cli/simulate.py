"""`ronda simulate`: what would have come of it, without a server."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from ronda.cli.files import write_text
from ronda.cli.output import AsJson, console, print_json
from ronda.errors import InvalidInput
from ronda.rounds.intervals import seconds_of

if TYPE_CHECKING:
    from ronda.prediction.comparison import Comparison, Entry
    from ronda.prediction.traces import Course

FIXED_SHOWN = ("fixed:1", "fixed:2", "fixed:3", "fixed:7", "fixed:14", "fixed:30")
DEFAULT_PREDICTORS = ("simple", "ronda")


def simulate(
    trace: Annotated[
        Path | None, typer.Argument(metavar="TRACE", help="CSV: source,changed_at; one row a change.")
    ] = None,
    predictor: Annotated[
        list[str] | None,
        typer.Option(
            "--predictor", "-p", help="One or more; fixed:7 is every seven days; all is all of them."
        ),
    ] = None,
    visits_per_day: Annotated[
        float | None, typer.Option(help="Budget: so many visits a source and day, for all the same.")
    ] = None,
    objective: Annotated[
        str, typer.Option(help="versions, freshness, or a number from 0 (freshness) to 1 (versions).")
    ] = "versions",
    since: Annotated[str, typer.Option("--from", metavar="TIME", help="Begin then: 2025-01-31.")] = "",
    until: Annotated[str, typer.Option("--to", metavar="TIME", help="End then.")] = "",
    step: Annotated[str, typer.Option(help="How often it is decided who is visited.")] = "1h",
    scenario: Annotated[
        str, typer.Option(help="Instead of a trace a made web: poisson, workdays, bursts, seasons, dying, …")
    ] = "",
    sources: Annotated[int, typer.Option(min=1, help="Of the scenario.")] = 100,
    days: Annotated[int, typer.Option(min=1, help="Of the scenario.")] = 365,
    seed: Annotated[int, typer.Option(min=0, help="Of the scenario: the same seed makes the same web.")] = 1,
    from_visits: Annotated[
        bool,
        typer.Option(
            "--from-visits", help="Instead of a trace what Ronda's own visits found; asks the server."
        ),
    ] = False,
    collection: Annotated[str, typer.Option(help="With --from-visits: only of this collection.")] = "",
    sort: Annotated[bool, typer.Option("--sort", help="Take the rows of the trace in any order.")] = False,
    last_modified: Annotated[
        bool, typer.Option("--last-modified", help="Sources say truly when they last changed.")
    ] = False,
    holiday: Annotated[
        list[str] | None, typer.Option(help="2025-04-18, or 12-25 for every year; for daytype.")
    ] = None,
    plot: Annotated[Path | None, typer.Option(metavar="OUT.html", help="Draw it into this file.")] = None,
    as_json: AsJson = False,
) -> None:
    """Compare predictors on a history of changes: what each would have kept and missed, with how many visits."""
    # Loading numpy takes longer than most commands.
    from ronda.prediction import catalogue
    from ronda.prediction.comparison import compare, objective_of
    from ronda.prediction.contract import COMMON_HOLIDAYS, Terms
    from ronda.prediction.simulator import Way

    if visits_per_day is not None and not 0 < visits_per_day <= 1440:
        raise InvalidInput("--visits-per-day is more than 0 and at most 1440.")
    terms = Terms(
        objective=objective_of(objective),
        visits_per_day=visits_per_day,
        holidays=frozenset(holiday) if holiday else COMMON_HOLIDAYS,
    )
    way = Way(visits_per_day, float(seconds_of(step) or 3600), tells_modified=last_modified)
    names = predictor or [name for name in DEFAULT_PREDICTORS if name in catalogue.names()]
    names = [one for name in names for one in (catalogue.names() if name == "all" else (name,))]
    if from_visits:
        if trace or scenario:
            raise InvalidInput("Give a trace, a scenario or --from-visits, one of them.")
        course = _course_of_visits(collection, (since, until))
    else:
        course = _course(trace, scenario, (sources, days, seed), (since, until), sort)
    with Console(stderr=True).status("") as status:
        comparison = compare(course, names, way=way, terms=terms, on_each=status.update)
    if plot:
        from ronda.prediction.picture import draw

        write_text(plot, draw(comparison, title=scenario or (trace.name if trace else "")))
    if as_json:
        print_json(comparison.as_dict())
    else:
        _show(comparison)


def _course(
    trace: Path | None, scenario: str, size: tuple[int, int, int], span: tuple[str, str], sort: bool
) -> Course:
    from ronda.prediction import scenarios
    from ronda.prediction.reading import read_trace
    from ronda.prediction.traces import course_of

    if (trace is None) == (not scenario):
        raise InvalidInput("Give a trace or a scenario, one of them.", hint="Try --scenario workdays.")
    start, end = _time(span[0]), _time(span[1])
    if trace is not None:
        return course_of(read_trace(trace, in_any_order=sort), start, end)
    sources, days, seed = size
    made = scenarios.make(scenario, sources=sources, days=days, seed=seed)
    return course_of(made, start, end or scenarios.START + days * 86_400)


def _course_of_visits(collection: str, span: tuple[str, str]) -> Course:
    from ronda.cli.client import Client
    from ronda.prediction.reading import parse_trace
    from ronda.prediction.traces import course_of

    text = Client().text("/trace.csv", collection=collection)
    return course_of(parse_trace(text.splitlines(), in_any_order=True), _time(span[0]), _time(span[1]))


def _time(text: str) -> float | None:
    if not text:
        return None
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidInput(
            f"{text!r} is no time.", hint="Write 2025-01-31 or 2025-01-31T12:00:00Z."
        ) from None
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()


def _show(comparison: Comparison) -> None:
    told = comparison.as_dict()
    budget = f"{told['visits_per_day']:g} visits a source and day" if told["visits_per_day"] else "no budget"
    console.print(
        f"{told['sources']} sources, {told['changes']} changes, {told['from'][:10]} to {told['to'][:10]}, {budget}. "
        "The whole time counts, the learning too.",
        soft_wrap=True,
    )
    fixed = [entry for entry in comparison.fixed if entry.name in FIXED_SHOWN]
    entries = [*comparison.entries, *fixed]
    _print_numbers(
        ("predictor", "visits", "changes", "captured", "", "missed", "needless", "hits"), map(_kept, entries)
    )
    _print_numbers(
        ("predictor", "fresh", "delay h", "p90 h", "stored", "back", "bytes", "log-loss"), map(_held, entries)
    )
    said = [entry for entry in comparison.entries if entry.score.calibration]
    if said:
        console.print("\nWhere a change was said to be so likely, so many looks found one:")
        _print_numbers(("said below", *(f"{ten} %" for ten in range(10, 110, 10))), map(_calibrated, said))


def _kept(entry: Entry) -> tuple[str, ...]:
    score = entry.score
    return (
        entry.name,
        f"{score.visits}",
        f"{score.changes}",
        f"{score.captured}",
        _number(score.captured_share, ".1%"),
        f"{score.missed}",
        f"{score.needless}",
        _number(score.hit_rate, ".1%"),
    )


def _held(entry: Entry) -> tuple[str, ...]:
    score = entry.score
    return (
        entry.name,
        f"{score.freshness:.4f}",
        _number(score.mean_delay_hours, ".1f"),
        _number(score.p90_delay_hours, ".1f"),
        f"{score.stored}",
        f"{score.reverts}",
        _number(score.bytes_stored, ".0f"),
        _number(score.log_loss, ".4f"),
    )


def _calibrated(entry: Entry) -> tuple[str, ...]:
    happened = {round(one.low * 10): f"{one.happened:.0%}" for one in entry.score.calibration}
    return (entry.name, *(happened.get(number, "") for number in range(10)))


def _number(value: float | None, form: str) -> str:
    return "–" if value is None else format(value, form)


def _print_numbers(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    table = Table(box=None, header_style="bold", pad_edge=False)
    for number, column in enumerate(columns):
        table.add_column(column, justify="right" if number else "left", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    console.print()
    console.print(table)
