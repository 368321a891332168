"""Puts the next step of a visit in the queue of the workers: in the transaction that made it due, once."""

from __future__ import annotations

from django.db import OperationalError, transaction
from procrastinate.exceptions import AlreadyEnqueued, ConnectorException


def push(visit_id: int) -> None:
    """Harmless to repeat: a step that waits already will see what is new."""
    from ronda.rounds.tasks import go_on_with_visit  # the queue's task calls back into this room

    try:
        with transaction.atomic():
            go_on_with_visit.configure(queueing_lock=f"visit-{visit_id}").defer(visit_id=visit_id)
    except AlreadyEnqueued:
        return
    except ConnectorException as error:  # the queue's word for a database that is gone
        raise OperationalError(str(error)) from error


def push_beacon(beacon_id: int, capture_id: int) -> None:
    """A feed or sitemap came that is another one than before: a worker reads it."""
    from ronda.rounds.tasks import read_beacon

    try:
        with transaction.atomic():
            read_beacon.defer(beacon_id=beacon_id, capture_id=capture_id)
    except ConnectorException as error:
        raise OperationalError(str(error)) from error
