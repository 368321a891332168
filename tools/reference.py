"""Writes the reference pages that code knows best: docs/commands.md and docs/settings.md.

python tools/reference.py           write them
python tools/reference.py --check   exit 1 if they are not what the code says
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer.main
from typer.core import TyperCommand

from ronda.cli.main import app
from ronda.configuration import VARIABLES

DOCS = Path(__file__).resolve().parent.parent / "docs"
NOTE = "<!-- Made by tools/reference.py; change the code, not this page. -->\n"


def commands_page() -> str:
    group = typer.main.get_command(app)
    parts = [
        "# Commands\n",
        NOTE,
        f"`ronda`: {group.help}\n",
        "Exit codes: 0 done, 1 could not be done, 2 ask differently.\n",
    ]
    commands: dict[str, TyperCommand] = getattr(group, "commands", {})
    for name in sorted(commands):
        parts.extend(_command(name, commands[name]))
    return "\n".join(parts)


def _command(name: str, command: TyperCommand) -> Iterator[str]:
    shown = [p for p in command.params if p.name != "help"]
    arguments = [_metavar(p) for p in shown if p.param_type_name == "argument"]
    options = ["[OPTIONS]"] if len(arguments) < len(shown) else []
    yield f"## ronda {name}\n"
    yield f"`{' '.join(['ronda', name, *arguments, *options])}`\n"
    yield f"{(command.help or '').strip()}\n"
    if shown:
        yield "| argument | meaning | default |\n| --- | --- | --- |\n" + "".join(map(_row, shown))


def _metavar(parameter: Any) -> str:
    name = (parameter.metavar or parameter.name).strip("[].").upper()
    return name if parameter.required else f"[{name}]"


def _row(parameter: Any) -> str:
    is_option = parameter.param_type_name == "option"
    names = ", ".join(f"`{name}`" for name in parameter.opts) if is_option else f"`{_metavar(parameter)}`"
    default = parameter.default
    words = "" if default in (None, "", False) or callable(default) else f"`{default}`"
    return f"| {names} | {parameter.help or ''} | {words} |\n"


def settings_page() -> str:
    rows = "".join(
        f"| `{v.name}` | {f'`{v.default}`' if v.default else ''} | {v.meaning} |\n" for v in VARIABLES
    )
    return "\n".join(
        [
            "# Settings\n",
            NOTE,
            "Ronda reads these environment variables. One it does not know, or a value it cannot use, ends the "
            "command with exit code 2 and a line that says why. `ronda settings` shows the present values.\n",
            "| variable | default | meaning |\n| --- | --- | --- |\n" + rows,
            "Caps, prices and other choices that a director makes while Ronda runs are on the console's Settings "
            "page and at `/api/v1/settings`, with who changed what when.\n",
        ]
    )


def main() -> int:
    pages = {DOCS / "commands.md": commands_page(), DOCS / "settings.md": settings_page()}
    stale = [path for path, text in pages.items() if not path.exists() or path.read_text() != text]
    if "--check" not in sys.argv:
        for path in stale:
            path.write_text(pages[path])
        return 0
    for path in stale:
        sys.stderr.write(
            f"{path.relative_to(DOCS.parent)} is not what the code says: run tools/reference.py\n"
        )
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
