"""The same client and archive as for trust."""

from tests.trust.conftest import canary, client

__all__ = ["canary", "client"]
