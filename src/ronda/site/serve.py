"""The web role: serves the console and the API on the socket its supervisor listens on."""

from __future__ import annotations

import asyncio
import http.client
import socket
import threading
from contextlib import suppress

import uvicorn

from ronda.configuration import Configuration
from ronda.supervision.child import BEAT_SECONDS, Child

GRACE_SECONDS = 5


def run(child: Child, configuration: Configuration) -> None:
    from ronda.site.asgi import application

    listener = socket.socket(fileno=child.listen_fd)
    server = uvicorn.Server(
        uvicorn.Config(
            application,
            log_config=None,
            access_log=False,
            lifespan="off",
            server_header=False,
            timeout_graceful_shutdown=GRACE_SECONDS,
            proxy_headers=bool(configuration.proxies),
            forwarded_allow_ips=configuration.proxies,
        )
    )
    # A daemon: it is only worth something while the server runs.
    threading.Thread(target=_beat_while_answering, args=(child, listener), daemon=True).start()
    asyncio.run(server.serve(sockets=[listener]))


def _beat_while_answering(child: Child, listener: socket.socket) -> None:
    """A heartbeat per answered request of our own: a web process that cannot answer is as good as dead."""
    host, port = listener.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104
    while True:
        with suppress(OSError, http.client.HTTPException):
            connection = http.client.HTTPConnection(host, port, timeout=10)
            # By a name that is always answered, whatever address this is.
            connection.request("GET", "/livez", headers={"Host": "localhost"})
            if connection.getresponse().status == 200:
                child.beat()
            connection.close()
        threading.Event().wait(BEAT_SECONDS)
