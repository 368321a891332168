"""A process that brings uploads in, one after the other; when it is killed, the next one goes on.

`python -m tests.archive.ingesting LOG`. What was acknowledged it writes into LOG, a line each, when it was.
Its own number is in LOG.pid. Forked from a process that has loaded everything: fifty starts would take minutes.
"""

from __future__ import annotations

import os
import sys
import uuid
from io import BytesIO
from pathlib import Path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ronda.site.settings")

import django

django.setup()

from django.utils import timezone  # noqa: E402

from ronda.accounts.models import Person  # noqa: E402
from ronda.frontier.models import Host, RobotsState  # noqa: E402
from ronda.grid import answers, fetches  # noqa: E402
from ronda.grid.leasing import lease_block  # noqa: E402
from ronda.grid.models import Node  # noqa: E402
from tests.grid.warc_bodies import pair, response  # noqa: E402

URLS = 12


def main(log: Path) -> None:
    while True:
        child = os.fork()
        if child == 0:
            bring_for_ever(log)
        number = log.with_suffix(".new")
        number.write_text(str(child))
        number.replace(log.with_suffix(".pid"))
        os.waitpid(child, 0)


def bring_for_ever(log: Path) -> None:
    person = Person.objects.get(email="ana@example.org")
    node = Node.objects.get(owner=person)
    with log.open("a") as file:
        while True:
            for url in _bring(person, node):
                file.write(url + "\n")
            file.flush()


def _bring(person: Person, node: Node) -> list[str]:
    """One block, from the asking to the acknowledgement."""
    mark = uuid.uuid4()
    fetches.create_fetch(actor=person, urls=[f"http://h{n}.example/{mark}" for n in range(URLS)])
    Host.objects.update(
        robots_state=RobotsState.ABSENT,
        robots_expires_at="2100-01-01T00:00:00Z",
        ready_at=timezone.now(),
        holders=0,
    )
    work = lease_block(actor=person, node_id=node.pk, slots=URLS)
    wanted = [(request.url, str(request.id)) for host in work.hosts for request in host.requests]
    body = b"".join(pair(url, number, response(200, os.urandom(2000))) for url, number in wanted)
    answers.take_upload(actor=person, node_id=node.pk, block=work.block, upload=BytesIO(body))
    return [url for url, _ in wanted]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
