"""Strategy and vantage over the API and on the command line, with real nodes on the demo's web."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.running import RunningRonda, free_port, run_ronda


@pytest.fixture(scope="module")
def ronda(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningRonda]:
    running = RunningRonda(
        tmp_path_factory.mktemp("vantage") / "home",
        arguments=["--demo", "--nodes", "2", "--workers", "1"],
        environment={"RONDA_DEMO_PORT": str(free_port())},
    )
    running.start()
    yield running
    running.stop()


def test_strategies_and_countries_that_are_none_are_refused(ronda: RunningRonda) -> None:
    url = f"http://127.77.1.1:{ronda.environment['RONDA_DEMO_PORT']}/"
    assert ronda.call("POST", "/fetches", {"urls": [url], "strategy": "random"})[0] == 422
    assert ronda.call("POST", "/fetches", {"urls": [url], "vantage": ["chile"]})[0] == 422
    assert ronda.call("POST", "/fetches", {"urls": [url], "vantage": ["XX"]})[0] == 422


@pytest.mark.parametrize("strategy", ["equal", "least_busy", "nearest", "fastest"])
def test_every_strategy_brings_every_url_home(ronda: RunningRonda, strategy: str) -> None:
    port = ronda.environment["RONDA_DEMO_PORT"]
    urls = [f"http://127.77.{n}.1:{port}/" for n in (1, 2)]
    done = run_ronda(
        "fetch", *urls, "--strategy", strategy, "--json", home=ronda.home, RONDA_PORT=str(ronda.port)
    )
    answers = json.loads(done.stdout)
    assert sorted(answer["url"] for answer in answers) == urls
    assert {answer["state"] for answer in answers} == {"fetched"}


def test_two_countries_see_the_same_page(ronda: RunningRonda) -> None:
    nodes = ronda.call("GET", "/nodes")[1]["items"]
    assert len(nodes) == 2
    for node, country in zip(nodes, ("CL", "DE"), strict=True):
        told = {
            "name": node["name"],
            "version": node["version"],
            "system": node["system"],
            "country": country,
        }
        assert ronda.call("POST", "/grid/register", told)[1]["node_id"] == node["id"]
    url = f"http://127.77.3.1:{ronda.environment['RONDA_DEMO_PORT']}/"
    done = run_ronda(
        "fetch", url, "--vantage", "CL,DE", "--json", home=ronda.home, RONDA_PORT=str(ronda.port)
    )
    told = json.loads(done.stdout)
    assert sorted((a["country"], a["state"]) for a in told["answers"]) == [
        ("CL", "fetched"),
        ("DE", "fetched"),
    ]
    [comparison] = told["comparisons"]
    assert comparison["outcome"] in ("match", "differ"), "the demo's pages change while one looks"
    [fetch] = [f for f in ronda.call("GET", "/fetches")[1]["items"] if f["total"] == 2][:1]
    shown = ronda.call("GET", f"/fetches/{fetch['id']}")[1]["vantage"]
    assert (shown["countries"], shown["is_compared"]) == (["CL", "DE"], True)


def test_one_countrys_answer_is_reported_on_the_command_line(ronda: RunningRonda) -> None:
    def report(*arguments: str) -> tuple[int, str]:
        done = run_ronda("report", *arguments, home=ronda.home, RONDA_PORT=str(ronda.port))
        return done.returncode, done.stdout + done.stderr

    [fetch] = [f for f in ronda.call("GET", "/fetches")[1]["items"] if f["total"] == 2 and f["is_done"]][:1]
    url = f"http://127.77.3.1:{ronda.environment['RONDA_DEMO_PORT']}/"
    assert report(fetch["id"]) == (0, "Nothing is reported.\n")
    code, said = report(fetch["id"], url)
    assert code == 2
    assert "CL, DE" in said
    assert report(fetch["id"], url, "--country", "fr")[0] == 1
    code, said = report(fetch["id"], url, "--country", "de", "--note", "it is another page", "--json")
    made = json.loads(said)
    assert (code, made["country"], made["note"]) == (0, "DE", "it is another page")
    assert made["outcome"] == "nobody else could fetch it", "both nodes are of one person"
    assert str(made["answer"]) in report(fetch["id"])[1]


def test_nodes_are_listed_on_the_command_line(ronda: RunningRonda) -> None:
    done = run_ronda("nodes", home=ronda.home, RONDA_PORT=str(ronda.port))
    names = [node["name"] for node in ronda.call("GET", "/nodes")[1]["items"]]
    assert len(names) == 2
    assert all(name in done.stdout for name in names)


def test_country_without_nodes_ends_with_the_reason(ronda: RunningRonda) -> None:
    assert ronda.call("PUT", "/settings/vantage_wait_seconds", {"value": "1"})[0] == 200
    url = f"http://127.77.1.1:{ronda.environment['RONDA_DEMO_PORT']}/"
    done = run_ronda(
        "fetch", url, "--vantage", "fr,PE", "--json", home=ronda.home, RONDA_PORT=str(ronda.port)
    )
    told = json.loads(done.stdout)
    assert sorted((a["country"], a["state"], a["reason"]) for a in told["answers"]) == [
        ("FR", "failed", "no node in FR"),
        ("PE", "failed", "no node in PE"),
    ]
    assert [(c["url"], c["outcome"], c["rung"]) for c in told["comparisons"]] == [
        (url, "inconclusive", "answer")
    ]
