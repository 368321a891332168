"""Benchmarks: `python -m bench.<room>`; progress on stderr, one line of JSON last on stdout.

Their peers come with `pip install -e .[test,bench]`.
"""
