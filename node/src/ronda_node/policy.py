"""What may be fetched at all. The default is the open web; the demo and the tests live on loopback."""

from __future__ import annotations

from dataclasses import dataclass

WEB_PORTS = frozenset({80, 443})


@dataclass(frozen=True, slots=True)
class Policy:
    """`allow_private_networks` admits IP literals, local names and private addresses, though never link-local
    ones, where clouds keep their credentials. `allowed_ports=None` admits every port."""

    allow_private_networks: bool = False
    allowed_ports: frozenset[int] | None = WEB_PORTS


PUBLIC_WEB = Policy()
ANYWHERE = Policy(allow_private_networks=True, allowed_ports=None)
