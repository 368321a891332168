"""An extraction from a real MediaWiki on loopback without a delay, beside a loop that only downloads the same pages.

Both ask the same questions of the same server, PHP's own, which is the slowest part by far, and take turns over several
histories; the quickest of each counts. The loop is not charged for finding the page; the extraction is charged for
that, for the count of the wiki, the last commit, the proof and the plan of the next visit. The texts are prose whose
revisions change a sentence, as histories do; JSON is what the API sent, in bytes.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from tests.running import free_port
from tests.wiki import real_mediawiki
from tests.wiki.real_mediawiki import RealMediaWiki, page_xml, revision_xml

from bench.database import fresh_database
from bench.finding import Vocabulary
from bench.measured import Measured, say

TITLES = ("Battle of the Nile", "Battle of Trafalgar", "Battle of Copenhagen")
SENTENCES = 60


def measure(*, is_quick: bool) -> list[Measured]:
    if not real_mediawiki.is_installed():
        say("SKIPPED: there is no MediaWiki here; ./test installs it as root on Debian")
        return []
    revisions = 500 if is_quick else 3_000
    with _wiki(revisions) as wiki:
        _download(wiki.api, TITLES[0])  # warms PHP's caches for both
        os.environ |= {"RONDA_CONTACT": "bench@example.org", "RONDA_ALLOW_PRIVATE_NETWORKS": "yes"}
        with fresh_database():
            _set_up(wiki.api)
            took = [(_download(wiki.api, title), _extract(wiki.api, title, revisions)) for title in TITLES]
            stored_bytes = _stored_bytes()
    for (bare_seconds, _), seconds in took:
        say(f"{revisions / bare_seconds:.0f} revisions/s downloaded, {revisions / seconds:.0f} extracted")
    quickest_bare = min(bare_seconds for (bare_seconds, _), _ in took)
    json_bytes = sum(size for (_, size), _ in took)
    return [
        Measured("extraction_against_bare_download", quickest_bare / min(ours for _, ours in took), 0.8),
        Measured("stored_against_json", stored_bytes / json_bytes, 0.15, is_at_most=True),
    ]


@contextmanager
def _wiki(revisions: int) -> Iterator[RealMediaWiki]:
    memory = Path("/dev/shm")
    folder = Path(tempfile.mkdtemp(prefix="ronda-bench-", dir=memory if memory.is_dir() else None))
    wiki = RealMediaWiki(folder / "wiki", free_port())
    try:
        say(f"a MediaWiki with {len(TITLES)} histories of {revisions:,} revisions")
        wiki.install()
        for title in TITLES:
            wiki.import_history(page_xml(title, "".join(_history(title, revisions))))
        wiki.start()
        yield wiki
    finally:
        wiki.stop()
        shutil.rmtree(folder, ignore_errors=True)


def _history(title: str, revisions: int) -> Iterator[str]:
    """Each revision writes one sentence anew; one in ten is a revert."""
    chance = random.Random(title)
    vocabulary = Vocabulary(chance)
    sentences = [vocabulary.text(chance, 15) for _ in range(SENTENCES)]
    texts: list[str] = []
    for number in range(revisions):
        if number > 5 and chance.random() < 0.1:
            text = texts[-2]
        else:
            sentences[chance.randrange(SENTENCES)] = vocabulary.text(chance, 15)
            text = ".\n".join(sentences)
        texts.append(text)
        stamp = f"2015-{1 + number // 280 % 12:02}-{1 + number // 10 % 28:02}T{number % 10:02}:00:00Z"
        yield revision_xml(stamp, chance.choice(["Ana", "Bea", "10.1.2.3"]), text, comment=f"edit {number}")


def _download(api: str, title: str) -> tuple[float, int]:
    """What the simplest program does: page after page, nothing kept."""
    from ronda.wiki import questions

    with urlopen(_request(api, {"titles": title})) as response:
        (page,) = json.load(response)["query"]["pages"]
    began, size, onward = time.perf_counter(), 0, {}
    while True:
        asked = questions.oldest_first(page["pageid"], with_text=True, onward=onward)
        with urlopen(_request(api, asked)) as response:
            body = response.read()
        size += len(body)
        onward = json.loads(body).get("continue")
        if not onward:
            return time.perf_counter() - began, size


def _request(api: str, asked: dict[str, str]) -> Request:
    query = {"action": "query", "format": "json", "formatversion": "2", **asked}
    return Request(f"{api}?{urlencode(query)}", headers={"User-Agent": "bench (bench@example.org)"})


def _set_up(api: str) -> None:
    """A worker opens the lake once, not for every extraction, and it is not the first article that comes into it."""
    from ronda.policies.models import PolicyChange

    PolicyChange.objects.create(name="wiki_delay_seconds", value="0", former="1")
    _run_extraction(api, "Main Page")


def _run_extraction(api: str, title: str) -> tuple[float, str]:
    from ronda.jobs.services import enqueue, run
    from ronda.wiki.jobs import EXTRACT

    job = enqueue(kind=EXTRACT, owner=None, arguments={"api": api, "title": title})
    began = time.perf_counter()
    run(job_id=job.pk, worker="bench", stopping=threading.Event())
    seconds = time.perf_counter() - began
    job.refresh_from_db()
    return seconds, job.error


def _extract(api: str, title: str, revisions: int) -> float:
    from ronda.lake.reading import reading

    seconds, error = _run_extraction(api, title)
    with reading() as lake:
        (stored,) = lake.execute("SELECT count(*) FROM revisions WHERE title = ?", [title]).fetchone() or (0,)
    assert stored == revisions, (stored, error)
    return seconds


def _stored_bytes() -> int:
    from ronda.lake.opening import lake_folder

    return sum(file.stat().st_size for file in lake_folder().rglob("*.parquet"))
