"""What pywb is told, and the secrets it shares with us: it answers nobody but the guard, and explains nothing.

Its error pages print its settings: ours take their place, with nothing in them but a mark that the guard knows.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Iterable
from pathlib import Path

# By this header pywb knows who asks; what it says is believed, so the guard never passes on one that came to it.
ASKER_HEADER = "X-Pywb-ACL-User"
ERROR_TEMPLATES = ("error.html", "not_found.html")


class ReplaySettings:
    """`index_port`: where our index listens."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._secret = secrets.token_bytes(32)
        self.folder = home / "replay"
        self.asker = secrets.token_urlsafe(24)
        self.error_mark = secrets.token_hex(24).encode()
        self.index_port = 0

    def key_of(self, collection: str) -> str:
        """Opens the index of one collection and says nothing about the others'."""
        return hmac.new(self._secret, collection.encode(), hashlib.sha256).hexdigest()

    def is_key_of(self, collection: str, key: str) -> bool:
        return hmac.compare_digest(self.key_of(collection).encode(), key.encode())

    def write(self, collections: Iterable[str]) -> None:
        (self.folder / "templates").mkdir(parents=True, exist_ok=True)
        for name in ERROR_TEMPLATES:
            self._write(f"templates/{name}", self.error_mark.decode())
        allowed = json.dumps({"access": "allow", "user": self.asker})
        self._write("guard.aclj", f"*, - {allowed}\n")
        self._write("config.yaml", json.dumps(self._told(collections), indent=1))  # JSON is YAML

    def _write(self, name: str, text: str) -> None:
        """For nobody else's eyes, also where it was written before."""
        path = self.folder / name
        path.unlink(missing_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(text)

    def _told(self, collections: Iterable[str]) -> dict[str, object]:
        """No frame of pywb's own: the console has one."""
        return {
            "framed_replay": False,
            "collections_root": "collections",
            "enable_auto_colls": False,
            "collections": {
                name: {
                    "index": {
                        "type": "cdx",
                        "api_url": f"http://127.0.0.1:{self.index_port}/{self.key_of(name)}/{name}"
                        "?url={url}&closest={closest}&sort=closest&resolveRevisits=true",
                        "replay_url": "",
                    },
                    "archive_paths": f"{self._home / 'archive'}/",
                    # Whoever else asks finds nothing, also at the port pywb opens for itself.
                    "acl_paths": str(self.folder / "guard.aclj"),
                    "default_access": "exclude",
                }
                for name in sorted(collections)
            },
        }
