"""A page that takes its time, and a line that holds uploads back: real servers on loopback, each in threads."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen


class SlowSite(BaseHTTPRequestHandler):
    """Has one page. The n-th who asks for it waits as long as the n-th of `seconds` says, later ones do not wait."""

    seconds: Sequence[float] = ()
    asked_at: list[float]
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        if self.path == "/robots.txt":
            self._answer(404, b"none")
            return
        number = len(self.asked_at)
        self.asked_at.append(time.monotonic())
        time.sleep(self.seconds[number] if number < len(self.seconds) else 0)
        self._answer(200, b"here it is")

    def _answer(self, status: int, body: bytes) -> None:
        try:
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except ConnectionError:
            # Who asked has lost patience.
            self.close_connection = True

    def log_message(self, format: str, *arguments: Any) -> None: ...


class SlowLine(BaseHTTPRequestHandler):
    """Passes everything on to `target`, uploads only once `is_open` is set."""

    target = ""
    is_open: threading.Event
    is_uploading: threading.Event

    def _pass_on(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.command == "PUT":
            self.is_uploading.set()
            self.is_open.wait()
        request = Request(self.target + self.path, method=self.command, data=body, headers=dict(self.headers))
        try:
            with urlopen(request, timeout=60) as response:
                self._answer(response.status, response.read())
        except HTTPError as refusal:
            self._answer(refusal.code, refusal.read())

    def do_POST(self) -> None:
        self._pass_on()

    def do_PUT(self) -> None:
        self._pass_on()

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: Any) -> None: ...


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """Its address, for as long as the context lasts."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def slow_site(*seconds: float) -> type[SlowSite]:
    return type("SlowSite", (SlowSite,), {"seconds": seconds, "asked_at": []})


def slow_line(target: str) -> type[SlowLine]:
    events = {"is_open": threading.Event(), "is_uploading": threading.Event()}
    return type("SlowLine", (SlowLine,), {"target": target, **events})
