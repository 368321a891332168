"""Benchmarks: `python -m bench.<room>`; progress on stderr, one line of JSON last on stdout.

Their peers come with `pip install -e .[test,bench]`.
"""

import ronda  # noqa: F401  (before numpy, which then keeps to one core as it does in Ronda)
