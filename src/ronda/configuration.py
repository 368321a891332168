"""What the environment says: one table of variables that feeds reading, help, docs and checks."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from ipaddress import ip_network
from pathlib import Path
from urllib.parse import urlsplit

from ronda.errors import InvalidInput


class ConfigurationError(InvalidInput):
    """The environment is not valid."""


@dataclass(frozen=True)
class Variable:
    """One environment variable: how it is read and what it is for."""

    name: str
    default: str
    meaning: str
    is_secret: bool = False


VARIABLES: tuple[Variable, ...] = (
    Variable("RONDA_HOME", "./ronda-data", "Folder of everything Ronda keeps on this machine."),
    Variable("RONDA_HOST", "127.0.0.1", "Address the web server listens on."),
    Variable("RONDA_PORT", "8000", "Port the web server listens on."),
    Variable(
        "RONDA_PUBLIC_URL",
        "",
        "Address people reach the console at, when a proxy stands before it; used in mails and for origin checks.",
    ),
    Variable(
        "RONDA_TRUSTED_PROXIES",
        "",
        "Addresses or networks of proxies whose X-Forwarded-For is believed, separated by commas. Empty: those on this "
        "machine if RONDA_PUBLIC_URL is set, else none.",
    ),
    Variable(
        "RONDA_REPLAY_PORT",
        "0",
        "Port archived pages are shown at: an origin of their own. 0: the one behind RONDA_PORT.",
    ),
    Variable(
        "RONDA_REPLAY_URL",
        "",
        "Address people reach the replay at, when a proxy stands before it: another host name of the same domain.",
    ),
    Variable(
        "RONDA_CONTACT",
        "",
        "Mail or web address that owners of fetched sites may turn to; shown at /bot, where the User-Agent leads.",
    ),
    Variable(
        "RONDA_DATABASE_URL",
        "",
        "Your PostgreSQL (postgresql://user@host/name). Empty: an embedded one, in RONDA_HOME.",
        is_secret=True,
    ),
    Variable(
        "RONDA_SECRET_KEY",
        "",
        "Key that signs sessions and links. Empty: made once and kept in the database.",
        is_secret=True,
    ),
    Variable("RONDA_WORKERS", "2", "How many worker processes `ronda up` runs."),
    Variable("RONDA_NODES", "1", "How many local nodes `ronda up` runs."),
    Variable(
        "RONDA_DEMO_PORT",
        "8100",
        "Port of the demo's web (`ronda up --demo`), on all its 127.x.y.z addresses.",
    ),
    Variable(
        "RONDA_DEMO_SPEED", "1", "Seconds that pass in the demo's web in one of ours; 0 stops its clock."
    ),
    Variable(
        "RONDA_ALLOW_PRIVATE_NETWORKS",
        "no",
        "yes: private and loopback addresses may be fetched. For the demo and for tests; `--demo` turns it on.",
    ),
    Variable(
        "RONDA_CANARY_URLS",
        "",
        "Addresses that lead to this server under names of their own (https://…, separated by spaces). Nodes are sent"
        " there now and then, to see whether they answer truly. `--demo` has one on loopback.",
    ),
    Variable("RONDA_MAX_UPLOAD_BYTES", "536870912", "Largest block of answers a node may upload, in bytes."),
    Variable("RONDA_MAX_IMPORT_BYTES", "10737418240", "Largest WARC file that may be imported, in bytes."),
    Variable("RONDA_MAX_BODY_BYTES", "10485760", "Largest request body the API takes, in bytes."),
    Variable(
        "RONDA_SMTP_URL",
        "",
        "Mail server (smtp://user:password@host:587, smtps://…). Empty: mails go to the log.",
        True,
    ),
    Variable("RONDA_MAIL_FROM", "ronda@localhost", "Sender of mails."),
    Variable("RONDA_LOG_FORMAT", "text", "text or json (one object a line)."),
    Variable("RONDA_LOG_LEVEL", "info", "debug, info, warning or error."),
    Variable("RONDA_URL", "", "Server the commands talk to. Empty: the local one."),
    Variable(
        "RONDA_TOKEN", "", "API token of the commands. Empty: the one `ronda up` keeps in RONDA_HOME.", True
    ),
)

LOG_FORMATS = ("text", "json")
LOG_LEVELS = ("debug", "info", "warning", "error")


@dataclass(frozen=True)
class Configuration:
    """The environment, read and checked."""

    home: Path
    host: str
    port: int
    public_url: str
    trusted_proxies: str
    replay_port: int
    replay_url: str
    contact: str
    database_url: str
    secret_key: str
    workers: int
    nodes: int
    demo_port: int
    demo_speed: float
    allow_private_networks: bool
    canary_urls: str
    max_upload_bytes: int
    max_import_bytes: int
    max_body_bytes: int
    smtp_url: str
    mail_from: str
    log_format: str
    log_level: str
    url: str
    token: str

    @property
    def local_url(self) -> str:
        """Where this machine reaches its own web server."""
        return self._here(self.port)

    @property
    def replay_origin(self) -> str:
        """Where people reach the replay."""
        return self.replay_url or self._here(self.port_of_replay)

    @property
    def port_of_replay(self) -> int:
        return self.replay_port or self.port % 65535 + 1

    def _here(self, port: int) -> str:
        host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(self.host, self.host)  # noqa: S104
        return f"http://{f'[{host}]' if ':' in host and not host.startswith('[') else host}:{port}"

    @property
    def proxies(self) -> list[str]:
        """Whose word about a client's address is taken."""
        loopback = "127.0.0.0/8,::1" if self.public_url else ""
        return [word.strip() for word in (self.trusted_proxies or loopback).split(",") if word.strip()]

    @property
    def console_url(self) -> str:
        return self.public_url or self.local_url

    @property
    def canaries(self) -> tuple[str, ...]:
        return tuple(url.rstrip("/") for url in self.canary_urls.split())

    def as_environment(self) -> dict[str, str]:
        """The variables that give this configuration again, for a child process."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {
            f"RONDA_{name.upper()}": ("yes" if value else "no") if isinstance(value, bool) else str(value)
            for name, value in values.items()
        }


def load(environ: Mapping[str, str] = os.environ) -> Configuration:
    """Read the environment; every mistake is named with the variable and what to do."""
    _refuse_unknown(environ)
    values = {v.name: environ.get(v.name, "").strip() or v.default for v in VARIABLES}
    for name in values:
        # Bytes that are no UTF-8 come as lone surrogates; a line end would end up in URLs, headers and log lines.
        _checked(values, name, str.isprintable, "one line of printable UTF-8 text")
    return Configuration(
        home=_folder(values, "RONDA_HOME"),
        host=values["RONDA_HOST"],
        port=_integer(values, "RONDA_PORT", 1, 65535),
        public_url=_web_address(values, "RONDA_PUBLIC_URL"),
        trusted_proxies=_checked(
            values,
            "RONDA_TRUSTED_PROXIES",
            _are_networks,
            "addresses or networks, like 10.0.0.5,172.16.0.0/12",
        ),
        replay_port=_integer(values, "RONDA_REPLAY_PORT", 0, 65535),
        replay_url=_web_address(values, "RONDA_REPLAY_URL"),
        contact=_checked(values, "RONDA_CONTACT", _is_contact, "a mail address or an http(s) address"),
        database_url=_address(values, "RONDA_DATABASE_URL", ("postgresql", "postgres")),
        secret_key=_checked(
            values, "RONDA_SECRET_KEY", lambda v: not v or len(v) >= 32, "at least 32 characters"
        ),
        workers=_integer(values, "RONDA_WORKERS", 0, 64),
        nodes=_integer(values, "RONDA_NODES", 0, 64),
        demo_port=_integer(values, "RONDA_DEMO_PORT", 0, 65535),
        demo_speed=_number(values, "RONDA_DEMO_SPEED", 0, 1_000_000),
        allow_private_networks=_choice(values, "RONDA_ALLOW_PRIVATE_NETWORKS", ("no", "yes")) == "yes",
        canary_urls=_web_addresses(values, "RONDA_CANARY_URLS"),
        max_upload_bytes=_integer(values, "RONDA_MAX_UPLOAD_BYTES", 1024, 2**40),
        max_import_bytes=_integer(values, "RONDA_MAX_IMPORT_BYTES", 1024, 2**40),
        max_body_bytes=_integer(values, "RONDA_MAX_BODY_BYTES", 1024, 2**40),
        smtp_url=_address(values, "RONDA_SMTP_URL", ("smtp", "smtps")),
        mail_from=_checked(values, "RONDA_MAIL_FROM", lambda v: "@" in v, "a mail address"),
        log_format=_choice(values, "RONDA_LOG_FORMAT", LOG_FORMATS),
        log_level=_choice(values, "RONDA_LOG_LEVEL", LOG_LEVELS),
        url=_web_address(values, "RONDA_URL"),
        token=_checked(values, "RONDA_TOKEN", lambda v: v.isascii() and v.isprintable(), "one line of ASCII"),
    )


def _refuse_unknown(environ: Mapping[str, str]) -> None:
    known = [v.name for v in VARIABLES]
    for name in environ:
        # Those of the nodes are theirs to judge.
        if name.startswith("RONDA_") and not name.startswith("RONDA_NODE_") and name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"Did you mean {near[0]}?" if near else "`ronda settings` lists the known ones."
            raise ConfigurationError(f"Unknown environment variable {name}.", field=name, hint=hint)


def _checked(values: Mapping[str, str], name: str, is_valid: Callable[[str], bool], expected: str) -> str:
    if not is_valid(values[name]):
        shown = "" if next(v for v in VARIABLES if v.name == name).is_secret else f", not {values[name]!r}"
        raise ConfigurationError(f"{name} must be {expected}{shown}.", field=name)
    return values[name]


def _folder(values: Mapping[str, str], name: str) -> Path:
    try:
        return Path(values[name]).expanduser().absolute()
    except (RuntimeError, OSError) as error:
        raise ConfigurationError(f"{name}: {str(error).rstrip('.')}.", field=name) from None


def _are_networks(value: str) -> bool:
    try:
        return all(ip_network(word.strip()) for word in value.split(",")) if value else True
    except ValueError:
        return False


def _is_contact(value: str) -> bool:
    name, at, host = value.partition("@")
    is_mail = bool(name and at and host) and not any(character in value for character in ' <>"')
    return not value or value.startswith(("https://", "http://")) or is_mail


def _choice(values: Mapping[str, str], name: str, choices: tuple[str, ...]) -> str:
    return _checked(values, name, lambda v: v in choices, "one of " + ", ".join(choices))


def _integer(values: Mapping[str, str], name: str, low: int, high: int) -> int:
    def is_valid(value: str) -> bool:
        return len(value) < 20 and value.isascii() and value.isdigit() and low <= int(value) <= high

    return int(_checked(values, name, is_valid, f"a whole number from {low} to {high}"))


def _number(values: Mapping[str, str], name: str, low: float, high: float) -> float:
    def is_valid(value: str) -> bool:
        try:
            return low <= float(value) <= high
        except ValueError:
            return False

    return float(_checked(values, name, is_valid, f"a number from {low} to {high}"))


def _address(values: Mapping[str, str], name: str, schemes: tuple[str, ...]) -> str:
    def is_valid(value: str) -> bool:
        try:
            parts = urlsplit(value)
            # Reading the port checks it.
            return not value or (
                parts.scheme in schemes and parts.port != 0 and bool(parts.netloc or parts.query)
            )
        except ValueError:
            return False

    return _checked(
        values,
        name,
        is_valid,
        f"an address like {schemes[0]}://HOST:PORT (it starts with {' or '.join(f'{s}://' for s in schemes)})",
    )


def _web_address(values: Mapping[str, str], name: str) -> str:
    return _address(values, name, ("http", "https")).rstrip("/")


def _web_addresses(values: Mapping[str, str], name: str) -> str:
    for one in values[name].split():
        parts = urlsplit(_web_address({name: one}, name))
        if parts.path or parts.query or parts.username:
            raise ConfigurationError(f"{name} takes hosts without a path, not {one!r}.", field=name)
    return values[name]
