"""The environment's variables as texts: which there are, and how each is read, with every mistake named."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_network
from pathlib import Path
from urllib.parse import urlsplit

from ronda.errors import InvalidInput

PREFIX = "RONDA_"
# Those of the nodes are theirs to judge.
PREFIX_OF_NODES = "RONDA_NODE_"
WEB = ("http", "https")


class ConfigurationError(InvalidInput):
    """The environment is not valid."""


@dataclass(frozen=True)
class Variable:
    """One environment variable: how it is read and what it is for."""

    name: str
    default: str
    meaning: str
    is_secret: bool = False


class Environment:
    """What is given, or else the default. Each of its methods gives the value of a variable, or says what is wrong."""

    def __init__(self, given: Mapping[str, str], variables: Sequence[Variable]) -> None:
        self._variables = {variable.name: variable for variable in variables}
        self._refuse_unknown(given)
        self._values = {v.name: given.get(v.name, "").strip() or v.default for v in variables}
        for name in self._values:
            # Bytes that are no UTF-8 come as lone surrogates; a line end would end up in URLs, headers and log lines.
            self.checked(name, str.isprintable, "one line of printable UTF-8 text")

    def _refuse_unknown(self, given: Mapping[str, str]) -> None:
        for name in given:
            if (
                name.startswith(PREFIX)
                and not name.startswith(PREFIX_OF_NODES)
                and name not in self._variables
            ):
                near = difflib.get_close_matches(name, self._variables, n=1)
                hint = f"Did you mean {near[0]}?" if near else "`ronda settings` lists the known ones."
                raise ConfigurationError(f"Unknown environment variable {name}.", field=name, hint=hint)

    def text(self, name: str) -> str:
        return self._values[name]

    def checked(self, name: str, is_valid: Callable[[str], bool], expected: str) -> str:
        value = self._values[name]
        if not is_valid(value):
            shown = "" if self._variables[name].is_secret else f", not {value!r}"
            raise ConfigurationError(f"{name} must be {expected}{shown}.", field=name)
        return value

    def folder(self, name: str) -> Path:
        try:
            return Path(self._values[name]).expanduser().absolute()
        except (RuntimeError, OSError) as error:
            raise ConfigurationError(f"{name}: {str(error).rstrip('.')}.", field=name) from None

    def choice(self, name: str, choices: tuple[str, ...]) -> str:
        return self.checked(name, lambda v: v in choices, "one of " + ", ".join(choices))

    def integer(self, name: str, low: int, high: int) -> int:
        def is_valid(value: str) -> bool:
            return len(value) < 20 and value.isascii() and value.isdigit() and low <= int(value) <= high

        return int(self.checked(name, is_valid, f"a whole number from {low} to {high}"))

    def number(self, name: str, low: float, high: float) -> float:
        def is_valid(value: str) -> bool:
            try:
                return low <= float(value) <= high
            except ValueError:
                return False

        return float(self.checked(name, is_valid, f"a number from {low} to {high}"))

    def address(self, name: str, schemes: tuple[str, ...]) -> str:
        beginnings = " or ".join(f"{scheme}://" for scheme in schemes)
        expected = f"an address like {schemes[0]}://HOST:PORT (it starts with {beginnings})"
        return self.checked(name, lambda value: not value or _is_address(value, schemes), expected)

    def web_address(self, name: str) -> str:
        return self.address(name, WEB).rstrip("/")

    def hosts(self, name: str) -> str:
        """Web addresses without a path, separated by spaces."""
        for one in self._values[name].split():
            if not _is_address(one, WEB):
                raise ConfigurationError(
                    f"{name} must be addresses like http://HOST:PORT, not {one!r}.", field=name
                )
            parts = urlsplit(one.rstrip("/"))
            if parts.path or parts.query or parts.username:
                raise ConfigurationError(f"{name} takes hosts without a path, not {one!r}.", field=name)
        return self._values[name]

    def networks(self, name: str) -> str:
        return self.checked(name, _are_networks, "addresses or networks, like 10.0.0.5,172.16.0.0/12")

    def contact(self, name: str) -> str:
        return self.checked(name, _is_contact, "a mail address or an http(s) address")


def _is_address(value: str, schemes: tuple[str, ...]) -> bool:
    try:
        parts = urlsplit(value)
        # Reading the port checks it.
        return parts.scheme in schemes and parts.port != 0 and bool(parts.netloc or parts.query)
    except ValueError:
        return False


def _are_networks(value: str) -> bool:
    try:
        return all(ip_network(word.strip()) for word in value.split(",")) if value else True
    except ValueError:
        return False


def _is_contact(value: str) -> bool:
    name, at, host = value.partition("@")
    is_mail = bool(name and at and host) and not any(character in value for character in ' <>"')
    return not value or value.startswith(("https://", "http://")) or is_mail
