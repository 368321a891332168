"""Writes the reference pages that code knows best: docs/commands.md, docs/settings.md and docs/node.md.

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

from ronda.cli.app import app
from ronda.configuration import VARIABLES
from ronda_node.options import OPTIONS, URL, Option

DOCS = Path(__file__).resolve().parent.parent / "docs"
NODE_WORDS = """\
    ronda-node join https://ronda.example --token ronda_…

fetches for that Ronda until Ctrl-C. Told to end, it gives back what it has not begun, brings what it has, and leaves
within seconds. Killed, it brings what it had at its next start. Behind a sleeping laptop or a lost line nothing is lost
either: others take over, and what was fetched before still counts if it comes later.

**The kill switch**: `ronda-node stop` ends all fetches at once and gives everything back; `ronda-node start` goes on.
Both only make and remove the file `stop` in the node's home, so `touch ~/.local/state/ronda-node/stop` does as well.
The node stays connected meanwhile, and the server knows why it rests. Its contributor can also pause and remove it on
the server; a removed one ends by itself.

**Its home** holds `fetches.jsonl`, every URL this machine fetched with the time, the address, the status and the bytes,
written down at once, so that a kill loses none (what it was just fetching stands there as broken off after the next
start). At a tenth of `--log-bytes` the file becomes `fetches.jsonl.1`, that one `.2`, up to `.9`, and the oldest goes;
`usage.json`, the bytes of this month; `blocks/`, what it has in hand. One node runs in a home at a time.

**Caps.** Bytes are those of the answers and of the blocks brought to the server, without what TLS and TCP add, a few
percent. When the hours are over or the bytes used up, what was begun is finished, the rest is given back, and the node
rests until it may work again. How long one fetch may take is also said by the server; the shorter one holds.

Every option may stand in the environment, for systemd (`deploy/systemd/ronda-node.service`) and containers. The nodes
that `ronda up` runs obey the same variables. Exit codes: 0 told to end, 1 the disk failed, 2 not
welcome or not possible; the last line says why.
"""
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
    inner: dict[str, TyperCommand] = getattr(command, "commands", {})
    if inner and not getattr(command, "invoke_without_command", False):
        for word in inner:
            yield from _command(f"{name} {word}", inner[word])
        return
    yield f"## ronda {name}\n"
    yield f"`{' '.join(['ronda', name, *arguments, *options])}`\n"
    yield f"{(command.help or '').strip()}\n"
    if shown:
        yield "| argument | meaning | default |\n| --- | --- | --- |\n" + "".join(map(_row, shown))
    for word in inner:
        yield from _command(f"{name} {word}", inner[word])


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


def node_page() -> str:
    rows = "".join(
        f"| {_option(o)} | `{o.variable}` | {o.default} | {o.meaning} |\n" for o in (URL, *OPTIONS)
    )
    head = "| option | variable | default | meaning |\n| --- | --- | --- | --- |\n"
    return "\n".join(["# Lending a machine\n", NOTE, NODE_WORDS, head + rows])


def _option(option: Option) -> str:
    if option is URL:
        return f"`{option.metavar}`"
    return f"`--{option.flag}`" if option.is_switch else f"`--{option.flag} {option.metavar}`"


def main() -> int:
    pages = {
        DOCS / "commands.md": commands_page(),
        DOCS / "settings.md": settings_page(),
        DOCS / "node.md": node_page(),
    }
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
