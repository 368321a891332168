"""What stands in a lake of a page, in the words of `revisions_of_dump`: of this process, or of a running Ronda."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.running import RunningRonda

STORED = """
SELECT r.revid, r.parentid, strftime(r.timestamp, '%Y-%m-%dT%H:%M:%S') AS timestamp, r."user", r.comment, r.minor,
       r.size, r.sha1, t.text, [r.is_user_hidden, r.is_comment_hidden, r.is_text_hidden] AS hidden
  FROM revisions r LEFT JOIN texts t USING (sha1)
 WHERE r.title = ?
"""


def stored(title: str) -> dict[int, dict[str, Any]]:
    return _by_id(_rows(title))


def revisions_in(ronda: RunningRonda, title: str) -> dict[int, dict[str, Any]]:
    """In a process of its own, which has that Ronda's home and database."""
    environment = {**os.environ, **ronda.environment, "DJANGO_SETTINGS_MODULE": "ronda.site.settings"}
    told = subprocess.run(
        [sys.executable, "-m", "tests.wiki.reading_a_lake", title],
        env=environment,
        cwd=Path(__file__).parents[2],
        capture_output=True,
        check=False,
    )
    assert told.returncode == 0, told.stderr.decode()
    return _by_id(json.loads(told.stdout))


def _rows(title: str) -> list[dict[str, Any]]:
    from ronda.lake.reading import reading

    with reading() as lake:
        asked = lake.execute(STORED, [title])
        names = [column[0] for column in asked.description or []]
        return [dict(zip(names, row, strict=True)) for row in asked.fetchall()]


def _by_id(rows: list[dict[str, Any]]) -> dict[int, dict[str, Any]]:
    found = {row.pop("revid"): row for row in rows}
    assert len(found) == len(rows), "a revision stands there twice"
    return found


if __name__ == "__main__":
    import django

    django.setup()
    sys.stdout.write(json.dumps(_rows(sys.argv[1])))
