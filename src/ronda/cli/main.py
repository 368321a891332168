"""`ronda`. Exit 0: done; 1: it could not be done; 2: ask differently.

Imports little, so that a Ctrl-C finds somebody to catch it: the commands take a moment to load.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import typer


def main() -> None:
    """The border of every command: our own errors become one clear line and an exit code."""
    try:
        _open_standard_streams()
        _run()
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        # Interrupted within an exec() of text, as dataclasses do while they are made, CPython would end as if the
        # signal had killed it, though it was caught. The next exec() makes it forget that.
        exec("")  # noqa: S102


def _open_standard_streams() -> None:
    """Started with one of them closed, the next file opened would get its number, and be written into."""
    for fd in range(3):
        try:
            os.fstat(fd)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    sys.stdin = sys.stdin or open(0)  # noqa: SIM115  (theirs for as long as we run)
    sys.stdout = sys.stdout or open(1, "w")  # noqa: SIM115
    sys.stderr = sys.stderr or open(2, "w")  # noqa: SIM115


def _run() -> None:
    from ronda.cli.app import app
    from ronda.errors import RondaError, exit_code

    _narrow(app, sys.argv[1:])
    try:
        with _of_text(sys.argv[1:]):
            app()
    except RondaError as error:
        from rich.console import Console
        from rich.markup import escape

        Console(stderr=True, highlight=False, soft_wrap=True).print(f"[red]ronda:[/red] {escape(str(error))}")
        sys.exit(exit_code(error))


@contextmanager
def _of_text(words: Sequence[str]) -> Iterator[None]:
    """Names of files may be any bytes; all else has to be text, and is found out where it is sent or shown."""
    try:
        yield
    except UnicodeEncodeError:
        from ronda.errors import InvalidInput

        shown = [word.encode("utf-8", "backslashreplace").decode() for word in words]
        wrong = next((one for one, word in zip(shown, words, strict=True) if one != word), None)
        if wrong is None:
            raise
        raise InvalidInput(f"{wrong} is no text in UTF-8.") from None


def _narrow(app: typer.Typer, words: Sequence[str]) -> None:
    """Only the command that is given is made ready: all of them take longer than most take to run."""
    chosen = [one for one in app.registered_commands if words and one.name == words[0]]
    if chosen:
        app.registered_commands, app.registered_groups = chosen, []


if __name__ == "__main__":
    main()
