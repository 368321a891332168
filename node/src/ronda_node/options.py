"""What the owner can say about a node: one table that feeds the command, the environment and the reference page."""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ronda_node.allowance import Hours
from ronda_node.home import usual_home
from ronda_node.quantities import bytes_of, bytes_per_second_of
from ronda_node.settings import Settings


@dataclass(frozen=True)
class Option:
    """`--slots 8` or RONDA_NODE_SLOTS=8. `field` is that of `Settings`."""

    flag: str
    field: str
    metavar: str
    meaning: str
    parse: Callable[[str], Any] = str
    default: str = ""

    @property
    def is_switch(self) -> bool:
        """On the command line it stands alone; its variable is yes or no."""
        return self.parse is _yes

    @property
    def variable(self) -> str:
        return f"RONDA_NODE_{self.flag.upper().replace('-', '_')}"


def _token(text: str) -> str:
    text = text.strip()
    if not (text and text.isascii() and text.isprintable()):
        raise ValueError("A token is one line of printable ASCII.")
    return text


def _slots(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= 256):
        raise ValueError(f"{text!r} is no number from 1 to 256")
    return int(text)


def _seconds(text: str) -> float:
    if not re.fullmatch(r"[0-9]{1,6}(\.[0-9]+)?", text) or not float(text):
        raise ValueError(f"{text!r} is no number of seconds")
    return float(text)


def _country(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z]{2}", text):
        raise ValueError(f"{text!r} is no country of two letters, like CL or DE")
    return text.upper()


def _hours(text: str) -> Hours:
    return Hours.parse(text)


def _web_address(text: str) -> str:
    if not text.startswith(("http://", "https://")):
        raise ValueError(f"{text!r} does not start with http:// or https://")
    return text.rstrip("/")


def _yes(text: str) -> bool:
    if text.lower() not in ("yes", "no"):
        raise ValueError(f"{text!r} is neither yes nor no")
    return text.lower() == "yes"


URL = Option("url", "url", "URL", "Address of the Ronda, like https://ronda.example.", _web_address)
HOME = Option(
    "home",
    "home",
    "FOLDER",
    "Where the node keeps what must outlive it; one node a folder.",
    Path,
    "~/.local/state/ronda-node",
)
OPTIONS: tuple[Option, ...] = (
    Option("token", "token", "TOKEN", "Your API token, from the console's Tokens page. Required.", _token),
    Option("name", "name", "NAME", "Name of this machine.", default="its host name"),
    HOME,
    Option("slots", "slots", "N", "Hosts asked at a time, 1 to 256.", _slots, "found by trying"),
    Option("bandwidth", "bytes_per_second", "SPEED", "Most the line is used, like 2MB/s.", bytes_per_second_of),
    Option(
        "bytes-per-month", "bytes_per_month", "AMOUNT", "Most that is received and sent a month, like 50GB.", bytes_of
    ),
    Option("hours", "hours", "HOURS", "When it may work, by this machine's clock, like 22-7.", _hours, "always"),
    Option("country", "country", "CC", "Where this machine is, like CL.", _country, "what the server thinks"),
    Option("response-bytes", "response_bytes", "AMOUNT", "Longer answers are cut off.", bytes_of, "32MiB"),
    Option(
        "response-seconds", "response_seconds", "SECONDS", "Slower answers are cut off, if the server allows as much.",
        _seconds, "120",
    ),
    Option("log", "log_path", "FILE", "Where every URL fetched is written down.", Path, "fetches.jsonl in its home"),
    Option("log-bytes", "log_bytes", "AMOUNT", "Most that the log takes; the oldest lines go.", bytes_of, "500MiB"),
    Option(
        "allow-private-networks", "allow_private_networks", "",
        "yes: also fetch from private addresses, if the server wants it too. For trying things out only.", _yes, "no",
    ),
)  # fmt: skip


def settings_of(given: Mapping[str, str | None], environment: Mapping[str, str]) -> Settings:
    """What was given goes before the environment; raises ValueError with what is wrong where."""
    values: dict[str, Any] = {}
    known = {option.variable for option in (URL, *OPTIONS)}
    for name in environment:
        if name.startswith("RONDA_NODE_") and name not in known:
            raise ValueError(f"{name} is none of the variables of a node")
    for option in (URL, *OPTIONS):
        text = given.get(option.field)
        where = option.metavar if option is URL else f"--{option.flag}"
        if text is None:
            text, where = environment.get(option.variable, ""), option.variable
        if not text:
            continue
        try:
            values[option.field] = option.parse(text)
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from None
    for option in (URL, OPTIONS[0]):
        if option.field not in values:
            raise ValueError(f"say the {option.flag}, or set {option.variable}")
    values.setdefault("name", socket.gethostname())
    values.setdefault("home", usual_home())
    return Settings(**values)
