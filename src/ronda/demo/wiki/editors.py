"""Who edits the demo wiki: a few prolific people, many others, bots, and addresses without an account."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

FIRST_USER_ID = 20
ANONYMOUS_SHARE = 0.18


@dataclass(frozen=True, slots=True)
class Editor:
    """An account, or an address when `user_id` is 0."""

    name: str
    user_id: int = 0
    is_bot: bool = False

    @property
    def is_anonymous(self) -> bool:
        return self.user_id == 0


_NAMES = (
    *("Marisol", "Quillkeeper", "Old Salt", "Benbow", "Tamarindo", "Ríos de tinta", "Palimpsest", "Lanterna"),
    *("Gaviota", "Footnote Fan", "Ceiba", "Harbour Master", "Nimbus", "Cartógrafa", "Inkwell", "Sextant"),
    *("Araguaney", "Plain Jane", "Doubloon", "Colibrí", "Marginalia", "Topsail", "Samán", "Errata"),
)
ACCOUNTS = tuple(Editor(name, FIRST_USER_ID + number) for number, name in enumerate(_NAMES))
VANDAL_BOT = Editor("VigíaBot", 11, is_bot=True)
LINK_BOT = Editor("LinkMenderBot", 12, is_bot=True)
ADMINISTRATOR = Editor("Keeper of the Keys", 13)


def some_editor(random: Random) -> Editor:
    """Few people make most edits (a Pareto tail), some have no account, a bot mends links."""
    draw = random.random()
    if draw < ANONYMOUS_SHARE:
        return address_editor(random)
    if draw > 0.96:
        return LINK_BOT
    return ACCOUNTS[int(random.paretovariate(0.8) - 1) % len(ACCOUNTS)]


def address_editor(random: Random) -> Editor:
    """An address of the ranges reserved for documentation (RFC 5737, RFC 3849)."""
    draw = random.randrange(1, 255)
    if random.random() < 0.3:
        return Editor(f"2001:DB8:{draw:X}:0:0:0:0:{random.randrange(1, 65536):X}")
    return Editor(f"{random.choice(('192.0.2', '198.51.100', '203.0.113'))}.{draw}")
