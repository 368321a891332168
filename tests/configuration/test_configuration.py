"""The environment: read once, checked, and handed on to children unchanged."""

from __future__ import annotations

import pytest

from ronda import configuration
from ronda.configuration import VARIABLES
from ronda.environment import ConfigurationError


def test_defaults_and_round_trip_to_children() -> None:
    given = configuration.load({"RONDA_PORT": "9001", "RONDA_HOME": "/somewhere", "UNRELATED": "x"})
    assert (given.port, str(given.home), given.workers) == (9001, "/somewhere", 2)
    assert configuration.load(given.as_environment()) == given
    assert set(given.as_environment()) == {variable.name for variable in VARIABLES}


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("0.0.0.0", "http://127.0.0.1:8000"),
        ("::", "http://[::1]:8000"),
        ("::1", "http://[::1]:8000"),
        ("ronda.example", "http://ronda.example:8000"),
    ],
)
def test_local_address(host: str, url: str) -> None:
    assert configuration.load({"RONDA_HOST": host}).local_url == url


def test_secrets_do_not_stand_in_errors() -> None:
    with pytest.raises(ConfigurationError) as caught:
        configuration.load({"RONDA_DATABASE_URL": "mysql://user:hunter2@host"})
    assert "hunter2" not in str(caught.value)


def test_unknown_variable_is_named_with_what_was_meant() -> None:
    with pytest.raises(ConfigurationError, match=r"RONDA_HOEM.*RONDA_HOME"):
        configuration.load({"RONDA_HOEM": "x"})


@pytest.mark.parametrize(
    "home", ["/tmp/two\nlines", "/tmp/no\udcffutf8", "/tmp/bell\x07", "~nobody-of-this-name/ronda"]
)
def test_homes_that_are_no_text(home: str) -> None:
    with pytest.raises(ConfigurationError, match="RONDA_HOME"):
        configuration.load({"RONDA_HOME": home})


@pytest.mark.parametrize(
    ("given", "proxies"),
    [
        ({}, []),
        ({"RONDA_PUBLIC_URL": "https://ronda.example"}, ["127.0.0.0/8", "::1"]),
        ({"RONDA_TRUSTED_PROXIES": "10.0.0.5, 172.16.0.0/12"}, ["10.0.0.5", "172.16.0.0/12"]),
        (
            {"RONDA_TRUSTED_PROXIES": "10.0.0.5", "RONDA_PUBLIC_URL": "https://ronda.example"},
            ["10.0.0.5"],
        ),
    ],
)
def test_whose_word_about_addresses_is_taken(given: dict[str, str], proxies: list[str]) -> None:
    assert configuration.load(given).proxies == proxies


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("RONDA_TRUSTED_PROXIES", "everybody"),
        ("RONDA_TRUSTED_PROXIES", "*"),
        ("RONDA_TRUSTED_PROXIES", "10.0.0.1/8"),
        ("RONDA_CONTACT", "nobody"),
        ("RONDA_CONTACT", "javascript:alert(1)"),
        ("RONDA_CONTACT", "a <b@example.org>"),
    ],
)
def test_refused_values(name: str, value: str) -> None:
    with pytest.raises(ConfigurationError, match=name):
        configuration.load({name: value})
