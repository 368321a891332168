"""What a node has in hand outlives it: cut off anywhere, what was finished is there, and what was begun is known."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ronda_node.deadline import Deadline
from ronda_node.errors import DiskFailed, HomeTaken
from ronda_node.fetcher import Fetcher
from ronda_node.held_block import HeldBlock, left_behind
from ronda_node.home import NodeHome
from ronda_node.host_run import Pace
from ronda_node.outcomes import FetchRequest
from ronda_node.policy import ANYWHERE
from ronda_node.server import Block, LeasedHost
from tests.node.origin import answering, exchanging, page, run, serve

SERVER = "http://ronda.example"


def held(folder: Path, requests: int = 3) -> HeldBlock:
    asked = tuple(FetchRequest(str(n), f"http://a.example/{n}") for n in range(requests))
    host = LeasedHost("a.example", Pace(delay_seconds=0.0), asked)
    block = Block("b1", (host,), 60.0, 10.0, 0.0, "")
    return HeldBlock(folder, block, server=SERVER, node_id="n1", deadline=Deadline(60))


def fill(folder: Path) -> None:
    """Two fetched, one begun, then nothing more: as a kill leaves it."""

    async def scenario() -> None:
        async with serve(answering(page(b"x" * 100_000))) as origin, exchanging() as exchanger:
            fetcher = Fetcher(exchanger, ANYWHERE)
            with held(folder) as block:
                for number in range(2):
                    request = FetchRequest(str(number), origin.url(f"/{number}"))
                    block.begin(request)
                    await block.add(await fetcher.fetch(request))
                    assert block.pending == 2 - number
                block.begin(FetchRequest("2", origin.url("/2")))

    run(scenario())


def urls_in(path: Path) -> list[str]:
    from fastwarc.warc import ArchiveIterator, WarcRecordType

    with path.open("rb") as file:
        records = ArchiveIterator(file, record_types=WarcRecordType.response)
        return [record.headers["WARC-Target-URI"].rpartition("/")[2] for record in records]


def test_left_behind(tmp_path: Path) -> None:
    fill(tmp_path)
    [delivery] = left_behind(tmp_path, server=SERVER)
    assert (delivery.id, delivery.node_id, delivery.interrupted) == ("b1", "n1", ["2"])
    assert delivery.begun["2"].endswith("/2"), "its URL is known, for the owner's log"
    assert urls_in(delivery.path) == ["0", "1"]
    assert left_behind(tmp_path, server="http://another.example") == []
    delivery.discard()
    assert list(tmp_path.iterdir()) == []


def test_what_is_too_old_to_be_remembered_is_forgotten(tmp_path: Path) -> None:
    fill(tmp_path)
    os.utime(tmp_path / "b1.journal", (1e9, 1e9))
    assert left_behind(tmp_path, server=SERVER) == []
    assert list(tmp_path.iterdir()) == []


def test_cut_off_anywhere(tmp_path: Path) -> None:
    """The journal is cut at every byte; the WARC file may hold more than it says."""
    fill(tmp_path)
    journal = (tmp_path / "b1.journal").read_bytes()
    warc = (tmp_path / "b1.warc.gz").read_bytes()
    for length in range(len(journal)):
        (tmp_path / "b1.journal").write_bytes(journal[:length])
        (tmp_path / "b1.warc.gz").write_bytes(warc + b"half a rec")
        found = left_behind(tmp_path, server=SERVER)
        if not journal[:length].count(b"\n"):
            continue
        lines = journal[:length].decode().split("\n")[1:-1]
        begun = {line.split()[1] for line in lines if line.startswith("begun")}
        done = {line.split()[1] for line in lines if line.startswith("done")}
        assert found[0].interrupted == sorted(begun - done)
        assert urls_in(found[0].path) == sorted(done)


@pytest.mark.parametrize("text", ["", "{}\n", "nonsense\n", "[]\n", '{"server": "http://ronda.example"}\n'])
def test_unreadable_journals_are_left_out(tmp_path: Path, text: str) -> None:
    (tmp_path / "b0.journal").write_text(text)
    fill(tmp_path)
    assert [delivery.id for delivery in left_behind(tmp_path, server=SERVER)] == ["b1"]


def test_block_that_grew_too_large_begins_nothing_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ronda_node.held_block.MOST_BYTES", 100)

    async def scenario() -> None:
        async with serve(answering(page())) as origin, exchanging() as exchanger:
            with held(tmp_path) as block:
                assert not block.deadline.is_within(10)
                await block.add(await Fetcher(exchanger, ANYWHERE).fetch(FetchRequest("0", origin.url("/"))))
                assert block.deadline.is_within(0)

    run(scenario())


def test_home_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(DiskFailed, match="cannot be the home"), NodeHome(tmp_path / "file"):
        pass


def test_one_node_a_home(tmp_path: Path) -> None:
    with NodeHome(tmp_path / "home"), pytest.raises(HomeTaken, match="--home"), NodeHome(tmp_path / "home"):
        pass
    with NodeHome(tmp_path / "home"):
        pass
