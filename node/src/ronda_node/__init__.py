"""The node: a lent machine that fetches for Ronda. Knows nothing of Django, clients or prices."""

__version__ = "0.1.0"
