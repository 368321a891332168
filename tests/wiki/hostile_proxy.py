"""A proxy on loopback that does what networks and overloaded wikis do: 429, HTML errors, drops, half answers."""

from __future__ import annotations

import http.client
import random
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TRICKS = ("429", "html", "drop", "half", "half json", "maxlag", "reset")
MAXLAG = b'{"error":{"code":"maxlag","info":"Waiting for a database: 11 seconds lagged."}}'


class HostileProxy:
    def __init__(self, upstream_port: int, *, share: float, seed: int = 1) -> None:
        self.upstream_port = upstream_port
        self.played: Counter[str] = Counter()
        self.share = share
        self.asked = 0
        self._counted = threading.Condition()
        self._chance = random.Random(seed)
        self._deck: list[str] = []
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                proxy.answer(self)

            def log_message(self, *words: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def wait_until_asked(self, number: int, *, seconds: float) -> bool:
        """Whether so many questions came, from the beginning on."""
        with self._counted:
            return self._counted.wait_for(lambda: self.asked >= number, seconds)

    def answer(self, asked: BaseHTTPRequestHandler) -> None:
        with self._counted:
            self.asked += 1
            self._counted.notify_all()
        trick = self._dealt() if self._chance.random() < self.share else ""
        self.played[trick] += 1
        match trick:
            case "429":
                self._send(asked, 429, "text/html", b"<h1>Too many requests</h1>", {"Retry-After": "1"})
            case "html":
                self._send(asked, 200, "text/html", b"<!DOCTYPE html><title>Wikimedia Error</title>", {})
            case "maxlag":
                self._send(asked, 200, "application/json", MAXLAG, {"Retry-After": "1"})
            case "drop":
                asked.close_connection = True
            case "reset":
                self._send(asked, 502, "text/html", b"<h1>Bad gateway</h1>", {})
            case _:
                self._pass_on(asked, trick)

    def _dealt(self) -> str:
        """Like cards: each trick is played before any comes again, however few questions there are."""
        if not self._deck:
            self._deck = self._chance.sample(TRICKS, len(TRICKS))
        return self._deck.pop()

    def _pass_on(self, asked: BaseHTTPRequestHandler, trick: str) -> None:
        upstream = http.client.HTTPConnection("127.0.0.1", self.upstream_port, timeout=60)
        try:
            upstream.request("GET", asked.path, headers={"User-Agent": asked.headers["User-Agent"]})
            told = upstream.getresponse()
            body, kind = told.read(), told.getheader("Content-Type", "")
        finally:
            upstream.close()
        if trick == "half json":  # whole by its length, but cut off by whoever made it
            self._send(asked, told.status, kind, body[: len(body) // 2], {})
        elif trick == "half":
            self._send(asked, told.status, kind, body, {}, sent=len(body) // 2)
        else:
            self._send(asked, told.status, kind, body, {})

    def _send(
        self,
        asked: BaseHTTPRequestHandler,
        status: int,
        kind: str,
        body: bytes,
        headers: dict[str, str],
        sent: int | None = None,
    ) -> None:
        try:
            asked.send_response(status)
            for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **headers}.items():
                asked.send_header(name, value)
            asked.end_headers()
            asked.wfile.write(body[:sent])
        except OSError:  # whoever asked was killed
            asked.close_connection = True
        if sent is not None:
            asked.close_connection = True
