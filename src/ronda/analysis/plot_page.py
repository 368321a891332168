"""Answers as one page of HTML: drawings in SVG, tables below; it needs no script and no network."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from ronda.analysis.drawing import HEIGHT, WIDTH, Picture, Series, picture_of
from ronda.analysis.engines.contract import Answer
from ronda.analysis.questions.model import Question, QuestionSet

PAGE = Path(__file__).parent / "material" / "plot_page.html"
MOST_ROWS = 200
BAR_HEIGHT, LABEL_WIDTH, BAR_WIDTH, NUMBER_WIDTH = 24, 240, 420, 140
LINE_HEIGHT = 200


def plot_page(questions: QuestionSet, answers: Sequence[Answer]) -> str:
    parts = "\n".join(_section(answer, questions.question(answer.question)) for answer in answers)
    return Template(PAGE.read_text("utf-8")).substitute(title=escape(questions.title), answers=parts)


def _section(answer: Answer, question: Question) -> str:
    warnings = "".join(f'<p class="warning">{escape(text)}</p>' for text in answer.warnings)
    used = ", ".join(f"{count:,} of {escape(table)}" for table, count in answer.used.items())
    dropped = "; ".join(
        f"{escape(table)}: " + ", ".join(f"{count:,} {escape(reason)}" for reason, count in reasons.items())
        for table, reasons in answer.dropped.items()
        if reasons
    )
    return (
        f"<section><h2>{escape(question.title)}</h2><p>{escape(question.description)}</p>{warnings}"
        f"{_drawing(answer, question)}{_table(answer)}"
        f'<p class="rows">Rows used: {used or "none"}. Dropped: {dropped or "none"}.</p></section>'
    )


def _drawing(answer: Answer, question: Question) -> str:
    picture = picture_of(question.drawing, answer.columns, answer.rows)
    if picture is None:
        return ""
    draw = {"number": _number, "line": _line, "bar": _bars}[picture.kind]
    return "".join(draw(series, picture) for series in picture.series)


def _number(series: Series, _picture: Picture) -> str:
    return f'<p class="number">{_text(series.bars[0].value)} <small>{escape(series.name)}</small></p>'


def _bars(series: Series, picture: Picture) -> str:
    rows = []
    for number, bar in enumerate(series.bars):
        top, width = number * BAR_HEIGHT, BAR_WIDTH * bar.share / 100
        rows.append(
            f'<text x="{LABEL_WIDTH - 8}" y="{top + 16}" text-anchor="end">{_shortened(bar.label)}</text>'
            f'<rect x="{LABEL_WIDTH}" y="{top + 3}" width="{width:.1f}" height="{BAR_HEIGHT - 6}"'
            f"{' class=negative' if bar.is_negative else ''}></rect>"
            f'<text x="{LABEL_WIDTH + width + 6:.1f}" y="{top + 16}">{_text(bar.value)}</text>'
        )
    more = f"<p>{picture.left_out:,} more are in the table.</p>" if picture.left_out else ""
    return _svg(series.name, len(series.bars) * BAR_HEIGHT, "".join(rows)) + more


def _line(series: Series, picture: Picture) -> str:
    wide = LABEL_WIDTH + BAR_WIDTH
    marks = (
        # The points are of a box of their own, stretched over this one.
        f'<svg width="{wide}" height="{LINE_HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" preserveAspectRatio="none">'
        f'<polyline points="{series.points}"></polyline></svg>'
        f'<text x="{wide + 6}" y="16">{_text(series.high)}</text>'
        f'<text x="{wide + 6}" y="{LINE_HEIGHT}">{_text(series.low)}</text>'
        f'<text x="0" y="{LINE_HEIGHT + 18}">{_shortened(picture.first)}</text>'
        f'<text x="{wide}" y="{LINE_HEIGHT + 18}" text-anchor="end">{_shortened(picture.last)}</text>'
    )
    return _svg(series.name, LINE_HEIGHT + 24, marks)


def _svg(name: str, height: int, inside: str) -> str:
    wide = LABEL_WIDTH + BAR_WIDTH + NUMBER_WIDTH
    return (
        f"<figure><figcaption>{escape(name)}</figcaption>"
        f'<svg viewBox="0 0 {wide} {height}" width="{wide}" role="img" aria-label="{escape(name)}">{inside}</svg>'
        "</figure>"
    )


def _table(answer: Answer) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in answer.columns)
    rows = "".join(
        "<tr>" + "".join(f"<td>{_text(value)}</td>" for value in row) + "</tr>"
        for row in answer.rows[:MOST_ROWS]
    )
    left = len(answer.rows) - MOST_ROWS
    more = f"<p>… and {left:,} more rows.</p>" if left > 0 else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{more}"


def _shortened(text: str) -> str:
    return escape(text if len(text) <= 34 else text[:33] + "…")


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        return ", ".join(_text(one) for one in value)
    if isinstance(value, float):
        return f"{value:,.4f}".rstrip("0").rstrip(".")
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else escape(str(value))
