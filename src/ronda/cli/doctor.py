"""`ronda doctor`: what is wrong with this set-up, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer
from rich.markup import escape

from ronda import configuration
from ronda.cli.output import AsJson, console, print_json

if TYPE_CHECKING:
    from ronda.supervision.diagnosis import Finding

MARKS = {"good": "[green]ok  [/green]", "note": "[yellow]note[/yellow]", "bad": "[red]bad [/red]"}


def doctor(as_json: AsJson = False) -> None:
    """Check PostgreSQL, the lake, disk, ports, Java, Chromium and the clock; exit 1 if something must be mended."""
    # PostgreSQL's driver and DuckDB take longer to load than all other commands together.
    from ronda.supervision.diagnosis import Severity, diagnose

    findings = diagnose(configuration.load())
    if as_json:
        print_json(
            [{"name": f.name, "severity": f.severity, "found": f.found, "advice": f.advice} for f in findings]
        )
    else:
        for finding in findings:
            _show(finding)
    if any(finding.severity == Severity.BAD for finding in findings):
        raise typer.Exit(1)


def _show(finding: Finding) -> None:
    console.print(f"{MARKS[finding.severity]} {finding.name:12} {escape(finding.found)}", soft_wrap=True)
    if finding.advice:
        console.print(f"     {'':12} → {escape(finding.advice)}", soft_wrap=True)
