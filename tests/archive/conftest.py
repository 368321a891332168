"""An archive of the test's own, with uploads appended the way the grid does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from django.conf import settings

from ronda.archive import services


@pytest.fixture
def archive_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """RONDA_HOME, for this test and this process; its writer is a new one."""
    monkeypatch.setattr(settings, "RONDA", replace(settings.RONDA, home=tmp_path))
    services.writer.cache_clear()
    yield tmp_path
    services.writer().close()
    services.writer.cache_clear()
