"""The same client and archive as for trust."""

from tests.trust.conftest import client

__all__ = ["client"]
