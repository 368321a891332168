"""How results are told: name → value, target, and whether it holds."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass


@dataclass(frozen=True)
class Measured:
    name: str
    value: float
    target: float
    is_at_most: bool = False

    @property
    def holds(self) -> bool:
        return self.value <= self.target if self.is_at_most else self.value >= self.target


def say(text: str) -> None:
    sys.stderr.write(text + "\n")


def tell(results: list[Measured]) -> None:
    told = {r.name: {"value": round(r.value, 3), "target": r.target, "holds": r.holds} for r in results}
    sys.stdout.write(json.dumps(told) + "\n")
