"""What the leader does for trust."""

from __future__ import annotations

from datetime import timedelta

from ronda.supervision.duties import duty
from ronda.trust import canaries, checking, judging, last_looks, probing, services

PROBES_KEPT = timedelta(days=30)


@duty(every_seconds=2)
def judge_ready_checks() -> None:
    judging.judge_ready_checks()


@duty(every_seconds=2)
def take_back_answers_of_liars() -> None:
    services.take_back_answers_of_liars()


@duty(every_seconds=60)
def give_up_late_checks() -> None:
    checking.give_up_late_checks()


@duty(every_seconds=60)
def let_anybody() -> None:
    checking.let_anybody()


@duty(every_seconds=60)
def reopen_reports() -> None:
    services.reopen_reports()


@duty(every_seconds=60)
def take_last_looks() -> None:
    last_looks.take_last_looks()


@duty(every_seconds=5)
def try_canaries() -> None:
    canaries.try_canaries()


@duty(every_seconds=3600)
def forget_old_probes() -> None:
    probing.forget_old_probes(PROBES_KEPT)
