"""Many addresses, one port, and HTTP as browsers and crawlers expect it."""

from __future__ import annotations

import asyncio
import gzip
import re
import signal
import socket
import struct
import subprocess
import sys
import zlib
from datetime import timedelta
from pathlib import Path
from urllib.parse import urljoin

import pytest

from ronda.demo import AddressError, DemoClock, DemoError, DemoServer, DemoWorld, PortError, serve_in_thread
from ronda.demo.sockets import listen_everywhere
from tests.demo.conftest import fetch

LINK = re.compile(r'(?:href|src)="([^"]+)"')


def test_every_site_lives_at_its_own_address(world: DemoWorld, server: DemoServer) -> None:
    titles = set()
    for site in world.sites:
        answer = fetch(server.base_url(site))
        text = answer.body.decode(site.charset)
        assert answer.headers["Content-Type"] == f"text/html; charset={site.charset}"
        assert f'<html lang="{site.language}">' in text
        titles.add(re.findall(r"<title>(.*?)</title>", text)[0])
    assert len(titles) == len(world.sites)
    assert len(set(server.addresses)) == len(world.sites) + 2


def test_every_link_and_asset_of_a_site_answers(world: DemoWorld, server: DemoServer) -> None:
    """A crawl of one site: nothing on it leads nowhere."""
    site = world.site("maproom")
    base = server.base_url(site)
    queue, seen = [base], set()
    while queue:
        url = queue.pop()
        if url in seen:
            continue
        seen.add(url)
        answer = fetch(url)
        assert answer.status == 200, url
        if url.startswith(base) and answer.headers["Content-Type"].startswith("text/html"):
            queue += [urljoin(url, link) for link in LINK.findall(answer.text)]
    own = {url for url in seen if url.startswith(base)}
    assert {urljoin(base, page.path) for page in world.pages(site)} <= own
    assert len(seen) > len(own)


