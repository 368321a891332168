"""Which addresses may be connected to: those of the public internet, whatever they are wrapped in."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

from ronda_node.neighbourhood import NOWHERE, Neighbourhood
from ronda_node.policy import PUBLIC_WEB, Policy

Address = IPv4Address | IPv6Address

# IANA's special-purpose registries, by what they are for. Python's own `is_global` changed its mind between
# releases (CVE-2024-4032), so it is only asked last.
_SPECIAL_IPV4 = [
    (IPv4Network(prefix), meaning)
    for prefix, meaning in [
        ("0.0.0.0/8", "this network"),
        ("10.0.0.0/8", "private"),
        ("100.64.0.0/10", "shared by a carrier (CGNAT)"),
        ("127.0.0.0/8", "loopback"),
        ("168.63.129.16/32", "cloud metadata"),
        ("169.254.0.0/16", "link-local"),
        ("172.16.0.0/12", "private"),
        ("192.0.0.0/24", "protocol assignments"),
        ("192.0.2.0/24", "documentation"),
        ("192.88.99.0/24", "6to4 relay"),
        ("192.168.0.0/16", "private"),
        ("198.18.0.0/15", "benchmarking"),
        ("198.51.100.0/24", "documentation"),
        ("203.0.113.0/24", "documentation"),
        ("224.0.0.0/4", "multicast"),
        ("255.255.255.255/32", "broadcast"),
        ("240.0.0.0/4", "reserved"),
    ]
]
_SPECIAL_IPV6 = [
    (IPv6Network(prefix), meaning)
    for prefix, meaning in [
        ("::/128", "unspecified"),
        ("::1/128", "loopback"),
        ("64:ff9b:1::/48", "local NAT64"),
        ("100::/64", "discard"),
        ("2001::/23", "protocol assignments"),
        ("2001:db8::/32", "documentation"),
        ("3fff::/20", "documentation"),
        ("5f00::/16", "segment routing"),
        ("fc00::/7", "unique local"),
        ("fe80::/10", "link-local"),
        ("fec0::/10", "site-local"),
        ("ff00::/8", "multicast"),
    ]
]
# Not even where private networks are allowed: nobody there, or a cloud's credentials.
_NEVER = frozenset(
    {"this network", "unspecified", "multicast", "broadcast", "reserved", "link-local", "cloud metadata"}
)
_GLOBAL_UNICAST = IPv6Network("2000::/3")
_COMPATIBLE = IPv6Network("::/96")
_NAT64 = IPv6Network("64:ff9b::/96")
# 0000:5efe or, for globally unique addresses, 0200:5efe.
_ISATAP, _ISATAP_MASK = 0x0000_5EFE, 0xFDFF_FFFF


@dataclass(frozen=True, slots=True)
class Verdict:
    is_allowed: bool
    reason: str = ""


_ALLOWED = Verdict(True)


def judge(
    address: str | Address, neighbourhood: Neighbourhood = NOWHERE, policy: Policy = PUBLIC_WEB
) -> Verdict:
    """May this machine, standing where it stands, connect to `address`?"""
    try:
        outer = ip_address(address) if isinstance(address, str) else address
    except ValueError:
        return Verdict(False, f"{address} is not an address")
    for found in (outer, *_wrapped(outer)):
        meaning = _special_meaning(found)
        if meaning and (meaning in _NEVER or not policy.allow_private_networks):
            through = "" if found == outer else f", inside {outer}"
            return Verdict(False, f"{found} is {meaning}{through}")
        if not policy.allow_private_networks and (relation := neighbourhood.relation_to(found)):
            return Verdict(False, f"{found} is {relation}")
    return _ALLOWED


def _wrapped(address: Address) -> tuple[IPv4Address, ...]:
    """The IPv4 addresses that packets to `address` end up at, or may."""
    if isinstance(address, IPv4Address):
        return ()
    # ISATAP (RFC 5214 §6.1): behind whatever prefix, the last 64 bits say which IPv4 machine is meant.
    is_isatap = int(address) >> 32 & _ISATAP_MASK == _ISATAP
    return (*_translated(address), *([_last_of(address)] if is_isatap else []))


def _translated(address: IPv6Address) -> tuple[IPv4Address, ...]:
    """Of addresses that are nothing but another way to write these."""
    if address.ipv4_mapped:
        return (address.ipv4_mapped,)
    if address.sixtofour:
        return (address.sixtofour,)
    if address.teredo:
        return address.teredo
    if address in _NAT64 or (address in _COMPATIBLE and int(address) > 1):
        return (_last_of(address),)
    return ()


def _last_of(address: IPv6Address) -> IPv4Address:
    return IPv4Address(int(address) & 0xFFFFFFFF)


def _special_meaning(address: Address) -> str:
    if isinstance(address, IPv4Address):
        for prefix, meaning in _SPECIAL_IPV4:
            if address in prefix:
                return meaning
        return "" if address.is_global else "not global"
    if _translated(address):
        return ""
    for network, meaning in _SPECIAL_IPV6:
        if address in network:
            return meaning
    return "" if address in _GLOBAL_UNICAST and address.is_global else "not global"
