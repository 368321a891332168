"""`ronda token`, `tokens` and `login-link`."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from ronda import configuration
from ronda.cli.client import Client
from ronda.cli.output import AsJson, console, print_json, print_table
from ronda.errors import NotFound, Unavailable


def create_token(
    name: Annotated[str, typer.Argument(help="What it is for.")], as_json: AsJson = False
) -> None:
    """Create an API token for yourself; it is shown once."""
    token = Client().post("/tokens", {"name": name})
    if as_json:
        print_json(token)
    else:
        console.print(token["token"])


def list_tokens(as_json: AsJson = False) -> None:
    """List your API tokens."""
    tokens = Client().get("/tokens", page_size=500)["items"]
    if as_json:
        print_json(tokens)
        return
    rows = [
        (t["id"], t["name"], t["hint"] + "…", t["created_at"][:19], (t["last_used_at"] or "never")[:19])
        for t in tokens
    ]
    print_table(["id", "name", "starts with", "created (UTC)", "last used (UTC)"], rows, "No tokens.")


def login_link(
    email: Annotated[str, typer.Argument(help="Whose; default: the first administrator's.")] = "",
) -> None:
    """Print a link that logs somebody in once. Needs the database, so it works for whoever runs this machine."""
    # Every command loads this module, and most talk to no database.
    import psycopg

    from ronda.database.connection import database_url

    given = configuration.load()
    url = database_url(given)
    try:
        psycopg.connect(url, connect_timeout=3).close()
    except psycopg.OperationalError as error:
        raise Unavailable(f"The database does not answer: {error}", hint="Start `ronda up` first.") from None
    os.environ["DJANGO_SETTINGS_MODULE"] = "ronda.site.settings"
    import django

    django.setup()
    from ronda.accounts import services
    from ronda.accounts.models import Person

    person = (
        Person.objects.filter(email__iexact=email, is_active=True).first()
        if email
        else services.ensure_administrator()
    )
    if person is None:
        raise NotFound(f"There is nobody with the address {email}.")
    typer.echo(f"{given.console_url}/login/once/{services.create_login_link(person=person)}")
