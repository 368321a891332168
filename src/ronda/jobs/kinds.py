"""The kinds of jobs there are. A room registers its own: a name, what it takes, who may start it, and what it does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from ronda.accounts.roles import Role
from ronda.errors import InvalidInput
from ronda.http.inputs import Input
from ronda.jobs.errors import NoSuchKind

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

    from ronda.jobs.run import JobRun


class Arguments(Input):
    """What a kind of job takes; unknown names are refused."""


@dataclass(frozen=True)
class JobKind:
    name: str
    title: str | _StrPromise
    arguments: type[Arguments]
    role: Role
    work: Callable[[JobRun, Any], dict[str, Any] | None]

    def parse(self, arguments: dict[str, Any]) -> Arguments:
        try:
            return self.arguments.model_validate(arguments)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            place = ".".join(["arguments", *map(str, first["loc"])])
            raise InvalidInput(f"{place}: {first['msg']}.", field=place) from error


_kinds: dict[str, JobKind] = {}


def register(kind: JobKind) -> JobKind:
    if kind.name in _kinds:
        raise ValueError(f"job kind {kind.name} is registered twice")
    _kinds[kind.name] = kind
    return kind


def kind_named(name: str) -> JobKind:
    if name not in _kinds:
        known = ", ".join(sorted(_kinds))
        raise NoSuchKind(f"There is no kind of job called {name!r}; there are: {known}.", field="kind")
    return _kinds[name]


def all_kinds() -> tuple[JobKind, ...]:
    return tuple(_kinds[name] for name in sorted(_kinds))
