"""Articles are sources of the rounds: the document's rule says when, a notification or the wiki itself wakes them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from ronda.accounts.models import Person
from ronda.jobs.models import Job, State
from ronda.jobs.services import run
from ronda.rounds import notifying, visiting
from ronda.rounds.models import Source, Visit, VisitCause, VisitOutcome
from ronda.wiki import changes
from ronda.wiki.models import Article, Wiki
from ronda.wiki.revisiting import end_forsaken_visits, expected_seconds, follow_article, sample_size
from ronda.wiki.storing import Page, store
from tests.wiki.conftest import TITLE
from tests.wiki.real_mediawiki import RealMediaWiki
from tests.wiki.test_storing import revision

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize(
    ("revisions", "sample", "span_days", "hours"), [(280, 28, 14, 12), (1350, 135, 13, 2.31)]
)
def test_the_rule_as_the_document_has_it(revisions: int, sample: int, span_days: int, hours: float) -> None:
    assert sample_size(revisions) == sample
    seconds = expected_seconds(revisions, span_days * 86400)
    assert seconds / 3600 == pytest.approx(hours, abs=0.005)


def test_the_next_visit_comes_when_the_rule_says(own_lake: Path) -> None:
    wiki = Wiki.objects.create(key="wiki.example", api="https://wiki.example/w/api.php")
    article = Article.objects.create(wiki=wiki, pageid=7, title="Ronda", revisions=280)
    now = timezone.now()
    times = [now - timedelta(hours=1) - timedelta(days=14) * n / 27 for n in range(28)]
    times += [times[-1] - timedelta(days=30 + n) for n in range(252)]
    rows = [revision(number, at=at) for number, at in enumerate(sorted(times), start=1)]
    store(Page("wiki.example", 7, "Ronda"), rows, None)

    source = follow_article(article, None)
    assert source.predictor == "exponential"
    assert source.next_visit_at
    assert source.next_visit_at - times[0] == pytest.approx(timedelta(hours=12), abs=timedelta(seconds=5))
    assert source.next_visit_values["hours"] == pytest.approx(12, abs=0.01)


def test_an_edit_that_is_told_of_is_fetched(
    real_wiki: RealMediaWiki, extract: Callable[..., Job], subscriber: Person
) -> None:
    extract(real_wiki.api, TITLE, with_text=False)
    source = Source.objects.get()
    assert (source.visitor, source.predictor, source.title) == ("wiki", "exponential", TITLE)
    assert source.next_visit_at
    assert source.next_visit_at > timezone.now()

    real_wiki.edit(TITLE, "News")
    url = f"http://127.0.0.1:{real_wiki.port}/index.php/{TITLE.replace(' ', '_')}"
    heard = notifying.notify(actor=subscriber, url=url)
    assert [one.source for one in heard] == [source]
    _make_due(source)
    visit = _visit(source)
    assert (visit.cause, visit.outcome) == (VisitCause.SIGNAL, VisitOutcome.CAPTURED)
    assert Article.objects.get().revisions == 3001

    # And again, this time the wiki itself tells.
    real_wiki.edit(TITLE, "More news")
    Wiki.objects.update(changes_read_at=timezone.now() - timedelta(minutes=10))
    changes.start_reading()
    job = _run_newest("read_recent_changes")
    assert job.result == {"changes": job.result["changes"] if job.result else 0, "woken": 1}
    _make_due(source)
    assert _visit(source).outcome == VisitOutcome.CAPTURED
    _make_due(source)
    assert _visit(source).outcome == VisitOutcome.UNCHANGED


def test_a_visit_whose_job_was_lost_ends(
    real_wiki: RealMediaWiki, extract: Callable[..., Job], subscriber: Person
) -> None:
    extract(real_wiki.api, TITLE, with_text=False)
    source = Source.objects.get()
    _make_due(source)
    visiting.open_due_visits()
    Job.objects.filter(kind="revisit_article").update(state=State.FAILED)
    end_forsaken_visits()
    assert Visit.objects.get().outcome == VisitOutcome.DOWN
    source.refresh_from_db()
    assert source.failed_visits == 1


def _make_due(source: Source) -> None:
    Source.objects.filter(pk=source.pk).update(next_visit_at=datetime(2020, 1, 1, tzinfo=UTC))


def _visit(source: Source) -> Visit:
    assert visiting.open_due_visits() == 1
    job = _run_newest("revisit_article")
    assert job.state == State.SUCCEEDED, job.error
    return Visit.objects.filter(source=source).latest("pk")


def _run_newest(kind: str) -> Job:
    job = Job.objects.filter(kind=kind).latest("created_at")
    run(job_id=job.pk, worker="test", stopping=threading.Event())
    job.refresh_from_db()
    return job
