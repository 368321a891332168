"""Bars are as high as their numbers say, and axes end at round ones."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from ronda.console.charts import HEIGHT, chart_of, round_top

START = datetime(2026, 3, 1, tzinfo=UTC)


def test_heights() -> None:
    chart = chart_of([(START + timedelta(minutes=n), value) for n, value in enumerate((0, 10, 20, 0.01))])
    assert (chart.top, chart.half, chart.total) == (20, 10, 30.01)
    assert [bar.height for bar in chart.bars] == [0, 50, 100, 1.5], "what is there is seen"
    assert all(bar.y + bar.height == HEIGHT for bar in chart.bars)
    assert chart.bars[-1].x < chart.width == 40
    assert chart.moments == [START, START + timedelta(minutes=2), START + timedelta(minutes=3)]


def test_nothing_to_draw() -> None:
    assert chart_of([]).moments == []
    assert [bar.height for bar in chart_of([(START, 0)]).bars] == [0]


@pytest.mark.parametrize(
    ("value", "top"),
    [
        (0, 2),
        (1, 2),
        (3, 4),
        (5, 6),
        (9, 10),
        (10, 20),
        (11, 20),
        (101, 200),
        (999, 1000),
        (1_000_000, 2_000_000),
    ],
)
def test_axes_end_at_round_numbers(value: float, top: float) -> None:
    assert round_top(value, is_bytes=False) >= value
    assert round_top(value, is_bytes=False) == top


@pytest.mark.parametrize(("value", "top"), [(0, 2), (3, 4), (1025, 2048), (2**30, 2**30)])
def test_sizes_end_at_powers_of_two(value: float, top: float) -> None:
    assert round_top(value, is_bytes=True) == top


@pytest.mark.parametrize(("bars", "told"), [(0, []), (1, [0]), (2, [0, 1]), (5, [0, 2, 4])])
def test_few_bars_are_named_once(bars: int, told: list[int]) -> None:
    days = [datetime(2026, 11, 1 + day, tzinfo=UTC) for day in range(bars)]
    assert chart_of([(day, 1.0) for day in days]).moments == [days[place] for place in told]
