"""What the owner allows, and what the owner can look up afterwards."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ronda_node.allowance import Allowance, Hours
from ronda_node.errors import StateUnreadable
from ronda_node.fetch_log import FetchLog
from ronda_node.fetcher import Fetcher
from ronda_node.outcomes import FetchRequest
from ronda_node.policy import ANYWHERE
from tests.node.origin import answering, exchanging, page, run, serve


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def test_bytes_of_a_month_outlive_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "home" / "usage.json"
    first = Allowance(path, bytes_per_month=1000, now=lambda: at("2026-03-31T23:00"))
    assert first.rest() is None
    first.spend(1000)
    rest = first.rest()
    assert rest
    assert rest.until == at("2026-04-01T00:00")
    first.save()
    second = Allowance(path, bytes_per_month=1000, now=lambda: at("2026-03-31T23:30"))
    assert second.spent_bytes == 1000
    assert second.rest()
    third = Allowance(path, bytes_per_month=1000, now=lambda: at("2026-04-01T00:00"))
    assert third.spent_bytes == 0
    assert third.rest() is None


def test_saves_itself_now_and_then(tmp_path: Path) -> None:
    path = tmp_path / "usage.json"
    allowance = Allowance(path, now=lambda: at("2026-12-05T10:00"))
    allowance.spend(10_000_000)
    assert not path.exists()
    allowance.spend(10_000_000)
    assert json.loads(path.read_text()) == {"month": "2026-12", "bytes": 20_000_000}
    assert list(tmp_path.iterdir()) == [path]
    assert allowance.rest() is None


def test_unreadable_state_says_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "usage.json"
    for text in ("", "[]", '{"month": "2026-01"}', '{"month": "2026-01", "bytes": "x"}'):
        path.write_text(text)
        with pytest.raises(StateUnreadable, match="Delete it"):
            Allowance(path)


def test_hours(tmp_path: Path) -> None:
    def rest_until(hours: str, moment: str) -> datetime | None:
        allowance = Allowance(tmp_path / "x", hours=Hours.parse(hours), now=lambda: at(moment))
        rest = allowance.rest()
        return rest.until if rest else None

    assert rest_until("22-7", "2026-01-01T23:30") is None
    assert rest_until("22-7", "2026-01-01T06:59") is None
    assert rest_until("22-7", "2026-01-01T07:00") == at("2026-01-01T22:00")
    assert rest_until("8-18", "2026-01-01T08:00") is None
    assert rest_until("8-18", "2026-01-01T18:00") == at("2026-01-02T08:00")
    assert rest_until("18-24", "2026-01-01T23:59") is None
    for text in ("", "7", "7-7", "25-3", "0-24", "a-b"):
        with pytest.raises(ValueError, match="22-7"):
            Hours.parse(text)


def test_every_fetched_url_is_in_the_log(tmp_path: Path) -> None:
    path = tmp_path / "home" / "fetched.jsonl"

    async def scenario() -> int:
        log = FetchLog(path, most_bytes=3000, old_files=2)
        moved = page(b"", b"Location: /there", status=b"302 Found")
        async with serve(answering(moved, page(b"\xff" * 9))) as origin, exchanging() as exchanger:
            fetcher = Fetcher(exchanger, ANYWHERE)
            for number in range(20):
                url = origin.url(f"/{number}") if number else "http://user@x/"
                log.write(await fetcher.fetch(FetchRequest(f"r{number}", url)))
                if number == 2:
                    # Whatever becomes of this process now.
                    lines = [json.loads(line) for line in path.read_text().splitlines()]
            log.close()
        assert [line["request"] for line in lines] == ["r0", "r1", "r1", "r2"]
        assert lines[0]["reason"] == "userinfo"
        assert (lines[1]["status"], lines[2]["url"], lines[2]["ip"]) == (
            302,
            origin.url("/there"),
            "127.0.0.1",
        )
        assert lines[2]["bytes"] > 9
        return len(lines)

    assert run(scenario()) == 4
    files = sorted(path.parent.iterdir())
    assert [file.name for file in files] == ["fetched.jsonl", "fetched.jsonl.1", "fetched.jsonl.2"]
    assert all(file.stat().st_size <= 1000 for file in files)
    last = [json.loads(line)["request"] for file in reversed(files) for line in file.read_text().splitlines()]
    assert last[-1] == "r19"
    # Opened again, it goes on where it was.
    size = path.stat().st_size
    again = FetchLog(path)
    assert path.stat().st_size == size
    again.write_broken_off({"r20": "http://a.example/killed"})
    assert json.loads(path.read_text().splitlines()[-1]) | {"at": ""} == {
        "at": "", "request": "r20", "url": "http://a.example/killed", "reason": "broken off",
    }  # fmt: skip
    again.close()
