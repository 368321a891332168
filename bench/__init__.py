"""Benchmarks: `python -m bench.<room> [--quick]`; progress on stderr, one line of JSON last on stdout."""
