"""What the owner of the machine says."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ronda_node.allowance import Hours


@dataclass(frozen=True, kw_only=True)
class Settings:
    """`slots` None: found by trying. `country` None: what the server thinks. Other Nones are no cap."""

    url: str
    token: str
    name: str
    home: Path
    slots: int | None = None
    bytes_per_second: int | None = None
    bytes_per_month: int | None = None
    hours: Hours | None = None
    country: str | None = None
    response_bytes: int | None = None
    response_seconds: float | None = None
    allow_private_networks: bool = False
    log_path: Path | None = None
    log_bytes: int | None = None
