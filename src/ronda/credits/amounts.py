"""Amounts: whole millionths of a credit, so that nothing is lost by adding up. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

MICROS = 1_000_000


def to_micros(credits: Decimal) -> int:
    return int(credits * MICROS)


def shown(micros: int) -> str:
    """At least two decimals, and no more than there are."""
    text = f"{Decimal(micros) / MICROS:.6f}"
    whole, _, part = text.partition(".")
    return f"{whole}.{part[:2]}{part[2:].rstrip('0')}"


@dataclass(frozen=True)
class Price:
    """Of a thousand URLs, and how many millionths of it the operator keeps."""

    micros_per_thousand: int
    operator_millionths: int

    def of(self, urls: int) -> int:
        """Of the first so many URLs of a fetch. A part costs the difference of two of these: it is rounded once."""
        return urls * self.micros_per_thousand // 1000

    def split(self, micros: int) -> tuple[int, int]:
        """For the contributor, for the operator. What cannot be divided (less than a millionth) the operator keeps."""
        contributor = micros * (MICROS - self.operator_millionths) // MICROS
        return contributor, micros - contributor
