"""Health and metrics, as a load balancer and Prometheus see them."""

from __future__ import annotations

from urllib.request import urlopen

from prometheus_client.parser import text_string_to_metric_families

from tests.running import RunningRonda


def test_healthz_says_who_leads_and_what_lives(shared_ronda: RunningRonda) -> None:
    health = shared_ronda.health()
    assert health["status"] == "ok"
    assert health["database"]["is_up"]
    assert health["leader"]["pid"] == shared_ronda.tree()["leader-1"].pid
    assert {p["role"] for p in health["processes"]} == {"leader", "node", "web", "worker"}


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
