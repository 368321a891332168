"""What can be wrong with a rule that somebody wrote.

InvalidInput
└── RuleRefused
    ├── SelectorLength      empty, or too long
    ├── SelectorUnclear     something in it is not understood
    ├── SelectorOpen        it breaks off
    ├── SelectorSteps       too many elements in it
    ├── FieldName           no name of a field
    ├── PatternLength       empty, or too long
    ├── PatternEverywhere   it finds the empty text
    ├── PatternUnclear      no regular expression
    └── PatternSlow         it takes too long
"""

from __future__ import annotations

from ronda.errors import InvalidInput, RondaError


class RuleRefused(InvalidInput):
    """This rule cannot be used."""

    def __init__(self, **values: object) -> None:
        self.field = "where"
        RondaError.__init__(self, values=values)


class SelectorLength(RuleRefused):
    """A selector has 1 to {most} characters."""


class SelectorUnclear(RuleRefused):
    """“{piece}” is not understood here. Use names, #id, .class, [attribute], blanks, > and commas."""


class SelectorOpen(RuleRefused):
    """It ends where another element was expected."""


class SelectorSteps(RuleRefused):
    """A selector has at most {most} elements."""


class FieldName(RuleRefused):
    """The name of a field has 1 to 100 characters, without blanks, =, & and ?."""


class PatternLength(RuleRefused):
    """A regular expression has 1 to {most} characters."""


class PatternEverywhere(RuleRefused):
    """This regular expression finds the empty text, which stands everywhere."""


class PatternUnclear(RuleRefused):
    """This regular expression is not understood: {why}"""


class PatternSlow(RuleRefused):
    """This regular expression takes too long."""
