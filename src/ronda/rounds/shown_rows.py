"""Rows of a comparison for people: what is the same is left out but for a few lines around each change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ronda.change.texts import Kind, Row


@dataclass(frozen=True)
class Gap:
    """So many lines that are the same, left out."""

    lines: int


def without_the_same(rows: Sequence[Row], context: int) -> list[Row | Gap]:
    near = bytearray(len(rows))
    for at, row in enumerate(rows):
        if row.kind != Kind.SAME:
            start, end = max(0, at - context), min(len(rows), at + context + 1)
            near[start:end] = b"\x01" * (end - start)
    shown: list[Row | Gap] = []
    left_out = 0
    for row, is_near in zip(rows, near, strict=True):
        if is_near:
            if left_out:
                shown.append(Gap(left_out))
            left_out = 0
            shown.append(row)
        else:
            left_out += 1
    return [*shown, Gap(left_out)] if left_out else shown
