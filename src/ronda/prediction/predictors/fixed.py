"""The same interval for ever: `fixed:7` every seven days, `fixed` every day."""

from __future__ import annotations

import numpy as np

from ronda.prediction.contract import DAY, Fleet, Floats, Looks, Reason, Terms
from ronda.prediction.errors import BadTerms
from ronda.prediction.intervals import IntervalRule
from ronda.prediction.wording import gettext_noop

AS_SET = gettext_noop("Every %(hours)g hours, as somebody set it.")


class Fixed(IntervalRule):
    name = "fixed"

    def __init__(self, terms: Terms) -> None:
        super().__init__(terms)
        self.days = _days(terms.argument)

    def begin(self, fleet: Fleet) -> None:
        super().begin(fleet)
        self.interval = np.full(fleet.size, self.days * DAY)

    def interval_after(self, looks: Looks) -> Floats:
        return self.interval[looks.who]

    def reason(self, who: int, now: float) -> Reason:
        return Reason(AS_SET, {"hours": self.days * 24})


def _days(argument: str) -> float:
    try:
        days = float(argument or 1)
    except ValueError:
        days = 0.0
    if not 0 < days < 36_500:
        raise BadTerms(
            f"fixed:{argument} is no number of days.", hint="Write for example fixed:7 or fixed:0.5."
        )
    return days


def make(terms: Terms) -> Fixed:
    return Fixed(terms)
