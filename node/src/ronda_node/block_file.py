"""The answer to one block: a file of WARC records, made as the results come in."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import TracebackType

from ronda_node.fetcher import Fetched
from ronda_node.warc_records import write_records

_BUFFER_BYTES = 256 * 1024
# Up to here a thread costs more than it saves.
_INLINE_BYTES = 64 * 1024


class BlockFile:
    """`add` results; what stands at `path` is whole after each."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.record_count = 0
        self.size_bytes = 0
        self._file = path.open("wb", buffering=_BUFFER_BYTES)
        self._writing = asyncio.Lock()

    async def add(self, fetched: Fetched) -> int:
        """Written and freed; returns the size from then on. Large bodies are compressed in a thread: other hosts
        must not wait for it."""
        size_bytes = sum(exchange.wire_bytes for exchange in fetched.exchanges)
        try:
            async with self._writing:
                if size_bytes < _INLINE_BYTES:
                    self._write(fetched)
                else:
                    await asyncio.to_thread(self._write, fetched)
                return self.size_bytes
        finally:
            fetched.close()

    def _write(self, fetched: Fetched) -> None:
        self.record_count += write_records(fetched, self._file.write)
        # Out of our hands: a kill takes nothing of it back.
        self._file.flush()
        self.size_bytes = self._file.tell()

    def __enter__(self) -> BlockFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
