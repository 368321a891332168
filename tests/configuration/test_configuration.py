"""The environment: read once, checked, and handed on to children unchanged."""

from __future__ import annotations

import pytest

from ronda import configuration
from ronda.configuration import VARIABLES, ConfigurationError


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
