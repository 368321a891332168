"""The archive document's rule: a day longer after every unchanged look, 24 to 720 hours; back to 24 on a change."""

from __future__ import annotations

import numpy as np

from ronda.prediction.contract import DAY, Floats, Looks, Reason, Terms
from ronda.prediction.intervals import IntervalRule
from ronda.prediction.wording import gettext_noop

STEP_SECONDS = DAY
LIVELY = gettext_noop("It is new, has changed, or somebody says so: again after a day.")
CALM = gettext_noop("Looks in a row that found nothing: %(looks)d. Again after %(days)d days.")


class Simple(IntervalRule):
    name = "simple"

    def interval_after(self, looks: Looks) -> Floats:
        longer = np.minimum(self.interval[looks.who] + STEP_SECONDS, self.longest_seconds)
        return np.where(looks.changed, self.shortest_seconds, longer)

    def reason(self, who: int, now: float) -> Reason:
        days = float(self.interval[who]) / DAY
        if days <= 1:
            return Reason(LIVELY)
        return Reason(CALM, {"looks": round(days - 1), "days": round(days)})


def make(terms: Terms) -> Simple:
    return Simple(terms)
