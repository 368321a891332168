"""An API on loopback that answers what a test wrote down, and notes what it was asked."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qsl, urlsplit

Scripted = tuple[int, str, bytes, Mapping[str, str]]


@dataclass(frozen=True)
class Asked:
    at: float
    headers: Any
    query: dict[str, str]


class ScriptedWiki:
    def __init__(self) -> None:
        self.script: list[Scripted] = []
        self.requests: list[Asked] = []
        wiki = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                query = dict(parse_qsl(urlsplit(self.path).query))
                wiki.requests.append(Asked(time.monotonic(), self.headers, query))
                status, kind, body, headers = wiki.script.pop(0)
                self.send_response(status)
                for name, value in {
                    "Content-Type": kind,
                    "Content-Length": str(len(body)),
                    **headers,
                }.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *words: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.authority = f"127.0.0.1:{self._server.server_address[1]}"
        self.api = f"http://{self.authority}/api.php"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *ended: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
