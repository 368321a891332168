"""Addresses that the console and the replay role agree on; apart, as that role runs without Django."""

from __future__ import annotations

# In the replay's origin: where a ticket becomes a pass.
ENTER_PATH = "/_ronda/enter"
# In the console: where somebody without a pass asks for one.
ASK_PATH = "/replay/open"
PASS_SECONDS = 3600
