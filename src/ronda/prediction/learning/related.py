"""Pages of a site change together: a change seen on one makes it likelier that the others changed as well.

How likely is learnt per site from looks at pages after another had changed, against what was expected of them anyway;
it is believed as far as it has helped to foresee what was found.
"""

from __future__ import annotations

import numpy as np

from ronda.prediction.contract import DAY, Bools, Floats, Ints
from ronda.prediction.learning.trust import Trust

FIRST_CHANCE = 0.1
# As many looks as the first guess weighs against all sites', and all sites' against one site's.
FIRST_WEIGHT = 10.0
SITE_WEIGHT = 5.0
HIGHEST_CHANCE = 0.95


class Related:
    """Of every site: when a change was last seen, how much of a surprise it was, and what came of such surprises."""

    def __init__(self, related: Ints) -> None:
        self.related = related
        sites = int(related.max(initial=-1)) + 1
        self.changed_at: Floats = np.full(sites, -np.inf)
        self.surprise: Floats = np.zeros(sites)
        self.gained: Floats = np.zeros(sites)
        self.tried: Floats = np.zeros(sites)
        # The larger a site, the less one page says about another.
        pages = np.bincount(related, minlength=sites)
        self.likeness: Floats = np.sqrt(2 / np.maximum(pages, 2))
        self.has_others = bool((pages > 1).any())
        self.trust = Trust()

    def chances(self, sites: Ints) -> Floats:
        """That a page changed because another of its site did, at full surprise."""
        everywhere = (self.gained.sum() + FIRST_CHANCE * FIRST_WEIGHT) / (self.tried.sum() + FIRST_WEIGHT)
        here = self.gained[sites] + max(everywhere, 0.0) * self.likeness[sites] * SITE_WEIGHT
        chances: Floats = np.clip(here / (self.tried[sites] + SITE_WEIGHT), 0.0, HIGHEST_CHANCE)
        return chances

    def pending(self, who: Ints | slice, last_look: Floats) -> Floats:
        """The surprise of a change at the site since the last look at these; mostly nothing."""
        sites = self.related[who]
        pending: Floats = np.where(self.changed_at[sites] > last_look, self.surprise[sites], 0.0)
        return pending

    def push(self, who: Ints | slice, last_look: Floats) -> Floats:
        """The probability that these changed along with their site, on top of their own."""
        if not self.has_others:
            return np.zeros(len(last_look))
        push = self.pending(who, last_look)
        moved = np.flatnonzero(push)
        if moved.size:
            sites = self.related[who][moved]
            push[moved] *= self.trust.share * self.chances(sites)
        return push

    def learn(self, who: Ints, last_look: Floats, expected: Floats, changed: Bools) -> None:
        """What looks at these found, where there was a surprise; `expected` without it."""
        surprise = self.pending(who, last_look)
        moved = np.flatnonzero(surprise)
        if moved.size:
            sites, weight = self.related[who[moved]], surprise[moved]
            anyway = expected[moved]
            along = 1 - (1 - anyway) * (1 - weight * self.chances(sites))
            self.trust.see(along, anyway, changed[moved])
            np.add.at(self.gained, sites, weight * (changed[moved] - expected[moved]))
            np.add.at(self.tried, sites, weight**2 * (1 - expected[moved]))

    def see(self, who: Ints, at: Floats, expected: Floats) -> None:
        """These changed. A page that changes all the time is no news to others; the larger surprise stays for a day."""
        sites, surprise = self.related[who], 1 - expected
        # Sorted so that the last of each site is its greatest surprise.
        order = np.lexsort((surprise, sites))
        order = order[np.append(sites[order][1:] != sites[order][:-1], True)]
        sites, surprise, at = sites[order], surprise[order], at[order]
        faded = self.surprise[sites] * np.exp(-(at - self.changed_at[sites]) / DAY)
        is_greater = surprise >= faded
        self.changed_at[sites[is_greater]] = at[is_greater]
        self.surprise[sites[is_greater]] = surprise[is_greater]
