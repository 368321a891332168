"""The commands of `ronda`: they parse, call, show."""

from __future__ import annotations

import typer

from ronda import __version__
from ronda.cli import (
    accounts,
    archive,
    collections,
    diff,
    doctor,
    export,
    fetch,
    finding,
    follow,
    jobs,
    settings,
    sources,
    up,
    versions,
)

app = typer.Typer(
    name="ronda",
    help="Makes the rounds of the web: follow, fetch politely, keep every version, answer questions.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)


@app.callback(invoke_without_command=True)
def root(
    version: bool = typer.Option(False, "--version", help="Print the version and stop."),
) -> None:
    if version:
        typer.echo(f"ronda {__version__}")
        raise typer.Exit


app.command("up")(up.up)
app.command("fetch")(fetch.fetch)
app.command("follow")(follow.follow)
app.command("visit")(follow.visit)
app.add_typer(sources.many)
app.add_typer(sources.one)
app.command("versions")(versions.list_versions)
app.add_typer(versions.one)
app.add_typer(collections.collections)
app.add_typer(collections.topics)
app.add_typer(archive.archive)
app.command("import")(archive.import_files)
app.command("export")(export.export)
app.command("search")(finding.search)
app.command("replay")(finding.replay)
app.command("diff")(diff.diff)
app.command("jobs")(jobs.list_jobs)
app.command("job")(jobs.show_job)
app.command("start")(jobs.start_job)
app.command("cancel")(jobs.cancel_job)
app.command("token")(accounts.create_token)
app.command("tokens")(accounts.list_tokens)
app.command("login-link")(accounts.login_link)
app.command("settings")(settings.list_variables)
app.command("doctor")(doctor.doctor)
