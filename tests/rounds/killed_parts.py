"""A capture's two halves as processes that may be killed: who fetches and brings, and who reads and asks for more.

`python -m tests.rounds.killed_parts FOLDER`. The number of each is in FOLDER/<name>.pid; what was acknowledged is in
FOLDER/acknowledged, a line each. Forked from a process that has loaded everything: fifty starts would take minutes.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ronda.site.settings")

import django

django.setup()

from ronda.accounts.models import Person  # noqa: E402
from ronda.archive.models import Capture  # noqa: E402
from ronda.frontier.models import Host  # noqa: E402
from ronda.grid.models import Node  # noqa: E402
from ronda.rounds import steps, visiting  # noqa: E402
from tests.rounds.at_hand import Rounds  # noqa: E402

IDLE_SECONDS = 0.01


def main(folder: Path) -> None:
    parts: dict[str, Callable[[Path], None]] = {"node": bring_for_ever, "worker": step_for_ever}
    living = {_fork(name, part, folder): name for name, part in parts.items()}
    while True:
        gone, _status = os.wait()
        name = living.pop(gone)
        living[_fork(name, parts[name], folder)] = name


def _fork(name: str, part: Callable[[Path], None], folder: Path) -> int:
    child = os.fork()
    if child == 0:
        part(folder)
    fresh = folder / f"{name}.new"
    fresh.write_text(str(child))
    fresh.replace(folder / f"{name}.pid")
    return child


def bring_for_ever(folder: Path) -> None:
    """The node, and the part of the web process that takes uploads."""
    person = Person.objects.get(email="ana@example.org")
    rounds = Rounds(person, node=Node.objects.get(owner=person))
    newest = 0
    with (folder / "acknowledged").open("a") as log:
        while True:
            # What the one before held: its leases are not waited for.
            Host.objects.filter(holders__gt=0).update(holders=0)
            rounds.work()
            for number, url, visit in Capture.objects.filter(pk__gt=newest).values_list("pk", "url", "visit"):
                log.write(f"{visit} {url}\n")
                newest = max(newest, number)
            log.flush()
            time.sleep(IDLE_SECONDS)


def step_for_ever(folder: Path) -> None:
    """A worker, and the duties of the leader."""
    while True:
        visiting.open_due_visits()
        for visit_id in steps.ready_visits().values_list("pk", flat=True):
            steps.go_on(visit_id)
        time.sleep(IDLE_SECONDS)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
