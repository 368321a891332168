"""Jobs through the API, run by real workers."""

from __future__ import annotations

import pytest

from tests.running import RunningRonda, wait_for


def test_job_from_start_to_end(shared_ronda: RunningRonda) -> None:
    job = shared_ronda.start_drill(steps=3, pause_seconds=0.01)
    ended = shared_ronda.wait_for_job(job, "succeeded")
    assert (ended["done"], ended["total"], ended["sentence"]) == (3, 3, "3 of 3 steps")
    assert ended["worker"].startswith("worker-")
    status, answer = shared_ronda.call("GET", f"/status/{job}?name=extract_article")
    assert status == 200
    assert answer == {"state": "SUCCESS", "status": "3 of 3 steps", "result": {"steps": 3, "workers": 1}}


def test_status_of_a_running_job_as_the_wiki_document_shows_it(shared_ronda: RunningRonda) -> None:
    job = shared_ronda.start_drill(steps=1000, pause_seconds=0.2)
    wait_for(lambda: shared_ronda.job(job)["done"] >= 1, "the first step")
    _, answer = shared_ronda.call("GET", f"/status/{job}")
    assert answer["state"] == "IN PROGRESS"
    assert answer["status"].endswith("of 1,000 steps")
    status, cancelling = shared_ronda.call("DELETE", f"/jobs/{job}")
    assert (status, cancelling["is_cancelling"]) == (202, True)
    shared_ronda.wait_for_job(job, "cancelled")
    assert shared_ronda.call("GET", f"/status/{job}")[1]["state"] == "REVOKED"


def test_lists_come_in_pages_and_in_order(shared_ronda: RunningRonda) -> None:
    for _ in range(3):
        shared_ronda.wait_for_job(shared_ronda.start_drill(steps=1, pause_seconds=0), "succeeded")
    _, whole = shared_ronda.call("GET", "/jobs?page_size=500&sort=created_at")
    moments = [job["created_at"] for job in whole["items"]]
    assert moments == sorted(moments)
    assert whole["total"] == len(moments) >= 3
    pages = [
        shared_ronda.call("GET", f"/jobs?page={n}&page_size=2&sort=created_at")[1]["items"] for n in (1, 2)
    ]
    assert [job["id"] for page in pages for job in page] == [job["id"] for job in whole["items"][:4]]
    _, succeeded = shared_ronda.call("GET", "/jobs?state=succeeded&kind=drill&page_size=1")
    assert succeeded["items"][0]["state"] == "succeeded"


@pytest.mark.parametrize(
    "path",
    [
        "/tokens",
        "/people",
        "/settings/changes",
        "/jobs",
        "/processes",
        "/nodes",
        "/fetches",
        "/hosts",
        "/opt-outs",
    ],
)
def test_every_list_takes_page_size_and_sort(shared_ronda: RunningRonda, path: str) -> None:
    status, answer = shared_ronda.call("GET", f"{path}?page=1&page_size=1")
    assert status == 200
    assert set(answer) == {"items", "page", "page_size", "total"}
    assert len(answer["items"]) <= 1
    assert shared_ronda.call("GET", f"{path}?sort=nonsense")[0] == 422
