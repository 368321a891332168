"""What the leader does for sessions."""

from __future__ import annotations

import time

from ronda.analysis import ending, live
from ronda.analysis.policies import ANSWER_DAYS, GRACE_SECONDS, KEEP_HOURS
from ronda.policies.queries import value_of
from ronda.supervision.duties import duty

EVERY_SECONDS = 2.0
# Longer than this between two looks, and Ronda itself was away: no client could give a sign of life.
GAP_SECONDS = 10.0


class Watch:
    """Since when the leader has been looking, without a gap. A silence counts from then: clients whose server was
    down, or whose leader is new, get the whole grace time."""

    def __init__(self) -> None:
        self._since = self._last = float("-inf")

    def seconds(self, now: float) -> float:
        if now - self._last > GAP_SECONDS:
            self._since = now
        self._last = now
        return now - self._since


_watch = Watch()


@duty(every_seconds=EVERY_SECONDS)
def end_silent_sessions() -> None:
    grace = int(value_of(GRACE_SECONDS))
    if _watch.seconds(time.monotonic()) >= grace:
        silent = ending.silent_sessions(grace)
        for session_id in list(silent.values_list("pk", flat=True)):
            # One that gave a sign of life just now stays.
            ending.begin_to_end(session_id, among=silent)
    ending.finish_all()


@duty(every_seconds=EVERY_SECONDS)
def answer_while_data_arrives() -> None:
    live.consider_all()
    ending.give_up_answering()


@duty(every_seconds=60)
def delete_old_sessions() -> None:
    ending.expire(keep_hours=int(value_of(KEEP_HOURS)), answer_days=int(value_of(ANSWER_DAYS)))
    ending.sweep()
