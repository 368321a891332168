"""The roles a process may have under `ronda up`, and how many of each there are by default."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ronda.configuration import Configuration
from ronda.environment import ConfigurationError


@dataclass(frozen=True)
class RoleOfProcess:
    """`entry` names the function a child of this role runs: module:function, taking (Child, Configuration)."""

    name: str
    entry: str
    meaning: str
    count: Callable[[Configuration], int]
    is_demo: bool = False
    needs_database: bool = True


ROLES: tuple[RoleOfProcess, ...] = (
    RoleOfProcess(
        "demo",
        "ronda.demo_role:run",
        "the demo's small web and wiki",
        lambda c: 1,
        is_demo=True,
        needs_database=False,
    ),
    RoleOfProcess("leader", "ronda.supervision.leader:run", "does what must be done once", lambda c: 1),
    RoleOfProcess("web", "ronda.site.serve:run", "console and API", lambda c: 1),
    RoleOfProcess("worker", "ronda.jobs.worker:run", "runs jobs", lambda c: c.workers),
    RoleOfProcess("node", "ronda.grid.local_node:run", "fetches", lambda c: c.nodes, needs_database=False),
    RoleOfProcess(
        "replay",
        "ronda.archive.replay_role:run",
        "shows archived pages as they were",
        lambda c: 1,
        needs_database=False,
    ),
)


def need_database(roles: Sequence[RoleOfProcess]) -> bool:
    return any(role.needs_database for role in roles)


def check_reach(roles: Sequence[RoleOfProcess], configuration: Configuration) -> None:
    """Nodes alone need no database, and nobody leaves them a token: they must be told whom they work for."""
    if need_database(roles) or not any(role.name == "node" for role in roles):
        return
    given = {"RONDA_URL": configuration.url, "RONDA_TOKEN": configuration.token}
    if missing := [name for name, value in given.items() if not value]:
        raise ConfigurationError(
            f"A machine that only fetches needs {' and '.join(missing)}.",
            field=missing[0],
            hint="Give the address of your Ronda and a contributor's token (console → Tokens).",
        )


def role_named(name: str) -> RoleOfProcess:
    return next(role for role in ROLES if role.name == name)
