"""Sources that behave alike: by how often they change, as the archive document groups them, and by how."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from ronda.prediction.calendar import day_number, is_weekend
from ronda.prediction.contract import DAY, Bools, Floats

HIGH_ABOVE = 0.7
LOW_BELOW = 0.4

# With less nothing is said of how a source behaves.
FEWEST_DAYS = 14
FEWEST_LOOKS = 5
FEWEST_CHANGES = 8

SILENT_DAYS = 60
SILENT_GAPS = 5
# Only looks that followed closely say on which day a change came, or that it followed another.
CLOSE_SECONDS = 1.5 * DAY
WORKING_DAY_DOUBT = 0.01
WORKING_DAY_SHARE = 0.12
# How far from chance runs of changes and their gaps must be, in standard deviations.
BURSTY_DEVIATIONS = 3.0
BURSTY_RATIO = 1.5
SEASON_DAYS = 122
SEASON_SHARE = 0.75
SEASON_NEEDS_DAYS = 300
SEASON_NEEDS_CHANGES = 12
YEAR_DAYS = 365.25


class Frequency(StrEnum):
    """By the share of days with a change: above 0.7, 0.4 to 0.7, below 0.4."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Behaviour(StrEnum):
    STEADY = "steady"
    WORKING_DAY = "working-day"
    BURSTY = "bursty"
    SEASONAL = "seasonal"
    SILENT = "silent"
    ERRATIC = "erratic"


@dataclass(frozen=True)
class Profile:
    """`share` of the observed days on which a change was seen. `behaviour`: none where too little was seen.

    `gap_variation`: standard deviation of the times between changes over their mean; 1 where they come by chance.
    """

    observed_days: float
    changes: int
    share: float
    frequency: Frequency
    behaviour: Behaviour | None
    gap_variation: float | None
    weekend_share: float | None


@dataclass(frozen=True)
class _Seen:
    """Looks at one source: a change is put in the middle between the look that found it and the one before."""

    at: Floats
    changed: Bools

    @property
    def days(self) -> float:
        return float(self.at[-1] - self.at[0]) / DAY if len(self.at) else 0.0

    @property
    def waits(self) -> Floats:
        return np.diff(self.at)

    @property
    def middles(self) -> Floats:
        middles: Floats = (self.at[1:] + self.at[:-1]) / 2
        return middles

    @property
    def changes(self) -> Floats:
        return self.middles[self.changed[1:]]


def profile(at: Floats, changed: Bools) -> Profile:
    """Of one source: all looks at it in the order of time, seconds since 1970; the first is what there was."""
    seen = _Seen(at, changed)
    share = change_share(seen.changes, seen.days)
    return Profile(
        observed_days=seen.days,
        changes=len(seen.changes),
        share=share,
        frequency=frequency_group(share),
        behaviour=_behaviour(seen),
        gap_variation=_gap_variation(seen.changes),
        weekend_share=float(is_weekend(day_number(seen.changes)).mean()) if len(seen.changes) else None,
    )


def change_share(changes: Floats, observed_days: float) -> float:
    """P(x): days with a change by days observed."""
    changed_days = len(np.unique(day_number(changes)))
    return min(1.0, changed_days / max(observed_days, 1.0))


def frequency_group(share: float) -> Frequency:
    """0.4 and 0.7 themselves, which the document puts nowhere, are medium."""
    if share > HIGH_ABOVE:
        return Frequency.HIGH
    return Frequency.LOW if share < LOW_BELOW else Frequency.MEDIUM


def _behaviour(seen: _Seen) -> Behaviour | None:
    if seen.days < FEWEST_DAYS or len(seen.at) < FEWEST_LOOKS:
        return None
    if _is_seasonal(seen):
        return Behaviour.SEASONAL
    if _is_silent(seen):
        return Behaviour.SILENT
    if len(seen.changes) < FEWEST_CHANGES:
        return None
    if _keeps_working_days(seen):
        return Behaviour.WORKING_DAY
    if _is_bursty(seen):
        return Behaviour.BURSTY
    return Behaviour.STEADY if _is_level(seen) else Behaviour.ERRATIC


