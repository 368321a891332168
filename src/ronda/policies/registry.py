"""The list of policies. A room declares its own; pages, API and checks are made from this list."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from typing import TYPE_CHECKING

from ronda.errors import InvalidInput

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

# Amounts of credits are whole millionths; of seconds, nobody means less.
MOST_DECIMALS = 6

Value = bool | int | str | Decimal


class Kind(StrEnum):
    YES_NO = "yes/no"
    WHOLE = "whole number"
    AMOUNT = "amount"
    ONE_OF = "one of"
    SOME_OF = "some of"


@dataclass(frozen=True)
class Policy:
    """One choice: its name in the API, how it is shown, and what values it takes."""

    name: str
    group: str | _StrPromise
    title: str | _StrPromise
    meaning: str | _StrPromise
    kind: Kind
    default: Value
    unit: str | _StrPromise = ""
    low: int | None = None
    high: int | None = None
    choices: tuple[str, ...] = field(default=())

    def parse(self, raw: object) -> Value:
        """The value that was meant, or a clear refusal."""
        match self.kind:
            case Kind.YES_NO:
                return self._yes_no(raw)
            case Kind.WHOLE:
                return self._whole(raw)
            case Kind.AMOUNT:
                return self._amount(raw)
            case Kind.ONE_OF:
                return self._one_of(raw)
            case Kind.SOME_OF:
                return self._some_of(raw)

    def _refusal(self, expected: str) -> InvalidInput:
        return InvalidInput(f"{self.name} must be {expected}.", field="value")

    def _yes_no(self, raw: object) -> bool:
        known = {
            "true": True,
            "yes": True,
            "1": True,
            "on": True,
            "false": False,
            "no": False,
            "0": False,
            "off": False,
        }
        try:
            return known[str(raw).strip().lower()]
        except KeyError:
            raise self._refusal("true or false") from None

    def _within(self, value: int | Decimal) -> None:
        if (self.low is not None and value < self.low) or (self.high is not None and value > self.high):
            raise self._refusal(f"from {self.low} to {self.high}")

    def _whole(self, raw: object) -> int:
        try:
            value = int(str(raw).strip())
        except ValueError:
            raise self._refusal("a whole number") from None
        self._within(value)
        return value

    def _amount(self, raw: object) -> Decimal:
        try:
            value = Decimal(str(raw).strip())
        except InvalidOperation:
            raise self._refusal("a number") from None
        if not value.is_finite():
            raise self._refusal("a number")
        self._within(value)
        if value != round(value, MOST_DECIMALS):
            raise self._refusal(f"a number with at most {MOST_DECIMALS} decimals")
        return value

    def _one_of(self, raw: object) -> str:
        if str(raw) not in self.choices:
            raise self._refusal("one of " + ", ".join(self.choices))
        return str(raw)

    def _some_of(self, raw: object) -> str:
        words = [str(word) for word in raw] if isinstance(raw, list) else str(raw).split()
        if unknown := [word for word in words if word not in self.choices]:
            raise self._refusal(f"words out of {', '.join(self.choices)}, not {', '.join(unknown)}")
        return " ".join(word for word in self.choices if word in words)


_policies: dict[str, Policy] = {}


def register(policy: Policy) -> Policy:
    if policy.name in _policies:
        raise ValueError(f"policy {policy.name} is declared twice")
    _policies[policy.name] = policy
    return policy


def all_policies() -> tuple[Policy, ...]:
    return tuple(_policies.values())


def policy_named(name: str) -> Policy | None:
    return _policies.get(name)
