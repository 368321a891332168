"""How a job talks to a wiki, and to whoever watches it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

from django.utils.translation import gettext_noop

from ronda.jobs.run import JobRun
from ronda.lake.warming import warming
from ronda.wiki.conversation import Conversation

OF_TOTAL = gettext_noop("{done:,} of {total:,} revisions")
READ = gettext_noop("{done:,} revisions")


@contextmanager
def talking(run: JobRun, api: str, pulse: Callable[[], None]) -> Iterator[Conversation]:
    """The lake is opened meanwhile, if it is not: what the wiki says goes there."""
    with warming(), closing(Conversation(api, pulse=pulse, wait=run.wait)) as conversation:
        yield conversation


class Teller:
    """Progress of a history: against the wiki's count, where it says one."""

    def __init__(self, run: JobRun) -> None:
        self._run = run
        self._done = 0
        self._total: int | None = None

    def expect(self, total: int | None) -> None:
        self._total = total

    def __call__(self, done: int) -> None:
        """It got somewhere: what is stored so far is never read again."""
        self._done = done
        self._run.checkpoint({"revisions": done})
        self.pulse()

    def pulse(self) -> None:
        if self._total is None:
            self._run.progress(self._done, None, READ)
        else:
            self._run.progress(self._done, max(self._total, self._done), OF_TOTAL)
