"""A block in hand, kept on disk: what was begun and what was fetched of it outlives this process.

Beside `<block>.warc.gz` stands `<block>.journal`: a line of JSON about the block, then `begun ID URL` before a fetch
and `done ID SIZE` after it, with the size of the WARC file that holds it whole, or `not ID` if it never came to it.
"""

from __future__ import annotations

import json
import logging
import os
import re
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from ronda_node.block_file import BlockFile
from ronda_node.deadline import Deadline
from ronda_node.fetcher import Fetched
from ronda_node.outcomes import FetchRequest
from ronda_node.server import Block

logger = logging.getLogger(__name__)

# Larger ones are ended early: a server takes only so much in one upload.
MOST_BYTES = 256 * 1024 * 1024
# No server remembers for so long whom it asked what.
FORGOTTEN_SECONDS = 7 * 86_400.0
_BREAKS = re.compile(r"\s")


class Delivery:
    """What there is to bring of a block: records, and which fetches were broken off."""

    def __init__(self, folder: Path, block_id: str, *, server: str, node_id: str) -> None:
        self.id = block_id
        self.server = server
        self.node_id = node_id
        self.path = folder / f"{block_id}.warc.gz"
        self.journal_path = folder / f"{block_id}.journal"
        # By request, the URL.
        self.begun: dict[str, str] = {}

    @property
    def interrupted(self) -> list[str]:
        return sorted(self.begun)

    def discard(self) -> None:
        """It was taken, or never will be."""
        self.journal_path.unlink(missing_ok=True)
        self.path.unlink(missing_ok=True)


class HeldBlock(Delivery):
    """A block while it is worked on."""

    def __init__(self, folder: Path, block: Block, *, server: str, node_id: str, deadline: Deadline) -> None:
        super().__init__(folder, block.id, server=server, node_id=node_id)
        self.block = block
        self.deadline = deadline
        self.pending = sum(len(host.requests) for host in block.hosts)
        self._journal = self.journal_path.open("wb", buffering=0)
        self._note(json.dumps({"server": server, "node": node_id}))
        self._file = BlockFile(self.path)

    def begin(self, request: FetchRequest) -> None:
        """Call before the host is asked: if we die meanwhile, it is known that it may be busy with us."""
        url = _BREAKS.sub("%20", str(request.url))
        self.begun[request.id] = url
        self._note(f"begun {request.id} {url}")

    async def add(self, fetched: Fetched) -> None:
        size_bytes = await self._file.add(fetched)
        self._note(f"done {fetched.request.id} {size_bytes}")
        self.begun.pop(fetched.request.id, None)
        self.pending -= 1
        if size_bytes >= MOST_BYTES:
            self.deadline.end()

    def give_back(self, request: FetchRequest) -> None:
        """It was not asked after all."""
        self._note(f"not {request.id}")
        self.begun.pop(request.id, None)
        self.pending -= 1

    def _note(self, line: str) -> None:
        self._journal.write(line.encode() + b"\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.__exit__(kind, error, trace)
        self._journal.close()


def left_behind(folder: Path, *, server: str) -> list[Delivery]:
    """What an earlier process had in hand for that server, cut back to what it finished."""
    found = []
    for journal in sorted(folder.glob("*.journal")):
        try:
            delivery = _read(journal)
        except (OSError, ValueError, KeyError, TypeError) as error:
            logger.warning("%s cannot be read (%s): leaving it out", journal, error)
            continue
        if time.time() - journal.stat().st_mtime > FORGOTTEN_SECONDS:
            delivery.discard()
        elif delivery.server == server:
            found.append(delivery)
    return found


def _read(journal: Path) -> Delivery:
    first, *lines = journal.read_text().split("\n")
    about = json.loads(first)
    delivery = Delivery(journal.parent, journal.stem, server=str(about["server"]), node_id=str(about["node"]))
    size_bytes = 0
    # What stands behind the last line end is a line cut off.
    for line in lines[:-1]:
        match line.split(" "):
            case ["begun", request_id, url]:
                delivery.begun[request_id] = url
            case ["not", request_id]:
                delivery.begun.pop(request_id, None)
            case ["done", request_id, size]:
                delivery.begun.pop(request_id, None)
                size_bytes = max(size_bytes, int(size))
    if delivery.path.exists():
        os.truncate(delivery.path, size_bytes)
    else:
        delivery.path.touch()
    return delivery
