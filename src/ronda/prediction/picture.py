"""A comparison as one HTML file that needs nothing else: charts in SVG, and the figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from importlib.resources import files
from string import Template

from ronda.prediction.calibration import Bin
from ronda.prediction.charts import Point, calibration_chart, scatter_chart
from ronda.prediction.comparison import Comparison, Entry
from ronda.prediction.contract import DAY

PAGE = Template((files("ronda.prediction") / "templates" / "comparison.html").read_text("utf-8"))
# Fixed frequencies named in the charts; the others are dots on the line.
NAMED_DAYS = (1, 2, 7, 30)
# A curve of a handful of looks says nothing.
FEWEST_LOOKS = 100

COLUMNS: dict[str, Callable[[Entry], str]] = {
    "predictor": lambda entry: entry.name,
    "visits": lambda entry: f"{entry.score.visits:,}",
    "changes": lambda entry: f"{entry.score.changes:,}",
    "captured": lambda entry: f"{entry.score.captured:,}",
    "captured %": lambda entry: _number(entry.score.captured_share, ".1%"),
    "missed": lambda entry: f"{entry.score.missed:,}",
    "needless": lambda entry: f"{entry.score.needless:,}",
    "stored": lambda entry: f"{entry.score.stored:,}",
    "reverts": lambda entry: f"{entry.score.reverts:,}",
    "bytes": lambda entry: _number(entry.score.bytes_stored, ",.0f"),
    "freshness": lambda entry: f"{entry.score.freshness:.4f}",
    "mean delay, h": lambda entry: _number(entry.score.mean_delay_hours, ".1f"),
    "p90 delay, h": lambda entry: _number(entry.score.p90_delay_hours, ".1f"),
    "hit rate": lambda entry: _number(entry.score.hit_rate, ".1%"),
    "log-loss": lambda entry: _number(entry.score.log_loss, ".4f"),
}


def draw(comparison: Comparison, *, title: str) -> str:
    return PAGE.substitute(
        title=escape(f"{title}: when to come back"),
        summary=escape(_summary(comparison)),
        charts="\n".join(
            [
                _chart(comparison, "Versions captured", lambda entry: entry.score.captured_share or 0.0),
                _chart(comparison, "Freshness", lambda entry: entry.score.freshness),
            ]
        ),
        calibrations=_calibrations(comparison.entries),
        columns="".join(f"<th>{escape(name)}</th>" for name in COLUMNS),
        rows="\n".join(map(_row, comparison.entries)),
        fixed_rows="\n".join(map(_row, comparison.fixed)),
    )


def _summary(comparison: Comparison) -> str:
    told = comparison.as_dict()
    budget = told["visits_per_day"]
    return (
        f"{told['sources']:,} sources, {told['changes']:,} changes, {told['from'][:10]} to {told['to'][:10]}; "
        + (f"{budget:g} visits a source and day for every predictor" if budget else "no budget")
        + f"; objective {told['objective']:g} (1: versions, 0: freshness)."
    )


def _chart(comparison: Comparison, caption: str, measure: Callable[[Entry], float]) -> str:
    followed_days = float((comparison.course.end - comparison.course.began).sum()) / DAY

    def point(entry: Entry, label: str) -> Point:
        return Point(entry.score.visits / followed_days, measure(entry), label)

    fixed = [
        point(entry, f"{days} d" if days in NAMED_DAYS else "")
        for days, entry in enumerate(comparison.fixed, start=1)
    ]
    entries = [point(entry, entry.name) for entry in comparison.entries]
    chart = scatter_chart(entries, fixed, across="visits a source and day", label=caption)
    return f"<figure><figcaption>{escape(caption)}</figcaption>{chart}</figure>"


def _calibrations(entries: Sequence[Entry]) -> str:
    drawn = [entry for entry in entries if sum(one.looks for one in entry.score.calibration) >= FEWEST_LOOKS]
    if not drawn:
        return ""
    figures = "\n".join(_calibration(entry.name, entry.score.calibration) for entry in drawn)
    return (
        "<h2>What they said, and what happened</h2>"
        "<p>On the line a change said to be so likely was found so often; a larger dot means more looks.</p>"
        f'<div class="charts small">{figures}</div>'
    )


def _calibration(name: str, bins: Sequence[Bin]) -> str:
    return f"<figure><figcaption>{escape(name)}</figcaption>{calibration_chart(name, bins)}</figure>"


def _row(entry: Entry) -> str:
    return "<tr>" + "".join(f"<td>{escape(show(entry))}</td>" for show in COLUMNS.values()) + "</tr>"


def _number(value: float | None, form: str) -> str:
    return "–" if value is None else format(value, form)
