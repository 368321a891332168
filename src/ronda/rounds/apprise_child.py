"""A process of its own that sends one message through Apprise, fenced in: it may reach the public internet, and nothing
else. An Apprise address is a stranger's program in small: it names hosts, and some services take files of this machine.

Reads one JSON object on stdin (url, title, body, allow_private_networks, is_check) and answers with one on stdout.
"""

from __future__ import annotations

import json
import logging
import os
import socket
import sys
from ipaddress import ip_address
from typing import Any

from ronda_node.addresses import judge
from ronda_node.neighbourhood import survey
from ronda_node.policy import ANYWHERE, PUBLIC_WEB

_REFUSED_EVENTS = frozenset(
    {
        "os.system",
        "os.exec",
        "os.fork",
        "os.posix_spawn",
        "os.spawn",
        "subprocess.Popen",
        "pty.spawn",
        "syslog.syslog",
    }
)
_CONNECTING = frozenset({"socket.connect", "socket.sendto", "socket.sendmsg"})
# What libraries read: certificates, time zones, types of files.
_READABLE = (
    "/etc/ssl",
    "/etc/pki",
    "/etc/mime.types",
    "/usr/lib/ssl",
    "/usr/share",
    "/usr/local/share",
    "/dev/null",
    "/dev/urandom",
)


_refusals: list[str] = []


class Fenced(OSError):
    """The fence let nobody through."""

    def __init__(self, reason: str) -> None:
        # Libraries turn it into words of their own; people are to hear the reason.
        _refusals.append(reason)
        super().__init__(reason)


class Fence:
    """Which addresses, files and programs are out of reach."""

    def __init__(self, *, allow_private_networks: bool) -> None:
        self._policy = ANYWHERE if allow_private_networks else PUBLIC_WEB
        self._around = survey()
        programs = (os.path.realpath(place) for place in (sys.prefix, sys.base_prefix, *sys.path) if place)
        self._readable = (*_READABLE, *programs)

    def put_up(self) -> None:
        """For as long as the process lives: no audit hook can be taken back."""
        sys.addaudithook(self._watch)

    def _watch(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event in _CONNECTING and len(arguments) > 1:
            self.judge_address(arguments[1])
        elif event == "open":
            self._judge_file(arguments[0])
        elif event in _REFUSED_EVENTS:
            raise Fenced(f"{event} is not allowed here")

    def judge_address(self, address: Any) -> None:
        if address is None:
            return  # of a socket that is connected already, and was judged then
        if not isinstance(address, tuple):
            raise Fenced("local sockets are not for notices")
        try:
            found = ip_address(str(address[0]).partition("%")[0])
        except ValueError:
            raise Fenced(f"{address[0]} would be looked up without being vetted") from None
        verdict = judge(found, self._around, self._policy)
        if not verdict.is_allowed:
            raise Fenced(verdict.reason)

    def _judge_file(self, path: Any) -> None:
        if isinstance(path, int):
            return
        real = os.path.realpath(os.fsdecode(path))
        if not any(real == place or real.startswith(f"{place}/") for place in self._readable):
            raise Fenced(f"files of this machine are not for notices: {path}")


class _Words(logging.Handler):
    """What Apprise says of its troubles."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.last = "The service did not take it."

    def emit(self, record: logging.LogRecord) -> None:
        self.last = record.getMessage()


def send(order: dict[str, Any]) -> dict[str, str]:
    import apprise

    words = _Words()
    log = logging.getLogger("apprise")
    log.addHandler(words)
    log.propagate = False
    asset = apprise.AppriseAsset(app_id="Ronda", app_desc="Ronda", app_url="", plugin_paths=[])
    fence = Fence(allow_private_networks=bool(order["allow_private_networks"]))
    fence.put_up()
    service: Any = apprise.Apprise.instantiate(order["url"], asset=asset, suppress_exceptions=True)
    if service is None:
        return {"error": "This is no address Apprise knows.", "shown": ""}
    shown = service.url(privacy=True).partition("?")[0]
    if order.get("is_check"):
        return {"error": _refused_host(service, fence), "shown": shown}
    try:
        is_sent = service.notify(body=order["body"], title=order["title"], body_format="text")
    except Exception as error:  # noqa: BLE001  (a plugin's own; this is the border of the process)
        return {"error": f"{type(error).__name__}: {error}", "shown": shown}
    return {"error": "" if is_sent else _refusals[-1] if _refusals else words.last, "shown": shown}


def _refused_host(service: Any, fence: Fence) -> str:
    """Told when it is entered, rather than when the first notice fails. A name that is not known yet may be later."""
    host = getattr(service, "host", None)
    try:
        found = (
            socket.getaddrinfo(host, None, type=socket.SOCK_STREAM) if isinstance(host, str) and host else []
        )
        for entry in found:
            fence.judge_address(entry[4])
    except Fenced as refusal:
        return str(refusal)
    except (OSError, UnicodeError):
        return ""
    return ""


if __name__ == "__main__":
    order = json.load(sys.stdin)
    answer = send(order)
    # Apprise's own words may repeat its address; what is kept and shown must not hold its secrets.
    answer["error"] = answer["error"].replace(order["url"], answer["shown"])[:400]
    sys.stdout.write(json.dumps(answer))
