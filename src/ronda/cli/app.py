"""The commands of `ronda`: they parse, call, show."""

from __future__ import annotations

import typer

from ronda import __version__
from ronda.cli import (
    accounts,
    archive,
    ask,
    collections,
    diff,
    doctor,
    export,
    fetch,
    finding,
    follow,
    jobs,
    nodes,
    noise,
    predictions,
    report,
    settings,
    simulate,
    sources,
    up,
    versions,
    wiki,
    wiki_queries,  # noqa: F401  (adds its commands to those of wiki)
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
app.command("report")(report.report)
app.command("nodes")(nodes.list_nodes)
app.command("follow")(follow.follow)
app.command("visit")(follow.visit)
app.add_typer(sources.many)
app.add_typer(sources.one)
app.command("noise")(noise.noise)
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
app.command("outlook")(predictions.outlook)
app.command("groups")(predictions.groups)
app.command("notify")(predictions.notify)
app.command("trace")(predictions.trace)
app.command("simulate")(simulate.simulate)
app.add_typer(wiki.wiki)
app.command("ask", context_settings=ask.CONTEXT)(ask.ask)
app.command("jobs")(jobs.list_jobs)
app.command("job")(jobs.show_job)
app.command("start")(jobs.start_job)
app.command("cancel")(jobs.cancel_job)
app.command("token")(accounts.create_token)
app.command("tokens")(accounts.list_tokens)
app.command("login-link")(accounts.login_link)
app.command("settings")(settings.list_variables)
app.command("doctor")(doctor.doctor)
