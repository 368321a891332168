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
    sys.stdout.write(json.dumps(kept))


if __name__ == "__main__":
    main()
