"""Schemathesis reads the OpenAPI document and tries every operation with odd values: no 500, and no lies."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tests.running import RunningRonda

# There are some 150 operations; who has an hour gives each of them hundreds.
EXAMPLES = os.environ.get("SCHEMATHESIS_EXAMPLES", "12")
# The same values every time, as Hypothesis does in CI: a change is not blamed for what was never tried before it.
SEED = os.environ.get("SCHEMATHESIS_SEED", "20261118")


def test_no_operation_answers_500(
    ronda_in: Callable[..., RunningRonda], fresh_database: str, tmp_path: Path
) -> None:
    # A Ronda of its own: it fills the database, and may close the very account it uses.
    ronda = ronda_in("home", RONDA_DATABASE_URL=fresh_database)
    ronda.start()
    done = subprocess.run(
        [
            Path(sys.executable).with_name("schemathesis"),
            "run",
            f"{ronda.url}/api/v1/openapi.json",
            "--header",
            f"Authorization: Bearer {ronda.token}",
            "--checks",
            "not_a_server_error,content_type_conformance,response_schema_conformance",
            "--max-examples",
            EXAMPLES,
            "--seed",
            SEED,
            "--exclude-path-regex",
            "/processes/.*/restart",
            "--no-color",
            # Pages of hints about operations it could hardly try would hide what failed.
            "--warnings",
            "off",
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]


def test_api_page_needs_nothing_from_elsewhere(shared_ronda: RunningRonda) -> None:
    from urllib.request import urlopen

    with urlopen(f"{shared_ronda.url}/api/v1/docs") as response:
        page = response.read().decode()
        policy = response.headers["Content-Security-Policy"]
    assert "https://" not in page
    assert "script-src 'self'" in policy
    for path in ("/static/ninja/swagger-ui-bundle.js", "/static/ninja/swagger-ui-init.js"):
        assert path in page
        with urlopen(f"{shared_ronda.url}{path}") as response:
            assert response.status == 200
