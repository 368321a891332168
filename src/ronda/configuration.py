"""What the environment says: one table of variables that feeds reading, help, docs and checks."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path

from ronda.environment import Environment, Variable

# In RONDA_REPLAY_URL: where the short name of a collection goes.
COLLECTION_PLACE = "{collection}"

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
        "Address people reach the replay at, when a proxy stands before it: another host name of the same domain, best "
        "with {collection} in it (https://{collection}.replay.example.org), so that collections are kept apart.",
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
    Variable(
        "RONDA_LAKE_MEMORY_MB",
        "256",
        "Megabytes a process may use for the lake (revisions of wikis) before it spills to disk.",
    ),
    Variable("RONDA_LAKE_THREADS", "2", "Threads a process may use for the lake."),
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
        "RONDA_SPARK_MASTER",
        "",
        "Apache Spark for questions about big tables (spark://host:7077, or local[4]). Empty: DuckDB answers.",
    ),
    Variable(
        "RONDA_QUESTION_THREADS", "0", "Threads of one question on DuckDB. 0: as many as there are cores."
    ),
    Variable(
        "RONDA_QUESTION_MEMORY_BYTES",
        "2147483648",
        "Memory of one question on DuckDB, in bytes; what does not fit goes to disk.",
    ),
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
    lake_memory_mb: int
    lake_threads: int
    workers: int
    nodes: int
    demo_port: int
    demo_speed: float
    allow_private_networks: bool
    canary_urls: str
    max_upload_bytes: int
    max_import_bytes: int
    max_body_bytes: int
    spark_master: str
    question_threads: int
    question_memory_bytes: int
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
        """Where people reach the replay, whatever the collection; as a source of a policy, if each has its own name."""
        return self.replay_origin_of("*")

    def replay_origin_of(self, collection: str) -> str:
        """Where people reach a collection's pages first."""
        address = self.replay_url or self._here(self.port_of_replay)
        return address.replace(COLLECTION_PLACE, collection)

    def replay_frames_of(self, collection: str) -> str:
        """Where a frame onto a collection's pages may lead, as a content security policy says it."""
        first = self.replay_origin_of(collection)
        return first if self.replay_url else f"{first.rpartition(':')[0]}:*"

    @property
    def has_replay_origins(self) -> bool:
        """Whether each collection is replayed at an origin of its own."""
        return not self.replay_url or COLLECTION_PLACE in self.replay_url

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
    given = Environment(environ, VARIABLES)
    return Configuration(
        home=given.folder("RONDA_HOME"),
        host=given.text("RONDA_HOST"),
        port=given.integer("RONDA_PORT", 1, 65535),
        public_url=given.web_address("RONDA_PUBLIC_URL"),
        trusted_proxies=given.networks("RONDA_TRUSTED_PROXIES"),
        replay_port=given.integer("RONDA_REPLAY_PORT", 0, 65535),
        replay_url=given.web_address("RONDA_REPLAY_URL"),
        contact=given.contact("RONDA_CONTACT"),
        database_url=given.address("RONDA_DATABASE_URL", ("postgresql", "postgres")),
        secret_key=given.checked(
            "RONDA_SECRET_KEY", lambda v: not v or len(v) >= 32, "at least 32 characters"
        ),
        lake_memory_mb=given.integer("RONDA_LAKE_MEMORY_MB", 64, 2**20),
        lake_threads=given.integer("RONDA_LAKE_THREADS", 1, 256),
        workers=given.integer("RONDA_WORKERS", 0, 64),
        nodes=given.integer("RONDA_NODES", 0, 64),
        demo_port=given.integer("RONDA_DEMO_PORT", 0, 65535),
        demo_speed=given.number("RONDA_DEMO_SPEED", 0, 1_000_000),
        allow_private_networks=given.choice("RONDA_ALLOW_PRIVATE_NETWORKS", ("no", "yes")) == "yes",
        canary_urls=given.hosts("RONDA_CANARY_URLS"),
        max_upload_bytes=given.integer("RONDA_MAX_UPLOAD_BYTES", 1024, 2**40),
        max_import_bytes=given.integer("RONDA_MAX_IMPORT_BYTES", 1024, 2**40),
        max_body_bytes=given.integer("RONDA_MAX_BODY_BYTES", 1024, 2**40),
        spark_master=given.checked(
            "RONDA_SPARK_MASTER",
            lambda v: not v or v.startswith(("spark://", "local", "yarn", "k8s://")),
            "an address like spark://HOST:7077, or local[4]",
        ),
        question_threads=given.integer("RONDA_QUESTION_THREADS", 0, 1024),
        question_memory_bytes=given.integer("RONDA_QUESTION_MEMORY_BYTES", 2**27, 2**45),
        smtp_url=given.address("RONDA_SMTP_URL", ("smtp", "smtps")),
        mail_from=given.checked("RONDA_MAIL_FROM", lambda v: "@" in v, "a mail address"),
        log_format=given.choice("RONDA_LOG_FORMAT", LOG_FORMATS),
        log_level=given.choice("RONDA_LOG_LEVEL", LOG_LEVELS),
        url=given.web_address("RONDA_URL"),
        token=given.checked("RONDA_TOKEN", lambda v: v.isascii() and v.isprintable(), "one line of ASCII"),
    )
