"""Health and metrics, as a load balancer and Prometheus see them."""

from __future__ import annotations

import re
from urllib.request import urlopen

from prometheus_client.parser import text_string_to_metric_families

from tests.running import RunningRonda


def test_healthz_says_who_leads_and_what_lives(shared_ronda: RunningRonda) -> None:
    health = shared_ronda.health()
    assert health["status"] == "ok"
    assert health["database"]["is_up"]
    assert health["leader"]["pid"] == shared_ronda.tree()["leader-1"].pid
    assert {p["role"] for p in health["processes"]} == {"leader", "node", "replay", "web", "worker"}


def test_metrics_are_prometheus_text(shared_ronda: RunningRonda) -> None:
    shared_ronda.call("GET", "/me")
    with urlopen(f"{shared_ronda.url}/metrics") as response:
        text = response.read().decode()
    samples = {
        (sample.name, *sorted(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }
    assert samples[("ronda_database_up",)] == 1
    assert samples[("ronda_leader_term",)] >= 1
    assert samples[("ronda_processes", ("role", "web"), ("state", "running"))] == 1
    route = ("ronda_http_requests_total", ("method", "GET"), ("route", "api/v1/me"), ("status", "200"))
    assert samples[route] >= 1


def test_the_bot_s_user_agent_leads_to_a_page_for_owners_of_sites(shared_ronda: RunningRonda) -> None:
    _, registered = shared_ronda.call("POST", "/grid/register", {"name": "mine", "version": "1"})
    address = re.fullmatch(r"RondaBot/\S+ \(\+(\S+/bot)\)", registered["user_agent"])
    assert address
    with urlopen(address[1], timeout=30) as response:
        assert "Disallow: /" in response.read().decode()
