"""An archive of the test's own, and a canary address."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from django.conf import settings
from django.test import override_settings
from django.utils import timezone

from ronda.accounts.models import Person
from ronda.accounts.roles import Role
from ronda.trust import checking, probing
from ronda.trust.models import Canary
from tests.people import person_with
from tests.trust.crowd import CANARY


@pytest.fixture(autouse=True)
def _same_dice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which answers are checked is chance; in a test, the same one every time."""
    for module in (probing, checking):
        monkeypatch.setattr(module, "_chance", random.Random(7))


@pytest.fixture
def client(db: None, own_archive: Path) -> Iterator[Person]:
    """Somebody who has URLs fetched."""
    without_files = [name for name in settings.MIDDLEWARE if not name.endswith("StaticFilesMiddleware")]
    with override_settings(MIDDLEWARE=without_files):
        yield person_with(Role.CLIENT, email="client@example.org")


@pytest.fixture
def canary(db: None) -> Iterator[str]:
    """A canary that worked a moment ago."""
    with override_settings(RONDA=replace(settings.RONDA, canary_urls=CANARY)):
        Canary.objects.create(url=CANARY, worked_at=timezone.now())
        yield CANARY
