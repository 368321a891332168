"""Amounts as people write them: 50GB, 2MB/s."""

from __future__ import annotations

import re

_UNITS = {
    "": 1,
    "k": 10**3,
    "m": 10**6,
    "g": 10**9,
    "t": 10**12,
    "ki": 2**10,
    "mi": 2**20,
    "gi": 2**30,
    "ti": 2**40,
}
_AMOUNT = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,6})?) ?([kmgt]i?)?b?", re.IGNORECASE)


def bytes_of(text: str) -> int:
    """`50GB`, `1.5 GiB`, `1000`; raises ValueError with what was expected."""
    match = _AMOUNT.fullmatch(text.strip())
    count = int(float(match[1]) * _UNITS[(match[2] or "").lower()]) if match else 0
    if count < 1:
        raise ValueError(f"{text!r} is no amount of bytes like 500MB or 50GB")
    return count


def bytes_per_second_of(text: str) -> int:
    """`2MB/s`; the `/s` may be left out."""
    try:
        return bytes_of(text.strip().removesuffix("/s"))
    except ValueError:
        raise ValueError(f"{text!r} is no speed like 500kB/s or 2MB/s") from None
