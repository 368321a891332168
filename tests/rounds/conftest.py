"""A person with a node, an archive of the test's own, and sites to visit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from pytest_django import Settings

from ronda.accounts.roles import Role
from ronda.archive import services as archive
from ronda.demo import DemoClock, DemoServer, DemoWorld, serve_in_thread
from ronda.grid.policies import MOST_ATTEMPTS
from ronda.policies.services import change_setting
from tests.people import person_with
from tests.rounds.at_hand import Rounds


@pytest.fixture
def rounds(db: None, settings: Settings, tmp_path: Path) -> Iterator[Rounds]:
    settings.RONDA = replace(settings.RONDA, home=tmp_path, allow_private_networks=True)
    archive.writer.cache_clear()
    person = person_with(Role.ADMINISTRATOR)
    change_setting(actor=person, name=MOST_ATTEMPTS.name, value=1)
    yield Rounds(person)
    archive.writer().close()
    archive.writer.cache_clear()


@pytest.fixture(scope="session")
def world() -> DemoWorld:
    return DemoWorld(7)


@pytest.fixture
def clock(world: DemoWorld) -> DemoClock:
    return DemoClock(world.epoch + timedelta(days=200), speed=0)


@pytest.fixture
def demo(world: DemoWorld, clock: DemoClock) -> Iterator[DemoServer]:
    with serve_in_thread(world, clock) as running:
        yield running
