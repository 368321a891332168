"""What a look is worth, and how a budget is best divided, if changes come at a constant rate.

Times in seconds, rates per second; weights count a source more or less.
"""

from __future__ import annotations

import numpy as np

from ronda.prediction.contract import Bools, Floats

BISECTIONS = 40
NARROWINGS = 16


def chance_of_change(rate: Floats, waited: Floats) -> Floats:
    chance: Floats = -np.expm1(-rate * np.maximum(waited, 0.0))
    return chance


def greedy_value(rate: Floats, waited: Floats, weight: Floats) -> Floats:
    """What a look now adds to freshness: going always to the largest gives the best periodic visits there are."""
    expected = rate * np.maximum(waited, 0.0)
    value: Floats = weight / rate * (-np.expm1(-expected) - expected * np.exp(-expected))
    return value


def wait_for_value(rate: Floats, weight: Floats, price: float) -> Floats:
    """Seconds until a look is worth `price`; infinite where it never is, because the source changes too fast."""
    low, high = np.zeros_like(rate), 60.0 / rate
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        is_worth = greedy_value(rate, middle, weight) >= price
        high = np.where(is_worth, middle, high)
        low = np.where(is_worth, low, middle)
    return np.where(weight / rate > price, high, np.inf)


def azar_rates(rate: Floats, weight: Floats, budget: float) -> Floats:
    """Azar et al.: visits a second for visits at random times, exact; what changes too fast for its weight has none."""
    order = np.argsort(weight / rate)
    ratio = (weight / rate)[order]
    root = np.sqrt(weight * rate)[order]
    # Sums over those that are kept when the first k are dropped.
    roots = np.cumsum(root[::-1])[::-1]
    rates = np.cumsum(rate[order][::-1])[::-1]
    is_kept = ratio > (roots / (budget + rates)) ** 2
    first = int(np.argmax(is_kept))
    visits = np.zeros_like(rate)
    kept = order[first:]
    visits[kept] = root[first:] * (budget + rates[first]) / roots[first] - rate[kept]
    return np.maximum(visits, 0.0)


def lambda_rates(rate: Floats, weight: Floats, budget: float) -> Floats:
    """LambdaCrawl: visits a second that minimise harmonic staleness; nobody gets none."""
    if budget <= 0 or not len(rate):
        return np.zeros_like(rate)
    # Every visit rate lies between sqrt(w L / m) - L / 2 and sqrt(w L / m), which leaves little room for m.
    root = float(np.sqrt(weight * rate).sum())
    low = 2 * np.log(root / (budget + float(rate.sum()) / 2))
    high = 2 * np.log(root / budget)
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        is_over = float(_lambda_visits(rate, weight, np.exp(middle)).sum()) > budget
        low, high = (middle, high) if is_over else (low, middle)
    return _lambda_visits(rate, weight, np.exp((low + high) / 2))


def _lambda_visits(rate: Floats, weight: Floats, multiplier: float) -> Floats:
    # Written without a difference of nearly equal numbers.
    pull = 4 * weight / (multiplier * rate)
    visits: Floats = rate * pull / (2 * (1 + np.sqrt(1 + pull)))
    return visits


def follow_chances(rate: Floats, weight: Floats, budget: float) -> Floats:
    """LambdaCrawl, sources that tell of every change: with what chance each notice is followed."""
    follow = np.ones(len(rate))
    is_open: Bools = np.ones(len(rate), dtype=np.bool_)
    while is_open.any() and budget > 0:
        share = budget * weight / (rate * weight[is_open].sum())
        is_full = is_open & (share >= 1)
        if not is_full.any():
            follow[is_open] = share[is_open]
            return follow
        # Those whose every notice is followed take what they need, and the others share what is left.
        budget -= float(rate[is_full].sum())
        is_open &= ~is_full
    follow[is_open] = 0.0
    return follow


def share_for_tellers(rate: Floats, weight: Floats, tells: Bools, budget: float) -> float:
    """How much of a budget is for following notices, so that harmonic staleness over all is least."""
    if not tells.any():
        return 0.0
    most = min(budget, float(rate[tells].sum()))
    if tells.all():
        return most

    def cost(reserved: float) -> float:
        follow = follow_chances(rate[tells], weight[tells], reserved)
        visits = lambda_rates(rate[~tells], weight[~tells], budget - reserved)
        fresh = visits / (visits + rate[~tells])
        return -float((weight[tells] * np.log(follow)).sum() + (weight[~tells] * np.log(fresh)).sum())

    low, high = 1e-6 * most, most * (1 - 1e-6)
    for _ in range(NARROWINGS):
        left, right = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, right) if cost(left) < cost(right) else (left, high)
    return (low + high) / 2
