"""The owner's way to stop everything at once: a call, or a file that anybody at the machine can make."""

from __future__ import annotations

import asyncio
from pathlib import Path

from ronda_node.exchange import Exchanger
from ronda_node.slots import Slots

LOOK_SECONDS = 1.0


class KillSwitch:
    """While `path` exists nothing is fetched."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def is_pulled(self) -> bool:
        return self.path.exists()

    def pull(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.touch()

    def release(self) -> None:
        self.path.unlink(missing_ok=True)

    async def watch(self, slots: Slots, exchanger: Exchanger, *, look_seconds: float = LOOK_SECONDS) -> None:
        """Return once it was pulled, with all that ran ended and its requests given back."""
        while not self.is_pulled:
            await asyncio.sleep(look_seconds)
        slots.close(f"{self.path} exists")
        exchanger.close()
