"""The answer to one block: a temporary file of WARC records, made as the results come in."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from types import TracebackType

from ronda_node.fetcher import Fetched
from ronda_node.warc_records import write_records

_BUFFER_BYTES = 256 * 1024
# Up to here a thread costs more than it saves.
_INLINE_BYTES = 64 * 1024


class BlockFile:
    """`add` results, `finish`, send what stands at `path`; gone when the context ends."""

    def __init__(self, folder: Path | None = None) -> None:
        self._file = tempfile.NamedTemporaryFile(  # noqa: SIM115
            prefix="ronda-block-", suffix=".warc.gz", dir=folder, buffering=_BUFFER_BYTES, delete=False
        )
        self.path = Path(self._file.name)
        self.record_count = 0
        self._writing = asyncio.Lock()

    async def add(self, fetched: Fetched) -> None:
        """Written and freed. Large bodies are compressed in a thread: other hosts must not wait for it."""
        size_bytes = sum(exchange.wire_bytes for exchange in fetched.exchanges)
        try:
            async with self._writing:
                if size_bytes < _INLINE_BYTES:
                    self.record_count += write_records(fetched, self._file.write)
                else:
                    self.record_count += await asyncio.to_thread(write_records, fetched, self._file.write)
        finally:
            fetched.close()

    def finish(self) -> int:
        """How many bytes there are to send."""
        self._file.flush()
        return self._file.tell()

    def __enter__(self) -> BlockFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
        self.path.unlink(missing_ok=True)
