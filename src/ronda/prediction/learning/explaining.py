"""The sentence why a source will be visited when."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from ronda.prediction.contract import DAY, Floats, Reason
from ronda.prediction.wording import gettext_noop

NEW = gettext_noop("Not known yet: looked at once so far.")
TOLD = gettext_noop("Somebody said that it changed.")
ALONG = gettext_noop("Another page of the site changed: %(percent).0f %% likely that this one did, too.")
BURST = gettext_noop("Changes often just now: %(percent).0f %% likely by %(time)s UTC.")
NEVER = gettext_noop("No change seen so far.")
SILENT = gettext_noop("Last changed %(days).0f days ago, and hardly ever does.")
STEADY = gettext_noop("Changes about every %(days).1f days: %(percent).0f %% likely by then.")
OFTEN = gettext_noop("Changes about %(times).0f times a day: %(percent).0f %% likely by then.")
WORKING_DAYS = (
    gettext_noop("Changes on weekday nights: %(percent).0f %% by %(time)s UTC."),
    gettext_noop("Changes on weekday mornings: %(percent).0f %% by %(time)s UTC."),
    gettext_noop("Changes on weekday afternoons: %(percent).0f %% by %(time)s UTC."),
    gettext_noop("Changes on weekday evenings: %(percent).0f %% by %(time)s UTC."),
)
ANY_DAY = (
    gettext_noop("Changes at night: %(percent).0f %% by %(time)s UTC."),
    gettext_noop("Changes in the morning: %(percent).0f %% by %(time)s UTC."),
    gettext_noop("Changes in the afternoon: %(percent).0f %% by %(time)s UTC."),
    gettext_noop("Changes in the evening: %(percent).0f %% by %(time)s UTC."),
)
ON_WORKING_DAYS = gettext_noop("Changes on weekdays: %(percent).0f %% by %(time)s UTC.")
ON_WEEKENDS = gettext_noop("Changes on weekends: %(percent).0f %% by %(time)s UTC.")
ONE_DAY = (
    gettext_noop("Changes mostly on Mondays: %(percent).0f %% by %(time)s UTC."),
    gettext_noop("Changes mostly on Tuesdays: %(percent).0f %% by %(time)s UTC."),
    gettext_noop("Changes mostly on Wednesdays: %(percent).0f %% by %(time)s UTC."),
    gettext_noop("Changes mostly on Thursdays: %(percent).0f %% by %(time)s UTC."),
    gettext_noop("Changes mostly on Fridays: %(percent).0f %% by %(time)s UTC."),
    gettext_noop("Changes mostly on Saturdays: %(percent).0f %% by %(time)s UTC."),
    gettext_noop("Changes mostly on Sundays: %(percent).0f %% by %(time)s UTC."),
)

SATURDAY = 5
# Whom a habit is said of: enough changes, and most of them at such times.
CHANGES_FOR_A_HABIT = 4.0
MOST = 0.6
SILENT_DAYS = 60.0


@dataclass(frozen=True)
class Known:
    """What is known of one source: `along` the chance that it changed along with its site, `paces` of its days and
    hours, `changes` seen whose time is known well enough."""

    chance: float
    due: float
    now: float
    changed_at: float
    belief: Floats
    rates: Floats
    is_looked_at: bool
    is_told: bool
    along: float
    paces: tuple[Floats, Floats]
    changes: float


def sentence(known: Known) -> Reason:
    percent = 100 * known.chance
    values: dict[str, str | int | float] = {
        "percent": percent,
        "time": f"{datetime.fromtimestamp(known.due, UTC):%H:%M}",
    }
    if known.is_told:
        return Reason(TOLD)
    if known.along >= 0.1:
        return Reason(ALONG, {"percent": 100 * known.along})
    if not known.is_looked_at:
        return Reason(NEW)
    if np.isnan(known.changed_at):
        return Reason(NEVER)
    if (known.now - known.changed_at) / DAY > SILENT_DAYS:
        return Reason(SILENT, {"days": (known.now - known.changed_at) / DAY})
    if _is_bursting(known):
        return Reason(BURST, values)
    habit = _habit(*known.paces) if known.changes >= CHANGES_FOR_A_HABIT else None
    if habit is not None:
        return Reason(habit, values)
    rate = 2 ** float(known.belief @ np.log2(known.rates))
    if rate > 1.5:
        return Reason(OFTEN, {"times": rate, "percent": percent})
    return Reason(STEADY, {"days": 1 / rate, "percent": percent})


def _is_bursting(known: Known) -> bool:
    """The last third of the states are bursts."""
    return bool(known.belief[-(len(known.belief) // 3) :].sum() > 0.5)


def _habit(days: Floats, hours: Floats) -> str | None:
    """In which part of the week most of the changes come, if in any."""
    by_day, by_hour = days / days.sum(), hours / hours.sum()
    parts = by_hour.reshape(4, 6).sum(axis=1)
    part = int(parts.argmax()) if parts.max() >= MOST else None
    if by_day.max() >= MOST:
        return ONE_DAY[int(by_day.argmax())]
    weekend = float(by_day[SATURDAY:].sum())
    if weekend >= MOST:
        return ON_WEEKENDS
    if weekend <= 0.5 * 2 / 7:
        return ON_WORKING_DAYS if part is None else WORKING_DAYS[part]
    return None if part is None else ANY_DAY[part]
