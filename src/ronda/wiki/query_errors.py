"""What can go wrong with a question to the histories.

InvalidInput
└── BadQuery            the question cannot be asked like this
    └── RefusedSql      SQL that is not a SELECT over the tables there are
Conflict
└── QueryTooHeavy       it took more time or memory than a question may take
TooMany
└── QueriesBusy         others' questions are being answered
"""

from __future__ import annotations

from ronda.errors import Conflict, InvalidInput, TooMany


class BadQuery(InvalidInput):
    """The question cannot be answered as it was asked."""


class RefusedSql(BadQuery):
    """Only SELECT over revisions, texts and articles is taken."""


class QueryTooHeavy(Conflict):
    """The question took too long or too much memory, and was stopped. Narrow it down."""


class QueriesBusy(TooMany):
    """Other questions are being answered. Try again shortly."""
