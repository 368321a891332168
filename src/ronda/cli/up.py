"""`ronda up`."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape

from ronda import configuration, logs
from ronda.configuration import LOG_FORMATS, Configuration
from ronda.errors import InvalidInput
from ronda.supervision.outlet import Outlet
from ronda.supervision.roles import ROLES, RoleOfProcess, check_reach

if TYPE_CHECKING:
    from ronda.supervision.preparing import Prepared

logger = logging.getLogger(__name__)
# Beside the demo's own addresses (127.77.K.N): one more small site, as far as nodes can tell.
DEMO_CANARY_ADDRESS = "127.77.200.1"

RoleOption = Annotated[
    list[str] | None,
    typer.Option(
        "--role", help=f"Only this duty ({', '.join(r.name for r in ROLES)}); may be given several times."
    ),
]


def up(
    demo: Annotated[
        bool, typer.Option("--demo", help="Also a small changing web on loopback, to try things on.")
    ] = False,
    role: RoleOption = None,
    host: Annotated[str | None, typer.Option(help="Address to listen on (RONDA_HOST).")] = None,
    port: Annotated[
        int | None, typer.Option(help="Port to listen on (RONDA_PORT).", min=1, max=65535)
    ] = None,
    workers: Annotated[
        int | None, typer.Option(help="Worker processes (RONDA_WORKERS).", min=0, max=64)
    ] = None,
    nodes: Annotated[int | None, typer.Option(help="Local nodes (RONDA_NODES).", min=0, max=64)] = None,
    log_format: Annotated[str | None, typer.Option(help="text or json (RONDA_LOG_FORMAT).")] = None,
) -> None:
    """Start Ronda on this machine and keep it running, until Ctrl-C."""
    # It brings the database's driver with it, which no other command needs.
    from ronda.supervision.supervisor import Supervisor

    if log_format is not None and log_format not in LOG_FORMATS:
        raise InvalidInput(f"--log-format must be one of {', '.join(LOG_FORMATS)}, not {log_format!r}.")
    flags = {"host": host, "port": port, "workers": workers, "nodes": nodes, "log_format": log_format}
    given = replace(configuration.load(), **{k: v for k, v in flags.items() if v is not None})  # type: ignore[arg-type]
    if demo:
        canary = f"http://{DEMO_CANARY_ADDRESS}:{given.demo_port or given.port}"
        given = replace(given, allow_private_networks=True, canary_urls=given.canary_urls or canary)
    outlet = Outlet(sys.stderr.fileno())
    logs.configure(process_name="up", log_format=given.log_format, log_level=given.log_level, stream=outlet)
    roles = _chosen_roles(role or [], demo)
    check_reach(roles, given)
    supervisor = Supervisor(
        given, roles, announce=lambda prepared: _announce(given, prepared, roles), outlet=outlet
    )
    asyncio.run(supervisor.run())


def _chosen_roles(names: list[str], demo: bool) -> list[RoleOfProcess]:
    known = {role.name for role in ROLES}
    for name in names:
        if name not in known:
            raise InvalidInput(
                f"There is no role {name!r}.", field="--role", hint=f"Choose from {', '.join(sorted(known))}."
            )
    if names:
        return [role for role in ROLES if role.name in names or (demo and role.is_demo)]
    return [role for role in ROLES if demo or not role.is_demo]


def _announce(given: Configuration, prepared: Prepared, roles: list[RoleOfProcess]) -> None:
    """What the person at the terminal needs to know; standard output, apart from the log."""
    if not any(role.name == "web" for role in roles):
        return
    try:
        _print(given, prepared)
    except OSError as error:
        logger.warning("nobody reads the announcement: %s; `ronda login-link` gives a login link", error)
        # Or Python would try again at the end, and end with an error.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class _Terminal(Console):
    def on_broken_pipe(self) -> None:
        """Rich would end the whole program."""
        raise BrokenPipeError("it is closed")


def _print(given: Configuration, prepared: Prepared) -> None:
    console = _Terminal(file=sys.stdout, soft_wrap=True, highlight=False)
    console.print(f"\n  [bold]Ronda is up.[/bold]  Console: [link]{escape(given.console_url)}[/link]")
    if prepared.login_secret:
        console.print(
            f"  Log in as {escape(prepared.administrator)} with this link (works once; set a password then):\n"
            f"  [bold]{escape(given.console_url)}/login/once/{prepared.login_secret}[/bold]"
        )
    else:
        console.print(
            f"  Log in as {escape(prepared.administrator)}. No password? `ronda login-link` gives a link."
        )
    console.print("  Ctrl-C stops everything.\n")
    console.file.flush()
