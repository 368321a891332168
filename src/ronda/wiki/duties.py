"""What the leader does for wikis and their lake."""

from __future__ import annotations

from ronda.jobs.models import OPEN_STATES, Job
from ronda.jobs.services import enqueue
from ronda.supervision.duties import duty
from ronda.wiki.changes import start_reading
from ronda.wiki.keeping_jobs import TIDY
from ronda.wiki.models import Article
from ronda.wiki.revisiting import end_forsaken_visits


@duty(every_seconds=5)
def end_visits_that_nobody_makes() -> None:
    end_forsaken_visits()


@duty(every_seconds=5)
def read_recent_changes() -> None:
    start_reading()


@duty(every_seconds=600)
def keep_the_lake_in_order() -> None:
    """Where nothing was ever extracted there is no lake to keep."""
    is_under_way = Job.objects.filter(kind=TIDY.name, state__in=OPEN_STATES).exists()
    if Article.objects.exists() and not is_under_way:
        enqueue(kind=TIDY, owner=None, arguments={})
