"""Log lines: one JSON object each, or readable; both carry the request id and the process they came from."""

from __future__ import annotations

import json
import logging
import logging.config
import re
import sys
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

# Where a request carries its id, taken from a proxy or given by us (ronda.http.request_ids).
ID_KEY = "HTTP_X_REQUEST_ID"

request_id: ContextVar[str] = ContextVar("request_id", default="")

# What a LogRecord carries anyway; anything else was given through `extra` and belongs into the line.
_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {
    "message",
    "asctime",
    "taskName",
    "request_id",
    "process_name",
}


# What stands in these paths lets somebody in.
_SECRET_PATHS = re.compile(r"(/login/once|/recover|/register)/[^\s?]+")


def without_secrets(text: str) -> str:
    return _SECRET_PATHS.sub(r"\1/…", text)


def printable(text: str) -> str:
    """Control characters spelt out: what somebody sends must not look like lines of ours, nor steer a terminal."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


class ContextFilter(logging.Filter):
    """Adds the request id and the process's name to every record."""

    def __init__(self, process_name: str) -> None:
        super().__init__()
        self.process_name = process_name

    def filter(self, record: logging.LogRecord) -> bool:
        identifier = getattr(record, "request_id", "") or request_id.get()
        if request := record.__dict__.pop("request", None):
            # Django's own lines name the request; some are written when its id is no longer about.
            identifier = identifier or getattr(request, "META", {}).get(ID_KEY, "")
            record.msg, record.args = without_secrets(record.getMessage()), ()
        record.request_id = identifier
        record.process_name = self.process_name
        return True


class JsonFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "process": getattr(record, "process_name", ""),
            "pid": record.process,
            "logger": record.name,
            "message": record.getMessage(),
        }
        if identifier := getattr(record, "request_id", ""):
            line["request_id"] = identifier
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        line.update({k: v for k, v in vars(record).items() if k not in _STANDARD and k not in line})
        return json.dumps(line, default=str, ensure_ascii=False)


class TextFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        moment = datetime.fromtimestamp(record.created).astimezone().strftime("%H:%M:%S")
        identifier = getattr(record, "request_id", "")
        level, process = record.levelname.lower(), getattr(record, "process_name", "")
        line = f"{moment} {level:7} {process:9} {_indented(record.getMessage())}"
        if identifier:
            line += f" [{identifier}]"
        if record.exc_info:
            line += "\n    " + _indented(self.formatException(record.exc_info))
        return line


def _indented(text: str) -> str:
    """Only a line of ours begins at the margin."""
    return "\n    ".join(printable(line) for line in text.split("\n"))


def configure(
    *, process_name: str, log_format: str, log_level: str, stream: SupportsWrite[str] | None = None
) -> None:
    """Send everything to standard error (or `stream`), in one format, for this process."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonFormatter() if log_format == "json" else TextFormatter())
    handler.addFilter(ContextFilter(process_name))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(log_level.upper())
    for chatty in ("procrastinate", "axes", "uvicorn.access", "asyncio", "psycopg.pool"):
        logging.getLogger(chatty).setLevel("DEBUG" if log_level == "debug" else "WARNING")
    # Its lines about 4xx repeat ours (ronda.requests).
    logging.getLogger("django.request").setLevel("ERROR")
    logging.captureWarnings(True)
