"""Ours: learns rate, bursts, rhythm and related pages, hears signals, and goes where a look is worth most."""

from __future__ import annotations

import numpy as np

from ronda.prediction.contract import DAY, HOUR, Bools, Fleet, Floats, Ints, Looks, Reason, Terms
from ronda.prediction.errors import BadTerms
from ronda.prediction.learning.explaining import Known, sentence
from ronda.prediction.learning.population import Population
from ronda.prediction.learning.related import Related
from ronda.prediction.learning.rhythm import DAYS, Rhythm
from ronda.prediction.learning.saving import Saving, most_days
from ronda.prediction.learning.signals import Dates, Notices
from ronda.prediction.learning.states import chain
from ronda.prediction.learning.value import Value

SHORTEST_SECONDS = HOUR
LONGEST_SECONDS = 30 * DAY
# Without a budget a look is worth its cost once it is likely to save this much of a version, or this many days of
# being up to date.
PRICE = 0.1
BISECTIONS = 24
# Visits this far apart are a matter of days; hours this much quieter than others are worth waiting for.
DAYLIKE_SECONDS = 10 * HOUR
QUIET = 0.9


class Ronda:
    name = "ronda"
    learns_across = True

    def __init__(self, terms: Terms) -> None:
        self.chain = chain()
        self.value = Value(self.chain, terms.objective)
        self.price = _price(terms.argument)
        self.visits_per_day = terms.visits_per_day
        self.most_days = most_days(terms.visits_per_day or 1.0, terms.objective)

    def begin(self, fleet: Fleet) -> None:
        size = fleet.size
        self.began = fleet.began.astype(np.float64)
        self.last_look = self.began.copy()
        self.weight = fleet.weight.astype(np.float64)
        self.population = Population(self.chain, size)
        # What its own looks say of each, and what to think of it among the others.
        self.own = self.population.newcomers()
        self.spectra = self.own.copy()
        self.rhythm = Rhythm(fleet.related)
        self.related = Related(fleet.related)
        self.notices = Notices(size)
        self.dates = Dates(size)
        self.looked_by_clock = self.rhythm.clock(self.last_look, np.arange(size))
        self.changed_at = np.full(size, np.nan)
        self.typical = np.full(size, self.chain.typical(self.chain.root**2))
        self.saving = Saving(self.visits_per_day, self.began, self.most_days)
        self.worth: Floats = np.zeros(size)

    def look(self, looks: Looks) -> None:
        who, at, changed = looks.who, looks.at, looks.changed
        self.saving.spend(self.worth[who])
        begin = self.last_look[who]
        days = self._days(who, at)
        thought = self.spectra[who].astype(np.float64)
        expected = self.chain.seen(thought, days)
        self._doubt_rhythm(looks, thought)
        spectra = self.own[who].astype(np.float64)
        still = self.chain.still(spectra, days)
        push = self._push(who)
        self.related.learn(who, begin, expected, changed)
        self.notices.learn(who, begin, changed)
        dated = self.dates.believed(who, begin, at, looks.modified_at, changed)

        self.rhythm.share(who, begin, at, -np.log(np.maximum(1 - expected, 1e-9)), changed)
        found = np.flatnonzero(changed)
        if found.size:
            ends = np.where(dated, looks.modified_at, at)
            still[found] = (
                self.chain.anyway(spectra[found], days[found]) - still[found] * (1 - push[found])[:, None]
            )
            self._date(np.flatnonzero(dated), who, ends, spectra, days, still)
            begins = np.where(dated, np.maximum(begin, ends - HOUR), begin)
            self.rhythm.learn(who[found], begins[found], ends[found])
            self.changed_at[who[found]] = ends[found]
        belief = self.chain.belief(still)
        self.own[who] = self.chain.spectrum(belief)
        leant = self.population.lean(belief, who)
        self.spectra[who] = self.chain.spectrum(leant)
        self.typical[who] = self.chain.typical(leant)
        self.rhythm.settle(who)
        self.last_look[who] = at
        self.looked_by_clock[who] = self.rhythm.clock(at, who)
        if found.size:
            self.related.see(who[found], at[found], _either(expected, push)[found])
        self.population.see(who, float(at.max(initial=0.0)), self.spectra)

    def _doubt_rhythm(self, looks: Looks, thought: Floats) -> None:
        """Whether what was found is likelier by their own clocks than by everybody's."""
        last = self.last_look[looks.who]
        by_clock = self.rhythm.clock(looks.at, looks.who) - self.looked_by_clock[looks.who]
        with_it = self.chain.seen(thought, np.maximum(by_clock, 0.0))
        without = self.chain.seen(thought, (looks.at - last) / DAY)
        self.rhythm.trust.see(with_it, without, looks.changed)

    def _date(
        self, dated: Ints, who: Ints, ends: Floats, spectra: Floats, days: Floats, still: Floats
    ) -> None:
        """Where the time of the last change is known: whatever happened before it, then the change, then nothing."""
        if dated.size:
            until = np.clip(self._days(who[dated], ends[dated]), 0.0, days[dated])
            struck = self.chain.struck(self.chain.anyway(spectra[dated], until))
            still[dated] = self.chain.still(struck, days[dated] - until)

    def notice(self, who: Ints, at: Floats) -> None:
        self.notices.hear(who, at)

    def wants_notices(self, who: Ints) -> Bools:
        return np.ones(len(who), dtype=np.bool_)

    def next_visit(self, who: Ints, now: float | Floats) -> Floats:
        """The first time at which a look is worth its price, found by halving."""
        now = np.broadcast_to(np.asarray(now, dtype=np.float64), (len(who),))
        low = self.last_look[who] + SHORTEST_SECONDS
        high = self.last_look[who] + self._patience(who)
        push, spectra = self._push(who), self.spectra[who]
        price = self.price / self.weight[who]
        for _ in range(BISECTIONS):
            middle = (low + high) / 2
            is_worth = self.value.of(spectra, self._days(who, middle), push) >= price
            high = np.where(is_worth, middle, high)
            low = np.where(is_worth, low, middle)
        high = np.where(push > 0, high, self._in_the_quiet(who, high))
        return np.maximum(high, now)

    def _patience(self, who: Ints) -> Floats:
        """The longest wait: as long as the source has been followed, divided by what it changed. Calm that nobody has
        seen yet may be over soon."""
        followed = self.last_look[who] - self.began[who]
        patience: Floats = followed / (1 + self.rhythm.own[who, :DAYS].sum(axis=1))
        return np.clip(patience, DAY, LONGEST_SECONDS)

    def _in_the_quiet(self, who: Ints, due: Floats) -> Floats:
        """Where a day has quiet hours, visits a day or more apart go to the beginning of these: people publish and then
        stop, and to who comes when they have, nothing is lost."""
        quiet, begins_at = self.rhythm.quiet(who)
        before = np.floor((due - begins_at) / DAY) * DAY + begins_at
        after = before + DAY
        clock = self.rhythm.clock(due, who)
        is_nearer = clock - self.rhythm.clock(before, who) < self.rhythm.clock(after, who) - clock
        nearest = np.where(is_nearer & (before - self.last_look[who] >= DAYLIKE_SECONDS), before, after)
        is_daily = (quiet < QUIET) & (due - self.last_look[who] >= DAYLIKE_SECONDS)
        return np.where(is_daily, np.minimum(nearest, self.last_look[who] + LONGEST_SECONDS), due)

    def urgency(self, now: float) -> Floats:
        clock = self.rhythm.clock(now)
        days = self.rhythm.believed((now - self.last_look) / DAY, clock - self.looked_by_clock)
        push = _either(
            self.related.push(slice(None), self.last_look), self.notices.push(slice(None), self.last_look)
        )
        worth = self.weight * self.value.of(self.spectra, days, push)
        if self.visits_per_day is None:
            return worth
        self.worth = worth * self._timeliness(now, clock, self.visits_per_day)
        self.saving.accrue(now)
        # Where all hours are alike there is nothing to save for.
        price = self.saving.price() * self.rhythm.trust.share
        return np.where(self.worth >= price, self.worth, -np.inf)

    def _timeliness(self, now: float, clock: Floats, visits_per_day: float) -> Floats:
        """How much better than at any time a look is now: for versions at the end of busy hours, for freshness before
        quiet ones."""
        objective = self.value.objective
        timeliness = np.ones(len(clock))
        if objective > 0:
            timeliness /= self.rhythm.haste(now, clock) ** objective
        if objective < 1:
            timeliness *= self.rhythm.calm(now, self.typical, visits_per_day) ** (1 - objective)
        return timeliness

    def chance(self, who: Ints, at: Floats) -> Floats:
        unseen = self.chain.still(self._clean(who), self._days(who, at)) @ self.chain.ends
        return np.clip(1 - (1 - self._push(who)) * unseen, 0.0, 1.0)

    def reason(self, who: int, now: float) -> Reason:
        number = np.array([who])
        due = self.next_visit(number, now)
        last = self.last_look[number]
        return sentence(
            Known(
                chance=float(self.chance(number, due)[0]),
                due=float(due[0]),
                now=now,
                changed_at=float(self.changed_at[who]),
                belief=self.chain.belief(self._clean(number))[0],
                rates=self.chain.rates,
                is_looked_at=not self.population.is_new[who],
                is_told=bool(self.notices.push(number, last)[0] > 0),
                along=float(self.related.push(number, last)[0]),
                paces=self.rhythm.paces(who),
                changes=float(self.rhythm.own[who].sum() / 2),
            )
        )

    def _days(self, who: Ints, at: Floats) -> Floats:
        """Since the last look, by their own clocks as far as these are believed."""
        by_clock = self.rhythm.clock(at, who) - self.looked_by_clock[who]
        return self.rhythm.believed((at - self.last_look[who]) / DAY, by_clock)

    def _push(self, who: Ints) -> Floats:
        last = self.last_look[who]
        return _either(self.related.push(who, last), self.notices.push(who, last))

    def _clean(self, who: Ints) -> Floats:
        """Spectra of real probabilities: kept short, they are rounded, and a chance might shrink with time."""
        return self.chain.spectrum(self.chain.belief(self.spectra[who].astype(np.float64)))


def _either(one: Floats, other: Floats) -> Floats:
    return 1 - (1 - one) * (1 - other)


def _price(argument: str) -> float:
    """`ronda:0.2` goes less often than `ronda:0.05`."""
    try:
        price = float(argument or PRICE)
    except ValueError:
        price = 0.0
    if not 0 < price < 1:
        raise BadTerms(f"The price of a look is a number between 0 and 1, not {argument!r}.")
    return price


def make(terms: Terms) -> Ronda:
    return Ronda(terms)