def _is_silent(seen: _Seen) -> bool:
    """Never seen to change, or not for long, measured by what it used to do."""
    if not len(seen.changes):
        return True
    calm_days = float(seen.at[-1] - seen.changes[-1]) / DAY
    gaps = np.diff(seen.changes, prepend=seen.at[0]) / DAY
    return calm_days > max(SILENT_DAYS, SILENT_GAPS * float(gaps.mean()))


def _is_seasonal(seen: _Seen) -> bool:
    """Most changes in the same third of every year, with calm before it."""
    if seen.days < SEASON_NEEDS_DAYS or len(seen.changes) < SEASON_NEEDS_CHANGES:
        return False
    place = seen.changes / DAY % YEAR_DAYS
    begins = np.unique(np.floor(place))
    inside = ((place[None, :] - begins[:, None]) % YEAR_DAYS) < SEASON_DAYS
    best = int(inside.sum(axis=1).argmax())
    if inside[best].mean() < SEASON_SHARE:
        return False
    years = np.unique(np.floor((seen.changes / DAY - begins[best]) / YEAR_DAYS)[inside[best]])
    if len(years) >= 2:
        # Every year has its season; one lively time years ago makes none.
        return len(years) >= math.floor(seen.days / YEAR_DAYS)
    # Of a single year, a source that only stopped would look the same: there must have been calm before.
    first = float(seen.changes[inside[best]].min() - seen.at[0]) / DAY
    return first > SILENT_DAYS


def _keeps_working_days(seen: _Seen) -> bool:
    """Clearly fewer changes come at weekends than looks watch over them."""
    is_close = seen.waits <= CLOSE_SECONDS
    weekend = is_weekend(day_number(seen.middles[is_close]))
    changed = seen.changed[1:][is_close]
    count, at_weekends = int(changed.sum()), int((changed & weekend).sum())
    if count < FEWEST_CHANGES or not weekend.any() or at_weekends > WORKING_DAY_SHARE * count:
        return False
    return _chance_of_at_most(at_weekends, count, float(weekend.mean())) < WORKING_DAY_DOUBT


def _chance_of_at_most(count: int, of: int, chance: float) -> float:
    """Of a binomial distribution, in logarithms: years of looks have coefficients beyond any float."""
    if chance >= 1:
        return float(count >= of)
    chances = (
        math.lgamma(of + 1)
        - math.lgamma(k + 1)
        - math.lgamma(of - k + 1)
        + k * math.log(chance)
        + (of - k) * math.log1p(-chance)
        for k in range(count + 1)
    )
    return math.fsum(map(math.exp, chances))


def _is_bursty(seen: _Seen) -> bool:
    """Changes come together: gaps vary more than by chance, or a change is likelier right after one."""
    variation = _gap_variation(seen.changes) or 0.0
    if variation > 1 + BURSTY_DEVIATIONS / math.sqrt(len(seen.changes)):
        return True
    is_close = seen.waits[1:] <= CLOSE_SECONDS
    before, after = seen.changed[1:-1][is_close], seen.changed[2:][is_close]
    share = float(after.mean()) if len(after) else 0.0
    tries, again = int(before.sum()), int((before & after).sum())
    expected = tries * share
    if not 0 < share < 1 or again < BURSTY_RATIO * expected:
        return False
    return again - expected > BURSTY_DEVIATIONS * math.sqrt(expected * (1 - share))


def _is_level(seen: _Seen) -> bool:
    """About as many changes in the second half as in the first."""
    middle = (seen.at[0] + seen.at[-1]) / 2
    count = len(seen.changes)
    later = int((seen.changes > middle).sum())
    return abs(later - count / 2) <= 3 * math.sqrt(count) / 2


def _gap_variation(changes: Floats) -> float | None:
    if len(changes) < FEWEST_CHANGES:
        return None
    gaps = np.diff(changes)
    return float(gaps.std() / gaps.mean())
