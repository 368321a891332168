"""Which addresses may be connected to, and what this machine knows of its surroundings."""

from __future__ import annotations

from ipaddress import ip_address, ip_network
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ronda_node.addresses import judge
from ronda_node.neighbourhood import NOWHERE, Neighbourhood, Surveyor, survey
from ronda_node.policy import ANYWHERE


@pytest.mark.parametrize(
    "address",
    [
        "8.8.8.8", "1.1.1.1", "93.184.216.34", "2606:4700::1111", "2a00:1450:4001:801::200e",
        # Wrapped public addresses stay allowed: on NAT64 networks there are no others.
        "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1", "::8.8.8.8",
        "2001:0:808:808:0:0:f7f7:f7f7",
    ],
)  # fmt: skip
def test_public(address: str) -> None:
    assert judge(address).is_allowed


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("0.0.0.0", "this network"),
        ("0.1.2.3", "this network"),
        ("10.1.2.3", "private"),
        ("100.64.0.1", "CGNAT"),
        ("100.100.100.200", "CGNAT"),
        ("127.0.0.1", "loopback"),
        ("127.255.255.254", "loopback"),
        ("168.63.129.16", "metadata"),
        ("169.254.169.254", "link-local"),
        ("172.16.0.1", "private"),
        ("172.31.255.255", "private"),
        ("192.0.0.192", "protocol"),
        ("192.0.2.1", "documentation"),
        ("192.168.1.1", "private"),
        ("198.18.0.1", "benchmarking"),
        ("198.19.255.255", "benchmarking"),
        ("198.51.100.1", "documentation"),
        ("203.0.113.1", "documentation"),
        ("224.0.0.1", "multicast"),
        ("239.255.255.250", "multicast"),
        ("240.0.0.1", "reserved"),
        ("255.255.255.255", "broadcast"),
        ("::", "unspecified"),
        ("::1", "loopback"),
        ("fe80::1", "link-local"),
        ("fec0::1", "site-local"),
        ("fc00::1", "unique local"),
        ("fd00:ec2::254", "unique local"),
        ("ff02::1", "multicast"),
        ("2001:db8::1", "documentation"),
        ("3fff::1", "documentation"),
        ("100::1", "discard"),
        ("2001:2::1", "protocol"),
        ("64:ff9b:1::808:808", "local NAT64"),
        ("4000::1", "not global"),
        ("::ffff:127.0.0.1", "loopback"),
        ("::ffff:a9fe:a9fe", "link-local"),
        ("::ffff:10.0.0.1", "private"),
        ("::127.0.0.1", "loopback"),
        ("64:ff9b::7f00:1", "loopback"),
        ("64:ff9b::a9fe:a9fe", "link-local"),
        ("64:ff9b::c0a8:101", "private"),
        ("2002:7f00:1::1", "loopback"),
        ("2606:4700::5efe:7f00:1", "loopback"),
        ("2606:4700::200:5efe:a00:1", "private"),
        ("2002:808:808::5efe:7f00:1", "loopback"),
        ("fe80::5efe:808:808", "link-local"),
        ("2002:a9fe:a9fe::1", "link-local"),
        ("2002:c0a8:101::1", "private"),
        # Teredo: a private server, then a private client (its bits are turned over).
        ("2001:0:a00:1:0:0:f7f7:f7f7", "private"),
        ("2001:0:808:808:0:0:80ff:fffe", "loopback"),
        ("fe80::1%eth0", ""),
        ("nonsense", "not an address"),
    ],
)
def test_refused(address: str, reason: str) -> None:
    verdict = judge(address)
    assert not verdict.is_allowed
    assert reason in verdict.reason


@given(st.ip_addresses())
def test_never_more_generous_than_python(address: object) -> None:
    verdict = judge(str(address))
    found = ip_address(str(address))
    if found.version == 4 and not found.is_global:
        assert not verdict.is_allowed


def test_private_networks_when_allowed() -> None:
    for address in ("127.0.0.1", "10.0.0.1", "::1", "fd00::1", "192.168.1.1"):
        assert judge(address, policy=ANYWHERE).is_allowed
    for address in ("169.254.169.254", "::ffff:169.254.169.254", "fe80::1", "0.0.0.0", "224.0.0.1", "::"):
        assert not judge(address, policy=ANYWHERE).is_allowed


def test_neighbours_are_not_the_public_internet() -> None:
    home = Neighbourhood(
        own=frozenset({ip_address("198.41.0.4")}),
        gateways=frozenset({ip_address("8.8.8.1")}),
        links=(ip_network("2a02:1:2:3::/64"), ip_network("9.9.9.0/24")),
    ).with_own(["1.1.1.1"])
    for address in ("198.41.0.4", "8.8.8.1", "2a02:1:2:3::99", "9.9.9.9", "1.1.1.1", "::ffff:9.9.9.9"):
        assert not judge(address, home).is_allowed, address
    for address in ("8.8.8.8", "2a02:1:2:4::99", "9.9.8.9"):
        assert judge(address, home).is_allowed, address


def test_survey_reads_interfaces_and_routes(tmp_path: Path) -> None:
    (tmp_path / "route").write_text(
        "Iface\tDestination\tGateway\tFlags\neth0\t00000000\t0102A8C0\t0003\neth0\t0002A8C0\t00000000\t0001\n"
    )
    (tmp_path / "ipv6_route").write_text(
        f"{'0' * 32} 00 {'0' * 32} 00 fe80000000000000000000000000beef 00000400 1 0 00000003 eth0\n"
        f"2a020001000200030000000000000000 40 {'0' * 32} 00 {'0' * 32} 00000100 1 0 00000001 eth0\n"
    )
    found = survey(
        lambda: [
            ("192.168.2.7", "255.255.255.0"),
            ("2a02:1:2:3::7", "ffff:ffff:ffff:ffff::"),
            ("fe80::1%eth0", "ffff:ffff:ffff:ffff::"),
            ("5.6.7.8", "255.255.255.255"),
            ("5.6.7.9", None),
            ("6.6.6.6", "128.0.0.0"),
        ],
        tmp_path,
    )
    assert {str(address) for address in found.gateways} == {"192.168.2.1", "fe80::beef"}
    assert ip_network("2a02:1:2:3::/64") in found.links
    assert ip_address("5.6.7.8") in found.own
    # The tunnel that claims half the internet counts as an address, not as a link.
    assert judge("7.7.7.7", found).is_allowed
    assert not judge("6.6.6.6", found).is_allowed


def test_survey_of_this_machine() -> None:
    assert ip_address("127.0.0.1") in survey().own


def test_surveyor_looks_again() -> None:
    looks: list[float] = []
    times = iter((0.0, 59.0, 61.0, 62.0, 200.0))

    def look() -> Neighbourhood:
        looks.append(1)
        return NOWHERE

    surveyor = Surveyor(look, keep_seconds=60, clock=lambda: next(times))
    seen = []
    for _ in range(5):
        surveyor()
        seen.append(len(looks))
    assert seen == [1, 1, 2, 2, 3]
