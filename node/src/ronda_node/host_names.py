"""Host names as a browser reads them (WHATWG URL, host parsing): whatever is meant as an address is one."""

from __future__ import annotations

import re
from functools import lru_cache
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from urllib.parse import unquote_to_bytes

import idna

from ronda_node.errors import UrlRefused
from ronda_node.reasons import Reason

Host = str | IPv4Address | IPv6Address

LONGEST_NAME = 253
# Underscores are not host names by the letter, yet people use them, and DNS carries them.
_NAME = re.compile(r"(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
# Never on the public internet: RFC 6761, 6762 (appendix G), 7686, 8375, 9476, and ICANN's .internal.
_LOCAL_SUFFIXES = (
    ".localhost", ".local", ".internal", ".onion", ".home.arpa", ".alt",
    ".lan", ".home", ".corp", ".intranet", ".private", ".localdomain",
)  # fmt: skip


@lru_cache(maxsize=8192)
def parse_host(raw: str) -> Host:
    """A lower-case ASCII name without a final dot, or the address that `raw` spells in any base."""
    if raw.startswith("["):
        return _ipv6(raw)
    name = _ascii_name(_decoded(raw) if "%" in raw else raw)
    # Without this, "a.example." would pass the gate of "a.example" by.
    name = name.removesuffix(".")
    if _NUMBER.fullmatch(name.rpartition(".")[2]):
        return _ipv4(name)
    if len(name) > LONGEST_NAME or not _NAME.fullmatch(name):
        raise UrlRefused(Reason.BAD_HOST, f"{raw!r} is not a host name.")
    return name


def is_local_name(name: str) -> bool:
    return "." not in name or name.endswith(_LOCAL_SUFFIXES)


def host_text(host: Host) -> str:
    """As it stands between scheme and port, without the brackets of IPv6."""
    return str(host)


def _decoded(raw: str) -> str:
    try:
        return unquote_to_bytes(raw).decode()
    except UnicodeDecodeError:
        raise UrlRefused(Reason.BAD_HOST, f"{raw!r} is not a host name.") from None


def _ascii_name(name: str) -> str:
    if name.isascii():
        return name.lower()
    try:
        # Mapping comes first: it turns full-width digits and dots into those of an IPv4 address.
        mapped = idna.uts46_remap(name, std3_rules=False, transitional=False)
        return ".".join(
            label.lower() if label.isascii() else idna.alabel(label).decode() for label in mapped.split(".")
        )
    except (idna.IDNAError, UnicodeError) as error:
        raise UrlRefused(Reason.BAD_HOST, f"{name!r} is not a host name: {error}.") from None


def _ipv6(raw: str) -> IPv4Address | IPv6Address:
    """An address of IPv4 in the clothes of IPv6 is what it is: else it would pass the gate of its host by."""
    text = raw[1:-1]
    if not raw.endswith("]") or "%" in text:
        raise UrlRefused(Reason.BAD_HOST, f"{raw!r} is not an IPv6 address.")
    try:
        address = IPv6Address(text)
    except AddressValueError:
        raise UrlRefused(Reason.BAD_HOST, f"{raw!r} is not an IPv6 address.") from None
    return address.ipv4_mapped or address


def _ipv4(name: str) -> IPv4Address:
    """`inet_aton` forms too: 2130706433, 0x7f.1 and 0177.0.0.1 are all 127.0.0.1."""
    parts = name.split(".")
    try:
        numbers = [_number(part) for part in parts]
        if len(parts) > 4 or any(number > 255 for number in numbers[:-1]):
            raise ValueError
        value = sum(number << (24 - 8 * place) for place, number in enumerate(numbers[:-1]))
        if numbers[-1] >= 256 ** (5 - len(parts)):
            raise ValueError
    except ValueError:
        raise UrlRefused(Reason.BAD_HOST, f"{name!r} ends in a number but is not an IPv4 address.") from None
    return IPv4Address(value + numbers[-1])


def _number(part: str) -> int:
    if not _NUMBER.fullmatch(part):
        raise ValueError
    if part.startswith("0x"):
        return int(part[2:] or "0", 16)
    return int(part, 8 if part.startswith("0") else 10)
