"""Nothing leads inward: not by literal, by name, by changing answers, by redirect, by port.

There is a server on loopback that must not be reached, and a dialler that notes whom it would have called.
"""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import ip_address, ip_network

import pytest

from ronda_node.dialling import dial
from ronda_node.fetcher import Fetched, Fetcher, NotFollowed
from ronda_node.neighbourhood import Neighbourhood
from ronda_node.outcomes import Failure, FetchRequest
from ronda_node.policy import PUBLIC_WEB, Policy
from ronda_node.reasons import Reason
from tests.node.origin import Origin, Script, answering, exchanging, page, resolution, run, serve

PUBLIC = "93.184.216.34"


class World:
    """Name servers that answer what they are told, in turn; and wires that all end at one loopback server."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self.answers = list(answers)
        self.dialled: list[str] = []
        self.questions = 0
        self.origin: Origin | None = None

    async def lookup(self, name: str) -> Sequence[str]:
        self.questions += 1
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

    async def dial(self, make, address, port, tls, name):  # type: ignore[no-untyped-def]
        self.dialled.append(address)
        assert self.origin
        return await dial(make, "127.0.0.1", self.origin.port, None, None)

    def fetch(
        self,
        *urls: str,
        script: Script | None = None,
        policy: Policy = PUBLIC_WEB,
        keep_seconds: float = 0.0,
        **given,
    ) -> list[Fetched]:
        async def scenario() -> list[Fetched]:
            async with serve(script or answering(page())) as self.origin:
                names = resolution(policy, lookup=self.lookup, keep_seconds=keep_seconds, **given)
                async with exchanging(resolution=names, dial=self.dial) as exchanger:
                    fetcher = Fetcher(exchanger, policy)
                    return [await fetcher.fetch(FetchRequest("r", url)) for url in urls]

        return run(scenario())


def reason_of(fetched: Fetched) -> Reason:
    assert isinstance(fetched.last, Failure), fetched.last
    return fetched.last.reason


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1", "10.0.0.1", "192.168.0.1", "172.16.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "0",
        "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1", "017700000001", "0x7F.1",
        "2852039166", "0xa9fea9fe", "0251.0376.0251.0376", "169.254.43518", "%31%32%37.0.0.1", "127.0.0.1.",
        "１２７.０.０.１", "127。0。0。1", "①②⑦.⓪.⓪.①", "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]",
        "[0:0:0:0:0:ffff:a9fe:a9fe]", "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[64:ff9b::169.254.169.254]",
        "[64:ff9b:1::1]", "[2002:7f00:1::]", "[fe80::1]", "[fd00:ec2::254]", "[ff02::1]", "8.8.8.8",
        "[2606:4700::1111]", "localhost", "LOCALHOST", "localhost.", "a.localhost", "metadata.google.internal",
        "printer.local", "router.home.arpa", "x.onion", "intranet", "metadata", "nas.lan",
        "ｌｏｃａｌｈｏｓｔ", "%6c%6f%63alhost",
    ],
)  # fmt: skip
def test_hosts_that_are_not_names_of_the_web(host: str) -> None:
    world = World([PUBLIC])
    (fetched,) = world.fetch(f"http://{host}/latest/meta-data/")
    assert reason_of(fetched) in (Reason.IP_LITERAL, Reason.LOCAL_NAME, Reason.BAD_HOST)
    assert world.dialled == []
    assert world.questions == 0


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://user:pw@site.example/", Reason.USERINFO),
        ("http://site.example@169.254.169.254/", Reason.USERINFO),
        ("http://site.example:22/", Reason.PORT),
        ("http://site.example:6379/", Reason.PORT),
        ("http://site.example:8080/", Reason.PORT),
        ("http://site.example/\r\nX: y", Reason.CONTROL_CHARACTER),
        ("file:///etc/passwd", Reason.SCHEME),
        ("gopher://site.example/", Reason.SCHEME),
        ("dict://site.example:11211/", Reason.SCHEME),
    ],
)
def test_urls_that_mean_something_else(url: str, reason: Reason) -> None:
    world = World([PUBLIC])
    (fetched,) = world.fetch(url)
    assert reason_of(fetched) is reason
    assert world.dialled == []


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "10.1.1.1", "172.20.0.1", "192.168.1.1", "169.254.169.254", "100.100.100.200", "168.63.129.16",
        "0.0.0.0", "192.0.0.192", "198.18.0.1", "203.0.113.5", "224.0.0.1", "240.0.0.1", "255.255.255.255",
        "::", "::1", "fe80::1", "fc00::1", "fd00:ec2::254", "ff02::1", "2001:db8::1",
        "::ffff:127.0.0.1", "::ffff:169.254.169.254", "::10.0.0.1", "64:ff9b::10.0.0.1", "64:ff9b::a9fe:a9fe",
        "64:ff9b:1::8.8.8.8", "2002:a00:1::", "2002:a9fe:a9fe::1", "2001:0:808:808::80ff:fffe",
    ],
)  # fmt: skip
def test_names_that_lead_inward(address: str) -> None:
    for answers in ([address], [PUBLIC, address], [address, PUBLIC]):
        world = World(answers)
        (fetched,) = world.fetch("http://site.example/")
        assert reason_of(fetched) is Reason.REFUSED_ADDRESS
        assert world.dialled == []


def test_wrapped_public_addresses_are_reached() -> None:
    for address in (PUBLIC, "2606:4700::1111", "64:ff9b::5db8:d822", "::ffff:93.184.216.34"):
        world = World([address])
        (fetched,) = world.fetch("http://site.example/")
        assert fetched.exchanges
        assert world.dialled == [address]


def test_rebinding_between_vetting_and_connecting() -> None:
    """Two answers in turn: the one that was vetted is the one that is called, and there is no second question."""
    world = World([PUBLIC], ["127.0.0.1"])
    (fetched,) = world.fetch("http://site.example/")
    assert fetched.exchanges[0].peer_address == PUBLIC
    assert world.dialled == [PUBLIC]
    assert world.questions == 1


def test_rebinding_between_two_requests() -> None:
    world = World([PUBLIC], ["169.254.169.254"])
    first, second = world.fetch("http://site.example/", "http://site.example/")
    assert first.exchanges
    assert reason_of(second) is Reason.REFUSED_ADDRESS
    assert world.dialled == [PUBLIC]


def test_rebinding_between_two_steps_of_a_redirect() -> None:
    world = World([PUBLIC], ["127.0.0.1"])
    (fetched,) = world.fetch(
        "http://site.example/", script=answering(page(b"", b"Location: /admin", status=b"302 Found"))
    )
    assert fetched.exchanges[0].status == 302
    assert reason_of(fetched) is Reason.REFUSED_ADDRESS
    assert world.dialled == [PUBLIC]


@pytest.mark.parametrize(
    "location",
    [
        "http://169.254.169.254/latest/", "http://127.0.0.1/", "http://[::1]/", "http://2130706433/",
        "http://localhost/", "//127.0.0.1/", "/\\127.0.0.1/", "http://site.example:6379/", "http://u@site.example/",
        "file:///etc/passwd", "http://inward.example/", "https:127.0.0.1", "http://0x7f.1/",
    ],
)  # fmt: skip
def test_redirects_inward(location: str) -> None:
    world = World([PUBLIC])
    answer = page(b"", b"Location: " + location.encode(), status=b"301 Moved Permanently")
    (fetched,) = world.fetch("http://site.example/", script=answering(answer))
    assert fetched.redirect
    assert fetched.redirect.reason in (NotFollowed.REFUSED, NotFollowed.OTHER_HOST)
    assert [exchange.status for exchange in fetched.exchanges] == [301]
    assert world.dialled == [PUBLIC]


def test_neighbours_with_public_addresses() -> None:
    home = Neighbourhood(
        own=frozenset({ip_address(PUBLIC)}),
        gateways=frozenset({ip_address("2a02:1:2:3::1")}),
        links=(ip_network("2a02:1:2:3::/64"),),
    )
    for address in (PUBLIC, "2a02:1:2:3::1", "2a02:1:2:3::beef", f"::ffff:{PUBLIC}"):
        world = World([address])
        (fetched,) = world.fetch("http://site.example/", neighbourhood=lambda: home)
        assert reason_of(fetched) is Reason.REFUSED_ADDRESS
        assert world.dialled == []


def test_environment_knows_no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    world = World([PUBLIC])
    (fetched,) = world.fetch("http://site.example/")
    assert fetched.exchanges
    assert world.dialled == [PUBLIC]


def test_metadata_stays_closed_even_where_private_networks_are_open() -> None:
    world = World(["169.254.169.254"])
    open_house = Policy(allow_private_networks=True, allowed_ports=None)
    for fetched in world.fetch("http://169.254.169.254/", "http://metadata.internal/", policy=open_house):
        assert reason_of(fetched) is Reason.REFUSED_ADDRESS
    assert world.dialled == []