def test_assets_are_what_they_claim(server: DemoServer) -> None:
    base = server.base_url("maproom") + "assets/"
    png = fetch(base + "photo-2.png")
    assert png.headers["Content-Type"] == "image/png"
    assert png.body[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", png.body[16:24]) == (480, 160)
    start = png.body.index(b"IDAT")
    (length,) = struct.unpack(">I", png.body[start - 4 : start])
    assert len(zlib.decompress(png.body[start + 4 : start + 4 + length])) == 160 * 481
    pdf = fetch(base + "report.pdf")
    assert (pdf.headers["Content-Type"], pdf.body[:5]) == ("application/pdf", b"%PDF-")
    table = int(pdf.body.split(b"startxref\n")[1].split(b"\n")[0])
    assert pdf.body[table : table + 4] == b"xref"
    assert fetch(base + "style.css?v=1").body != fetch(base + "style.css?v=2").body
    assert fetch(base + "style.css?v=x").status == 200


def test_head_has_the_headers_of_get_and_no_body(server: DemoServer) -> None:
    url = server.base_url("boreal")
    head, get = fetch(url, "HEAD"), fetch(url)
    assert (head.status, head.body) == (200, b"")
    assert head.headers == get.headers


def test_other_methods_are_refused(server: DemoServer) -> None:
    answer = fetch(server.base_url("boreal"), "POST", b"x=1")
    assert (answer.status, answer.headers["Allow"]) == (405, "GET, HEAD")


def test_gzip_only_for_who_accepts_it(server: DemoServer) -> None:
    url = server.base_url("maproom")
    plain = fetch(url)
    packed = fetch(url, headers={"Accept-Encoding": "br, gzip;q=0.8"})
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert packed.headers["Vary"] == "Accept-Encoding"
    assert gzip.decompress(packed.body) == plain.body
    assert "Content-Encoding" not in fetch(url, headers={"Accept-Encoding": "gzip;q=0"}).headers
    assert (
        "Content-Encoding"
        not in fetch(server.base_url("boreal"), headers={"Accept-Encoding": "gzip"}).headers
    )


def test_latin1_sites_are_latin1(server: DemoServer) -> None:
    body = fetch(server.base_url("sanjeronimo")).body
    assert "Jerónimo".encode("latin-1") in body
    with pytest.raises(UnicodeDecodeError):
        body.decode("utf-8")


def test_the_host_header_decides_if_it_names_a_site(server: DemoServer) -> None:
    """A proxy arrives at one address for all; a made-up name falls back to the address itself."""
    other = fetch(server.base_url("boreal"), headers={"Host": f"{server.world.site('maproom').address}:80"})
    assert "The Map Room" in other.text
    assert "Boreal" in fetch(server.base_url("boreal"), headers={"Host": "ice.example"}).text


def test_a_taken_port_is_named(world: DemoWorld, clock: DemoClock, server: DemoServer) -> None:
    with (
        pytest.raises(PortError, match=f"Port {server.port} is already in use on 127"),
        serve_in_thread(world, clock, port=server.port),
    ):
        pass


def test_a_port_taken_on_one_address_only_frees_the_others_again() -> None:
    with socket.create_server(("127.77.9.2", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(PortError):
            listen_everywhere(["127.77.9.1", "127.77.9.2"], port)
        socket.create_server(("127.77.9.1", port)).close()


def test_an_impossible_address_is_named_with_what_to_do() -> None:
    """192.0.2.1 stands for an address that this machine does not have, as 127.77.x.y on macOS."""
    with pytest.raises(AddressError, match=r"192\.0\.2\.1.*sudo ifconfig lo0 alias 192\.0\.2\.1 up"):
        listen_everywhere(["127.0.0.1", "192.0.2.1"], 0)


def test_it_starts_and_stops_inside_a_loop(world: DemoWorld, clock: DemoClock) -> None:
    async def once() -> str:
        server = DemoServer(world, clock)
        with pytest.raises(DemoError, match="start"):
            _ = server.index_url
        await server.start()
        try:
            return (await asyncio.to_thread(fetch, server.index_url)).text
        finally:
            await server.stop()

    assert "The demo web" in asyncio.run(once())


def test_the_command_serves_until_it_is_told_to_stop(tmp_path: Path) -> None:
    log = tmp_path / "access.jsonl"
    command = [sys.executable, "-m", "ronda.demo", "--port", "0", "--speed", "0", "--access-log", str(log)]
    process = subprocess.Popen([*command, "--epoch", "2025-03-01"], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        url = process.stdout.readline().removeprefix("The demo web: ").strip()
        assert fetch(url + "api/clock").json()["now"] == "2025-03-01T00:00:00+00:00"
        site = fetch(url + "api/sites").json()["sites"][0]
        assert fetch(site["url"]).status == 200
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
        assert f'"site": "{site["name"]}"' in log.read_text("utf-8")
    finally:
        process.kill()
        process.communicate()


def test_the_command_explains_what_it_cannot_do(server: DemoServer) -> None:
    command = [sys.executable, "-m", "ronda.demo"]
    taken = subprocess.run(
        [*command, "--port", str(server.port)], capture_output=True, text=True, check=False
    )
    assert taken.returncode == 1
    assert "already in use" in taken.stderr
    wrong = subprocess.run([*command, "--epoch", "soon"], capture_output=True, text=True, check=False)
    assert wrong.returncode == 2
    assert "is no moment such as" in wrong.stderr


def test_rendering_is_cached(world: DemoWorld, clock: DemoClock, server: DemoServer) -> None:
    """The same bytes object comes out again, also after the page went elsewhere and returned."""
    renderer = server._responder._renderer
    page, moment = world.pages("census")[0], clock.now()
    first = renderer.page(world.site("census"), page, world.snapshot("census", "/", moment).state)
    later = renderer.page(world.site("census"), page, world.snapshot("census", "/", moment).state)
    assert first is later
    far = world.snapshot("census", "/", moment + timedelta(days=400)).state
    assert renderer.page(world.site("census"), page, far).tag != first.tag
