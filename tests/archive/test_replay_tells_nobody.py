"""An archived page that tries every way to read what is beside it and send it out, in a real browser."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import BrowserContext, Frame, Page, sync_playwright

from tests.archive.pywb import needs_pywb
from tests.archive.test_replay import Filled, _in_its_place
from tests.console.chromium import CHROMIUM, log_in_with_the_link
from tests.running import RunningRonda, wait_for

pytestmark = [
    needs_pywb,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium. Debian: apt install chromium"),
]


class Listener(ThreadingHTTPServer):
    """Somebody else's server, that remembers whatever it is asked."""

    heard: list[str]


class _Hearing(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        assert isinstance(self.server, Listener)
        self.server.heard.append(self.path)
        self.send_response(200)
        self.end_headers()

    def do_POST(self) -> None:
        self.do_GET()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def listener() -> Iterator[Listener]:
    with Listener(("127.0.0.2", 0), _Hearing) as server:
        server.heard = []
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture(scope="module")
def filled(
    tmp_path_factory: pytest.TempPathFactory, postgres: object, listener: Listener
) -> Iterator[Filled]:
    from tests.conftest import _fresh_database

    databases = _fresh_database(postgres)  # type: ignore[arg-type]
    ronda = RunningRonda(
        tmp_path_factory.mktemp("replay") / "home",
        environment={
            "RONDA_DATABASE_URL": next(databases),
            "RONDA_SECRET_KEY": "k" * 40,
            "RONDA_NODES": "0",
        },
    )
    out = f"http://127.0.0.2:{listener.server_port}/"
    try:
        ronda.start()
        yield Filled(ronda, json.loads(_in_its_place(ronda, "tests.archive.fill", out)))
    finally:
        ronda.stop()
        next(databases, None)


@pytest.fixture(scope="module")
def browser(filled: Filled) -> Iterator[BrowserContext]:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        context = chromium.new_context(base_url=filled.ronda.url, locale="en")
        context.set_default_timeout(60_000)
        page = context.new_page()
        log_in_with_the_link(page, filled.ronda)
        page.close()
        yield context
        chromium.close()


def frame_named(page: Page, name: str) -> Frame:
    def found() -> Frame | None:
        page.wait_for_timeout(50)  # lets the browser's events in
        return next((one for one in page.frames if one.name == name or name in one.url), None)

    wait_for(lambda: found() is not None, f"the frame {name}")
    frame = found()
    assert frame
    return frame


def test_nothing_leaves(filled: Filled, browser: BrowserContext, listener: Listener) -> None:
    page = browser.new_page()
    page.goto(f"/replay/{filled.kept['evil']}")
    unrewritten = frame_named(page, "bn_")
    unrewritten.wait_for_selector("html[data-ways]", state="attached")
    ways = json.loads(unrewritten.locator("html").get_attribute("data-ways") or "")
    assert ways["page"] == 200, "the collection's own pages can be read"
    assert (ways["index"], ways["list"]) == (404, 404)
    assert {ways[name] for name in ("fetch", "image", "script", "style", "socket")} == {"refused"}
    assert ways["popup"] == "null"
    # Raw, it does not even run.
    raw = frame_named(page, "id_")
    assert raw.locator("html").get_attribute("data-ways") is None
    outer = next(one for one in page.frames if one.parent_frame == page.main_frame)
    for frame, leave in (
        (unrewritten, "form => { form.action = out; document.body.append(form); form.submit(); }"),
        (unrewritten, "() => { location.href = out; }"),
        (outer, "() => { location.href = out; }"),
    ):
        out = json.dumps(f"http://127.0.0.2:{listener.server_port}/away")
        address = frame.url
        frame.evaluate(f"() => {{ const out = {out}; ({leave})(document.createElement('form')); }}")
        wait_for(partial(_is_blocked, page, frame), "the browser to refuse to go there")
        if frame is unrewritten:
            outer.evaluate("address => { document.getElementsByName('bn_')[0].src = address; }", address)
            wait_for(partial(_is_back, page, frame), "the page again")
    assert page.url.endswith(f"/replay/{filled.kept['evil']}")
    assert listener.heard == []
    page.close()


def _is_back(page: Page, frame: Frame) -> bool:
    page.wait_for_timeout(50)
    return "bn_" in frame.url


def _is_blocked(page: Page, frame: Frame) -> bool:
    page.wait_for_timeout(50)
    return frame.url.startswith("chrome-error:")


# The page again, as it came, with the browser's own functions: pywb's would lead every address into the collection.
UNREWRITTEN = """() => {
    const frame = document.createElement('iframe');
    frame.src = wbinfo.prefix + wbinfo.timestamp + 'bn_/' + wbinfo.url;
    document.body.append(frame);
}"""


def _origin(frame: Frame) -> str:
    parts = urlsplit(frame.url)
    return f"{parts.scheme}://{parts.netloc}"


def test_pages_of_one_collection_cannot_read_another(filled: Filled, browser: BrowserContext) -> None:
    page = browser.new_page()
    page.goto(f"/replay/{filled.kept['first']}")
    rewritten = frame_named(page, "/scientific/")
    rewritten.get_by_role("heading").wait_for()
    rewritten.evaluate(UNREWRITTEN)
    public = frame_named(page, "bn_/http://site.example/")
    public.get_by_role("heading").wait_for()
    other = browser.new_page()
    other.goto(f"/replay/{filled.kept['private']}")
    closed = frame_named(other, "/cultural/")
    closed.get_by_text("secret").wait_for()
    origins = [_origin(public), _origin(closed)]
    assert origins[0] != origins[1]
    wanted = "/cultural/20260302120000bn_/http://secret.example/"
    for origin in origins:
        answer = public.evaluate(
            "address => fetch(address, {credentials: 'include'}).then(one => one.text(), () => 'refused')",
            origin + wanted,
        )
        assert "<p>secret" not in answer
        framed = public.evaluate(
            """address => new Promise(done => {
                const frame = document.createElement('iframe');
                const look = () => { try { done(frame.contentDocument.body.innerText); } catch { done('refused'); } };
                frame.onload = look; frame.onerror = look; frame.src = address; document.body.append(frame);
            })""",
            origin + wanted,
        )
        assert (framed or "").strip() != "secret"
    # Both stay open, each for itself.
    assert public.evaluate("() => fetch(location.href).then(one => one.status)") == 200
    closed.evaluate(UNREWRITTEN)
    assert frame_named(other, "bn_/http://secret.example/").get_by_text("secret").inner_text() == "secret"
    page.close()
    other.close()


def test_a_tab_of_its_own_is_a_frame(filled: Filled, browser: BrowserContext) -> None:
    page = browser.new_page()
    page.goto(f"/replay/{filled.kept['second']}")
    with page.expect_popup() as opened:
        page.get_by_role("link", name="Open in a tab of its own").click()
    alone = opened.value
    frame_named(alone, "/scientific/").get_by_role("heading", name="The second version").wait_for()
    assert alone.url.startswith(filled.ronda.url)
    # An address of the replay as somebody was sent it.
    alone.goto(f"http://127.0.0.1:{filled.ronda.replay_port}/scientific/20260301120000/http://site.example/")
    assert alone.url.startswith(f"{filled.ronda.url}/replay/open?to=")
    alone.get_by_role("button", name="Open it").click()
    frame_named(alone, "/scientific/").get_by_role("heading", name="The first version").wait_for()
    assert alone.url.startswith(filled.ronda.url)
    page.close()
    alone.close()
