"""Without pywb everything but the replay works, and it is said where people look."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ronda import configuration
from ronda.archive.replay_role import _doing
from ronda.archive.replay_server import ReplayServer
from ronda.archive.web_api import WebApi
from ronda.supervision.diagnosis import Severity, diagnose


def test_what_is_missing_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = configuration.load({"RONDA_HOME": str(tmp_path)})
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert _doing(given, ReplayServer(tmp_path, WebApi(given))).startswith("replay is not installed: ")
    [finding] = [one for one in diagnose(given) if one.name == "Replay"]
    assert (finding.severity, finding.found) == (Severity.NOTE, "replay is not installed")


def test_the_port_behind_the_console_s_is_its_own() -> None:
    def origin(**given: str) -> str:
        return configuration.load(given).replay_origin

    assert origin() == "http://127.0.0.1:8001"
    assert origin(RONDA_PORT="9000", RONDA_HOST="0.0.0.0") == "http://127.0.0.1:9001"
    assert origin(RONDA_REPLAY_PORT="7000") == "http://127.0.0.1:7000"
    assert origin(RONDA_REPLAY_URL="https://replay.example.org/") == "https://replay.example.org"


def test_collections_are_kept_apart_where_that_can_be() -> None:
    straight = configuration.load({})
    assert straight.has_replay_origins
    assert straight.replay_frames_of("press") == "http://127.0.0.1:*"
    named = configuration.load({"RONDA_REPLAY_URL": "https://{collection}.replay.example.org"})
    assert named.has_replay_origins
    assert named.replay_origin_of("press") == "https://press.replay.example.org"
    assert named.replay_frames_of("press") == "https://press.replay.example.org"
    shared = configuration.load({"RONDA_REPLAY_URL": "https://replay.example.org"})
    assert not shared.has_replay_origins
    assert shared.replay_frames_of("press") == "https://replay.example.org"
