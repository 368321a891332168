"""Ronda makes the rounds of the web: follow, fetch politely, keep every version, answer questions."""

__version__ = "0.1.0"
