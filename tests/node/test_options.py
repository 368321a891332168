"""What the owner says: on the command line, in the environment, and with a file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ronda_node.allowance import Hours
from ronda_node.home import usual_home
from ronda_node.options import OPTIONS, URL, settings_of
from ronda_node.quantities import bytes_of, bytes_per_second_of

RONDA_NODE = str(Path(sys.executable).with_name("ronda-node"))
NEEDED = {"url": "https://ronda.example/", "token": "t"}


def test_amounts() -> None:
    assert bytes_of("50GB") == 50_000_000_000
    assert bytes_of("1.5 GiB") == 1_610_612_736
    assert bytes_of("700") == 700
    assert bytes_of("10k") == 10_000
    assert bytes_per_second_of("2MB/s") == 2_000_000
    assert bytes_per_second_of("500kB") == 500_000
    for text in ("", "GB", "-1GB", "0", "1 XB", "1e9", "nan", "٥GB", "2MB/h"):
        with pytest.raises(ValueError, match="like"):
            bytes_per_second_of(text)


def test_every_option_can_be_a_variable() -> None:
    values = {
        "url": "http://r.example",
        "token": "t",
        "name": "n",
        "home": "/srv/node",
        "slots": "8",
        "bandwidth": "2MB/s",
        "bytes-per-month": "50GB",
        "hours": "22-7",
        "country": "cl",
        "response-bytes": "1MB",
        "response-seconds": "2.5",
        "log": "/srv/log",
        "log-bytes": "1MB",
        "allow-private-networks": "yes",
    }
    assert set(values) == {option.flag for option in (URL, *OPTIONS)}
    environment = {option.variable: values[option.flag] for option in (URL, *OPTIONS)}
    settings = settings_of({}, environment)
    assert settings.hours == Hours(22, 7)
    assert settings.bytes_per_month == 50_000_000_000
    assert (settings.country, settings.slots, settings.response_seconds) == ("CL", 8, 2.5)
    assert settings.allow_private_networks
    assert settings.home == Path("/srv/node")
    # What is given goes before.
    assert settings_of({"slots": "3"}, environment).slots == 3


def test_defaults() -> None:
    settings = settings_of(NEEDED, {"UNRELATED": "1"})
    assert settings.url == "https://ronda.example"
    assert settings.home == usual_home()
    assert settings.name
    assert settings.slots is settings.hours is settings.bytes_per_month is settings.country is None


@pytest.mark.parametrize(
    ("given", "environment", "said"),
    [
        ({"slots": "0"}, {}, "--slots"),
        ({"slots": "many"}, {}, "--slots"),
        ({"country": "Chile"}, {}, "--country"),
        ({"hours": "night"}, {}, "22-7"),
        ({"url": "ronda.example"}, {}, "URL"),
        ({"response_seconds": "0"}, {}, "--response-seconds"),
        ({}, {"RONDA_NODE_BANDWIDTH": "fast"}, "RONDA_NODE_BANDWIDTH"),
        ({}, {"RONDA_NODE_ALLOW_PRIVATE_NETWORKS": "true"}, "neither yes nor no"),
        ({}, {"RONDA_NODE_SLOTZ": "3"}, "RONDA_NODE_SLOTZ"),
        ({"token": None}, {}, "RONDA_NODE_TOKEN"),
    ],
)
def test_mistakes_are_named(given: dict[str, str | None], environment: dict[str, str], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        settings_of({**NEEDED, **given}, environment)


def test_kill_switch_is_a_command(tmp_path: Path) -> None:
    for command, exists in (("stop", True), ("stop", True), ("start", False), ("start", False)):
        done = subprocess.run(
            [RONDA_NODE, command, "--home", str(tmp_path / "home")],
            capture_output=True,
            timeout=60,
            check=True,
        )
        assert b"stop" in done.stdout
        assert (tmp_path / "home" / "stop").exists() is exists
