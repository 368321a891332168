"""Questions from beginning to end: open a session, send the files, close it, wait for the answers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ronda.analysis.client.files import BATCH_BYTES
from ronda.analysis.client.server import Server
from ronda.analysis.client.session import CONNECTIONS, SessionClient
from ronda.errors import NotFound

# A session that was lost (its server was away for longer than the grace time) is sent anew.
MOST_TRIES = 3


@dataclass(frozen=True, kw_only=True)
class Asking:
    """What is asked, of which files. `sql`: questions of one's own, by name, in place of a set."""

    questions: str = ""
    tables: Mapping[str, Sequence[Path]] = field(default_factory=dict)
    sql: Mapping[str, str] = field(default_factory=dict)
    only: Sequence[str] = ()
    columns: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    engine: str = "auto"
    is_live: bool = True
    is_packed: bool = False
    connections: int = CONNECTIONS
    batch_bytes: int = BATCH_BYTES

    @property
    def key(self) -> str:
        """The same question about the same files: asked again after a crash, the session goes on where it was."""
        files = {name: [_identity(path) for path in paths] for name, paths in sorted(self.tables.items())}
        said = [
            self.questions,
            dict(self.sql),
            list(self.only),
            {name: dict(columns) for name, columns in self.columns.items()},
            dict(self.parameters),
            self.engine,
            self.is_packed,
            self.batch_bytes,
            files,
        ]
        return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()

    def as_body(self) -> dict[str, Any]:
        return {
            "questions": self.questions,
            "sql": dict(self.sql),
            "only": list(self.only),
            "columns": {name: dict(columns) for name, columns in self.columns.items()},
            "parameters": dict(self.parameters),
            "engine": self.engine,
            "is_live": self.is_live,
            "key": self.key if self.tables else "",
        }


def _identity(path: Path) -> list[Any]:
    about = path.stat()
    return [str(path.resolve()), about.st_size, about.st_mtime_ns]


class Watcher:
    """Hears how far it is; a progress bar overrides what it shows."""

    def opened(self, session_id: str) -> None:
        pass

    def sent(self, table: str, position: int) -> None:
        pass

    def told(self, state: dict[str, Any]) -> None:
        pass


def ask(
    server: Server,
    questions: str | Asking,
    tables: Mapping[str, str | Path] | None = None,
    *,
    watcher: Watcher | None = None,
    **choices: Any,
) -> list[dict[str, Any]]:
    """The complete answers. What the server held of it goes by itself, a day later."""
    if isinstance(questions, str):
        paths = {name: [Path(path)] for name, path in (tables or {}).items()}
        questions = Asking(questions=questions, tables=paths, **choices)
    for is_last in [*[False] * (MOST_TRIES - 1), True]:
        try:
            return _ask_once(server, questions, watcher or Watcher())
        except NotFound:
            if is_last:
                raise
        finally:
            server.close()
    raise AssertionError("unreachable")


def _ask_once(server: Server, asking: Asking, watcher: Watcher) -> list[dict[str, Any]]:
    session = SessionClient(server, server.post("/sessions", asking.as_body()), is_packed=asking.is_packed)
    watcher.opened(session.id)
    if asking.tables:
        with session.alive():
            batches = {
                table: session.send_files(
                    table,
                    paths,
                    connections=asking.connections,
                    batch_bytes=asking.batch_bytes,
                    on_sent=watcher.sent,
                )
                for table, paths in asking.tables.items()
            }
            session.close(batches)
    on_state: Callable[[dict[str, Any]], None] = watcher.told
    return session.wait(on_state)
