"""A home of the test's own, for segments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from django.conf import settings

from ronda.analysis import intake_pool


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(settings, "RONDA", replace(settings.RONDA, home=tmp_path))
    return tmp_path


@pytest.fixture(scope="session", autouse=True)
def _no_reader_stays() -> Iterator[None]:
    yield
    if intake_pool.pool.cache_info().currsize:
        intake_pool.pool().close()
