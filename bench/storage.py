"""Three captures of a site of which one page in twenty changes each time: how much more they take than one."""

from __future__ import annotations

import random
import uuid

from bench.measured import Measured, say
from bench.uploads import Answer, PaperNode, vary

PAGES = 400
ONE_IN = 20
VISITS = 3
# Of what pages are made of, three in four are images, scripts and fonts, which do not pack: some 35 kB each.
TEXT_SHARE = 0.25
TEXT_BYTES = 30_000
DENSE_BYTES = 45_000
PURPOSE = "bench-storage"


def measure(node: PaperNode, *, is_quick: bool) -> list[Measured]:
    pages = PAGES if is_quick else PAGES * 5
    from ronda.archive.models import Collection
    from ronda.frontier.purposes import Belonging, register_purpose

    collection = Collection.objects.get(slug="scientific")
    source = uuid.uuid4()
    visits: list[int] = []
    register_purpose(
        PURPOSE,
        lambda batch, ended: None,
        belonging=lambda batch: Belonging(collection.pk, source, len(visits)),
    )
    before = _size_bytes()
    sizes = [_capture(node, pages, visits) - before for _ in range(VISITS)]
    say(f"after each of {VISITS} captures of {pages} pages: {', '.join(f'{size:,} bytes' for size in sizes)}")
    return [Measured("three_captures_against_one", sizes[-1] / sizes[0], 1.15, is_at_most=True)]


def _capture(node: PaperNode, pages: int, visits: list[int]) -> int:
    """Bytes in the archive after it."""
    from ronda.frontier import services
    from ronda.frontier.blocks import Wanted

    visit = len(visits) + 1
    visits.append(visit)
    batch = services.open_batch(purpose=PURPOSE, owner=f"visit {visit}")
    host = "site.example"
    wanted = [Wanted(f"http://{host}/{n}", host, "http", is_kept_unchanged=True) for n in range(pages)]
    services.put_requests(batch=batch, wanted=wanted)
    brought = node.answer_all(lambda url: _page(url, visit))
    assert brought.urls == pages, f"{brought.urls} of {pages} pages were answered"
    return _size_bytes()


def _size_bytes() -> int:
    from django.db.models import Sum

    from ronda.archive.models import WarcFile

    return int(WarcFile.objects.aggregate(size=Sum("size_bytes"))["size"] or 0)


def _page(url: str, visit: int) -> Answer:
    """As of the newest visit at which it changed."""
    number = int(url.rpartition("/")[2])
    changes = [one for one in range(2, visit + 1) if (number + 7 * one) % ONE_IN == 0]
    seed = f"{url} {changes[-1] if changes else 1}"
    if random.Random(url).random() < TEXT_SHARE:
        return Answer(vary(seed, TEXT_BYTES))
    return Answer(random.Random(seed).randbytes(DENSE_BYTES), b"image/jpeg")
