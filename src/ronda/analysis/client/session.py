"""One session from the client's side: send, close, wait, read. Whatever is sent twice counts once."""

from __future__ import annotations

import hashlib
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ronda.analysis.checksums import FIELD, digest_field
from ronda.analysis.client.files import BATCH_BYTES, Piece, pieces_of_all
from ronda.analysis.client.server import Server
from ronda.errors import NotFound, RondaError

CONNECTIONS = 4
JOIN_SECONDS = 2.0
POLL_SECONDS = 0.25
LONGEST_POLL_SECONDS = 2.0

OnSent = Callable[[str, int], None]


class SessionClient:
    """`is_packed`: batches are compressed on the way (zstd), which pays where the way is slow."""

    def __init__(self, server: Server, session: Mapping[str, Any], *, is_packed: bool = False) -> None:
        self.server = server
        self.id = str(session["id"])
        self.grace_seconds = float(session["grace_seconds"])
        self._is_packed = is_packed

    @property
    def path(self) -> str:
        return f"/sessions/{self.id}"

    def acknowledged(self, table: str) -> dict[int, str]:
        """The batches the server has, with their checksums."""
        found: dict[int, str] = {}
        page = 1
        while True:
            answer = self.server.get(f"{self.path}/tables/{table}/batches?page={page}&page_size=500")
            found |= {item["number"]: item["checksum"] for item in answer["items"]}
            if page * 500 >= answer["total"]:
                return found
            page += 1

    def send_files(
        self,
        table: str,
        paths: Sequence[Path],
        *,
        connections: int = CONNECTIONS,
        batch_bytes: int = BATCH_BYTES,
        on_sent: OnSent | None = None,
    ) -> int:
        """All batches of a table, a few at a time; what was acknowledged before is left out. How many there are."""
        known = self.acknowledged(table)
        number = 0
        waiting: deque[Future[None]] = deque()
        with ThreadPoolExecutor(connections, thread_name_prefix="send") as threads:
            try:
                for piece in pieces_of_all(paths, batch_bytes):
                    number = piece.number
                    waiting.append(threads.submit(self._send_unless_known, table, piece, known, on_sent))
                    # As many as there are connections, and one at hand: a file is not read into memory.
                    while len(waiting) > connections + 1:
                        waiting.popleft().result()
                while waiting:
                    waiting.popleft().result()
            except BaseException:
                for future in waiting:
                    future.cancel()
                raise
        return number

    def _send_unless_known(
        self, table: str, piece: Piece, known: Mapping[int, str], on_sent: OnSent | None
    ) -> None:
        body, headers = self._packed(piece)
        digest = hashlib.sha256(body)
        if known.get(piece.number) != digest.hexdigest():
            self.put(table, piece.number, body, {**headers, FIELD: digest_field(digest.digest())})
        if on_sent:
            on_sent(table, piece.position)

    def _packed(self, piece: Piece) -> tuple[bytes, dict[str, str]]:
        headers = {"Content-Type": piece.content_type}
        if not self._is_packed:
            return piece.body, headers
        import pyarrow as pa

        packed: bytes = pa.Codec("zstd").compress(piece.body, asbytes=True)
        return packed, {**headers, "Content-Encoding": "zstd"}

    def put(self, table: str, number: int, body: bytes, headers: Mapping[str, str]) -> dict[str, Any]:
        reply = self.server.send("PUT", f"{self.path}/tables/{table}/batches/{number}", body, headers)
        answer: dict[str, Any] = reply.json()
        return answer

    @contextmanager
    def alive(self) -> Iterator[None]:
        """Signs of life while something else takes long."""
        done = threading.Event()

        def beat() -> None:
            while not done.wait(max(0.5, self.grace_seconds / 4)):
                try:
                    self.server.post(f"{self.path}/heartbeat")
                except NotFound:
                    return
                except RondaError:
                    continue

        thread = threading.Thread(target=beat, name="heartbeat", daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join(JOIN_SECONDS)

    def close(self, batches: Mapping[str, int]) -> None:
        self.server.post(f"{self.path}/close", {"batches": dict(batches)})

    def state(self) -> dict[str, Any]:
        found: dict[str, Any] = self.server.get(self.path)
        return found

    def answers(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.server.get(f"{self.path}/answers")["answers"]
        return found

    def wait(self, on_state: Callable[[dict[str, Any]], None] | None = None) -> list[dict[str, Any]]:
        """Until every answer is complete."""
        pause = POLL_SECONDS
        while True:
            state = self.state()
            if on_state:
                on_state(state)
            if state["state"] in ("answered", "expired"):
                return self.answers()
            time.sleep(pause)
            pause = min(LONGEST_POLL_SECONDS, pause * 1.2)

    def delete(self) -> None:
        self.server.delete(self.path)
