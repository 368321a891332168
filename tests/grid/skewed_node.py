"""`ronda-node` on a machine whose wall clock is wrong: `python -m tests.grid.skewed_node SECONDS join …`."""

from __future__ import annotations

import sys
import time
from datetime import datetime, timedelta, tzinfo

from ronda_node import allowance, cli, clock

SKEW_SECONDS = float(sys.argv.pop(1))


class SkewedDatetime(datetime):
    @classmethod
    def now(cls, tz: tzinfo | None = None) -> SkewedDatetime:
        return super().now(tz) + timedelta(seconds=SKEW_SECONDS)


def main() -> None:
    right_time = time.time
    time.time = lambda: right_time() + SKEW_SECONDS  # type: ignore[assignment]
    clock.datetime = allowance.datetime = SkewedDatetime  # type: ignore[attr-defined]
    cli.main()


if __name__ == "__main__":
    main()
