"""Webs that can be made: known behaviour, any size, the same for the same seed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from ronda.prediction.contract import DAY, Bools, Floats, Ints
from ronda.prediction.errors import BadTerms, NoSuchScenario
from ronda.prediction.traces import Trace, trace_of

START = datetime(2024, 1, 1, tzinfo=UTC).timestamp()  # a Monday
SOURCES_PER_SITE = 5
MOST_SOURCE_DAYS = 100_000_000


@dataclass(frozen=True)
class Web:
    """What is made: `sources` followed for `days`, by one stream of chance."""

    sources: int
    days: int
    chance: np.random.Generator

    @property
    def rates(self) -> Floats:
        """Changes a day: a median of one in five days, one source in six rarer than monthly or oftener than daily."""
        return np.exp(self.chance.normal(np.log(0.2), 1.6, self.sources)).clip(0.002, 8)


Times = tuple[Ints, Floats]


def make(scenario: str, *, sources: int = 100, days: int = 365, seed: int = 1) -> Trace:
    if scenario not in SCENARIOS:
        raise NoSuchScenario(
            f"There is no scenario {scenario!r}.", hint=f"There are: {', '.join(sorted(SCENARIOS))}."
        )
    if sources < 1 or days < 1 or sources * days > MOST_SOURCE_DAYS:
        raise BadTerms(
            f"A scenario has at least a source and a day, and at most {MOST_SOURCE_DAYS:,} days over all sources."
        )
    who, days_in = SCENARIOS[scenario](Web(sources, days, np.random.default_rng(seed)))
    # Every source is there from the start, so that all are followed for as long.
    everybody = np.arange(sources)
    names = tuple(f"{scenario}{n // SOURCES_PER_SITE}.example/{n % SOURCES_PER_SITE}" for n in range(sources))
    at = START + np.concatenate([np.zeros(sources), np.maximum(days_in * DAY, 1.0)])
    return trace_of(names, np.concatenate([everybody, who]), np.round(at, 3))


def _steadily(web: Web, rates: Floats) -> Times:
    """Changes at any time, independent of each other."""
    counts = web.chance.poisson(rates * web.days)
    who = np.repeat(np.arange(web.sources), counts)
    return who, web.chance.uniform(0, web.days, len(who))


def _kept(times: Times, is_kept: Bools) -> Times:
    return times[0][is_kept], times[1][is_kept]


def poisson(web: Web) -> Times:
    return _steadily(web, web.rates)


def workdays(web: Web) -> Times:
    """Monday to Friday between 8 and 18 o'clock."""
    rates = web.rates
    who, at = _steadily(web, rates * 7 / 5)
    day = np.floor(at)
    at = day + (8 + 10 * (at - day)) / 24
    return _kept((who, at), day % 7 < 5)


def bursts(web: Web) -> Times:
    """A change brings on average four more within hours, with long calm between."""
    who, at = _steadily(web, web.rates / 5)
    children = web.chance.poisson(4, len(who))
    parents = np.repeat(np.arange(len(who)), children)
    follow = at[parents] + web.chance.exponential(8 / 24, len(parents))
    times = np.concatenate([who, who[parents]]), np.concatenate([at, follow])
    return _kept(times, times[1] < web.days)


def seasons(web: Web) -> Times:
    """Much in two months of the year (each site its own), little in the others; as universities at enrolment."""
    who, at = _steadily(web, web.rates * 4)
    sites = np.arange(web.sources) // SOURCES_PER_SITE
    begin = web.chance.uniform(0, 365, int(sites.max()) + 1)[sites][who]
    is_season = (at - begin) % 365 < 61
    return _kept((who, at), is_season | (web.chance.random(len(who)) < 0.05))


def dying(web: Web) -> Times:
    """Each source stops for good at some time; a fifth never stops."""
    who, at = _steadily(web, web.rates)
    last = np.where(
        web.chance.random(web.sources) < 0.2, np.inf, web.chance.uniform(0, web.days, web.sources)
    )
    return _kept((who, at), at < last[who])


def halfdays(web: Web) -> Times:
    """The archive document's sites, universities mostly: each changes once on half of the days, few on weekends."""
    share = web.chance.uniform(0.448, 0.568, web.sources)
    weekend = 0.05
    is_workday = np.arange(web.days) % 7 < 5
    chances = np.where(is_workday, ((7 * share - 2 * weekend) / 5)[:, None], weekend)
    who, day = np.nonzero(web.chance.random((web.sources, web.days)) < chances)
    return who, day + web.chance.uniform(8, 18, len(who)) / 24


def coinflips(web: Web) -> Times:
    """Half of the days and nothing to learn: each day by itself, at any time."""
    who, day = np.nonzero(web.chance.random((web.sources, web.days)) < 0.5)
    return who, day + web.chance.uniform(0, 1, len(who))


def mixed(web: Web) -> Times:
    """A sixth each of the five before the document's, and silent sources."""
    kinds = [poisson, workdays, bursts, seasons, dying]
    numbers = np.arange(web.sources) // SOURCES_PER_SITE % (len(kinds) + 1)
    parts = [_kept(times, numbers[times[0]] == n) for n, times in enumerate(kind(web) for kind in kinds)]
    return np.concatenate([who for who, _ in parts]), np.concatenate([at for _, at in parts])


SCENARIOS: dict[str, Callable[[Web], Times]] = {
    made.__name__: made for made in (poisson, workdays, bursts, seasons, dying, halfdays, coinflips, mixed)
}
