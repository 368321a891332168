"""How much of this machine's time, memory and line one exchange may take."""

from __future__ import annotations

from dataclasses import dataclass

KIBIBYTE = 1024
MEBIBYTE = 1024 * KIBIBYTE


@dataclass(frozen=True, slots=True)
class Limits:
    """`decoded_bytes` bounds what a bomb unfolds to; a server takes no more than this either. After the first byte,
    fewer than `progress_bytes` in `progress_seconds` is a server that holds us up on purpose, or one that died."""

    dns_seconds: float = 10.0
    connect_seconds: float = 15.0
    first_byte_seconds: float = 30.0
    progress_seconds: float = 10.0
    progress_bytes: int = 1 * KIBIBYTE
    total_seconds: float = 120.0
    header_bytes: int = 64 * KIBIBYTE
    header_count: int = 256
    wire_bytes: int = 32 * MEBIBYTE
    decoded_bytes: int = 128 * MEBIBYTE
    # Larger bodies wait for their WARC record in a temporary file.
    memory_bytes: int = 1 * MEBIBYTE
