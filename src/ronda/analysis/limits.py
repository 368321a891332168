"""What one body may hold at most."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    # Unpacked: what keeps a small bomb from filling memory and disk.
    max_plain_bytes: int = 256 << 30
    # Of a packed body: so many bytes out of each that came in, beyond the first few megabytes.
    max_expansion: int = 1000
    max_field_bytes: int = 16 << 20
    max_row_bytes: int = 64 << 20
    max_columns: int = 2000
