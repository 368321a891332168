"""Heads of requests: how long they may be, and what is told to whom they are refused.

Uvicorn reads a head of any length into memory, and answers what it cannot parse with a line of plain text; programs
that talk to the API expect problem JSON.
"""

from __future__ import annotations

import logging
import secrets
from http import HTTPStatus

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from ronda.http.problems import Problem
from ronda.logs import request_id

logger = logging.getLogger("ronda.requests")

# httptools refuses longer ones, too, but only when it has all of it.
LONGEST_URL_BYTES = 0xFFFF
# More than one piece asyncio reads at once (256 KiB), as that may hold the body as well.
LONGEST_HEAD_BYTES = 512 * 1024

_DETAILS = {
    HTTPStatus.BAD_REQUEST: "This is not an HTTP request that could be understood.",
    HTTPStatus.REQUEST_URI_TOO_LONG: f"The address is longer than {LONGEST_URL_BYTES:,} bytes."
    " Ask for less at once, or send it in a body where one is taken.",
    HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE: "The header fields are larger than"
    f" {LONGEST_HEAD_BYTES:,} bytes together.",
}


class CappedHeads(HttpToolsProtocol):
    """One connection of a client."""

    _head_bytes = 0
    _is_in_head = True
    url = b""

    def data_received(self, data: bytes) -> None:
        if self._is_in_head:
            self._head_bytes += len(data)
            if self._head_bytes > LONGEST_HEAD_BYTES:
                self.refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
                return
        super().data_received(data)

    def on_message_begin(self) -> None:
        self._is_in_head = True
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        super().on_url(url)
        if len(self.url) > LONGEST_URL_BYTES:
            # Whatever is raised here ends the parsing, and Uvicorn has us send a 400.
            raise ValueError("the address is too long")

    def on_headers_complete(self) -> None:
        self._is_in_head = False
        self._head_bytes = 0
        super().on_headers_complete()

    def send_400_response(self, msg: str) -> None:
        is_long = len(self.url) > LONGEST_URL_BYTES
        self.refuse(HTTPStatus.REQUEST_URI_TOO_LONG if is_long else HTTPStatus.BAD_REQUEST)

    def refuse(self, status: HTTPStatus) -> None:
        """Answer and hang up: where the next request would begin is not known."""
        marker = request_id.set(secrets.token_hex(8))
        try:
            logger.info("refused a request by its head: %d %s", status, status.phrase)
            response = Problem(status, _DETAILS[status]).as_response()
        finally:
            request_id.reset(marker)
        response.headers["Content-Length"] = str(len(response.content))
        response.headers["Connection"] = "close"
        status_line = f"HTTP/1.1 {status} {status.phrase}\r\n".encode()
        self.transport.write(status_line + response.serialize_headers() + b"\r\n\r\n" + response.content)
        self.transport.close()
