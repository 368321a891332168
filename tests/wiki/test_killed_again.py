"""Workers killed at random while they fetch what is new, and while they heal: the wiki's own dump, each once."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import pytest
from django.db import connection
from django.utils import timezone

from ronda.database.embedded import EmbeddedPostgres
from ronda.frontier.models import Host
from ronda.jobs.kinds import JobKind
from ronda.jobs.models import Job, State
from ronda.jobs.services import enqueue
from ronda.lake.writing import write
from ronda.wiki.jobs import CHECK, EXTRACT
from ronda.wiki.models import Article, Completeness
from tests.wiki.conftest import REVISIONS, TITLE
from tests.wiki.hostile_proxy import HostileProxy
from tests.wiki.mortal_worker import done, killed_after
from tests.wiki.reading_a_lake import stored
from tests.wiki.real_mediawiki import RealMediaWiki, page_xml, revision_xml, revisions_of_dump

pytestmark = pytest.mark.django_db(transaction=True)

KILLS = 2
NEW_REVISIONS = 500


@pytest.fixture
def chance() -> random.Random:
    """SEED=… does the same again, as far as two processes ever do."""
    seed = os.environ.get("SEED") or str(random.randrange(10**9))
    print(f"SEED={seed}")  # noqa: T201  (shown when the test fails)
    return random.Random(seed)


@pytest.fixture
def proxy(real_wiki: RealMediaWiki, chance: random.Random) -> Iterator[HostileProxy]:
    """It lets everything pass at first."""
    made = HostileProxy(real_wiki.port, share=0, seed=chance.randrange(10**9))
    made.start()
    yield made
    made.stop()


@pytest.fixture
def killing(
    postgres: EmbeddedPostgres, tmp_path: Path, proxy: HostileProxy, chance: random.Random
) -> Callable[..., Job]:
    """Has a job done by workers of which the first are killed, each somewhere among its first questions."""
    environment = {
        "RONDA_HOME": str(tmp_path),
        "RONDA_DATABASE_URL": postgres.url.replace("/ronda?", f"/{connection.settings_dict['NAME']}?"),
        "RONDA_CONTACT": "ops@example.org",
        "RONDA_ALLOW_PRIVATE_NETWORKS": "yes",
    }

    def work(kind: JobKind, **arguments: object) -> Job:
        job = enqueue(kind=kind, owner=None, arguments=arguments)
        for _ in range(KILLS):
            if not killed_after(job.pk, environment, proxy, chance.randint(3, 9), chance):
                break
            # The killed one's turn ends by itself, after a while that nobody needs to wait for here.
            Host.objects.update(ready_at=timezone.now())
        done(job.pk, environment)
        job.refresh_from_db()
        assert job.state == State.SUCCEEDED, job.error
        assert job.attempt > 1, "nobody was killed"
        return job

    return work


def test_kills_while_fetching_what_is_new_and_while_healing(
    real_wiki: RealMediaWiki,
    proxy: HostileProxy,
    extract: Callable[..., Job],
    killing: Callable[..., Job],
    chance: random.Random,
) -> None:
    api = f"http://127.0.0.1:{proxy.port}/api.php"
    assert extract(api, TITLE).state == State.SUCCEEDED
    assert len(stored(TITLE)) == REVISIONS
    proxy.share = 0.15

    real_wiki.import_history(page_xml(TITLE, "".join(_news(chance))))
    killing(EXTRACT, api=api, title=TITLE)
    dumped = revisions_of_dump(real_wiki.dump(), TITLE)
    assert len(dumped) == REVISIONS + NEW_REVISIONS
    assert stored(TITLE) == dumped
    article = Article.objects.get()
    assert (article.completeness, article.revisions) == (Completeness.PROVED, len(dumped))

    _lose(chance.sample(sorted(dumped), 400))
    killing(CHECK, article=article.pk)
    assert stored(TITLE) == dumped
    article.refresh_from_db()
    assert (article.completeness, article.gaps) == (Completeness.PROVED, [])


def _news(chance: random.Random) -> Iterator[str]:
    for number in range(NEW_REVISIONS):
        stamp = f"2016-05-01T{number // 600:02}:{number // 10 % 60:02}:{number % 3:02}Z"
        text = f"text {chance.randrange(NEW_REVISIONS // 2)}"
        yield revision_xml(stamp, chance.choice(["Ana", "10.1.2.3"]), text, comment=f"later {number}")


def _lose(revids: list[int]) -> None:
    """As if files of the lake were gone: rows, and their texts."""

    def work(lake: duckdb.DuckDBPyConnection) -> None:
        lost = "revid IN (SELECT unnest(?::BIGINT[]))"
        lake.execute(f"DELETE FROM texts WHERE sha1 IN (SELECT sha1 FROM revisions WHERE {lost})", [revids])
        lake.execute(f"DELETE FROM revisions WHERE {lost}", [revids])

    write(work)
