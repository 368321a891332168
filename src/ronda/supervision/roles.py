"""The roles a process may have under `ronda up`, and how many of each there are by default."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ronda.configuration import Configuration


@dataclass(frozen=True)
class RoleOfProcess:
    """`entry` names the function a child of this role runs: module:function, taking (Child, Configuration)."""

    name: str
    entry: str
    meaning: str
    count: Callable[[Configuration], int]
    is_demo: bool = False


ROLES: tuple[RoleOfProcess, ...] = (
    RoleOfProcess("demo", "ronda.demo_role:run", "the demo's small web and wiki", lambda c: 1, is_demo=True),
    RoleOfProcess("leader", "ronda.supervision.leader:run", "does what must be done once", lambda c: 1),
    RoleOfProcess("web", "ronda.site.serve:run", "console and API", lambda c: 1),
    RoleOfProcess("worker", "ronda.jobs.worker:run", "runs jobs", lambda c: c.workers),
    RoleOfProcess("node", "ronda.grid.local_node:run", "fetches", lambda c: c.nodes),
)


def role_named(name: str) -> RoleOfProcess:
    return next(role for role in ROLES if role.name == name)
