"""A client of Ronda's sessions: sends files in parallel batches, goes on through restarts, reads the answers.

    from ronda.analysis.client import Server, ask

    server = Server("http://127.0.0.1:8000", token="ronda_…")
    for answer in ask(server, "movies", {"movies": "movies_metadata.csv", "ratings": "ratings.csv"}):
        print(answer["title"], answer["rows"])

Knows no Django: it runs wherever Python does.
"""

from __future__ import annotations

from ronda.analysis.client.asking import Asking, ask
from ronda.analysis.client.server import Server
from ronda.analysis.client.session import SessionClient

__all__ = ["Asking", "Server", "SessionClient", "ask"]
