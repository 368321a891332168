"""Prediction from the command line, against a running server."""

from __future__ import annotations

from pathlib import Path

from tests.cli.test_following import _json, _ronda
from tests.cli.test_following import ronda as ronda
from tests.running import RunningRonda

PATIENT = "https://predicted.example/"


def test_choose_look_and_tell(ronda: RunningRonda, tmp_path: Path) -> None:
    made = _json(ronda, "follow", PATIENT, "--predictor", "simple", "--weight", "3")
    assert (made["predictor"], made["weight"]) == ("simple", 3)
    assert _json(ronda, "source", "edit", PATIENT, "--predictor", "auto")["predictor"] == "auto"
    assert _json(ronda, "outlook", PATIENT)["chosen"] == "auto"
    assert _json(ronda, "outlook", PATIENT, "--predictor", "fixed:3")["predictor"] == "fixed:3"
    assert "chosen_by" in _ronda(ronda, "outlook", PATIENT).stdout
    assert _json(ronda, "notify", PATIENT)[0]["url"] == PATIENT
    assert PATIENT in _ronda(ronda, "notify", PATIENT).stdout
    assert _ronda(ronda, "notify", "https://nobody.example/").returncode == 1
    assert set(_json(ronda, "groups")) == {"all", "by_frequency", "by_behaviour"}
    assert "needless" in _ronda(ronda, "groups").stdout
    assert "No sources in this group" in _ronda(ronda, "groups", "--group", "high").stdout
    assert _ronda(ronda, "trace").stdout.startswith("source,changed_at")
    nothing = _ronda(ronda, "simulate", "--from-visits", "--collection", "scientific")
    assert (nothing.returncode, "no rows" in nothing.stderr) == (2, True)
    both = _ronda(ronda, "simulate", "--from-visits", "--scenario", "poisson")
    assert (both.returncode, "one of them" in both.stderr) == (2, True)
    out = tmp_path / "trace.csv"
    assert _ronda(ronda, "trace", "--source", PATIENT, "-o", str(out)).returncode == 0
    assert out.read_text().startswith("source,changed_at")


def test_of_collections_and_topics(ronda: RunningRonda) -> None:
    assert _json(ronda, "collections", "predictor", "cultural", "simple") == {"predictor": "simple"}
    assert "as the settings say" in _ronda(ronda, "collections", "predictor", "cultural").stdout
    assert _json(ronda, "topics", "predictor", "301", "auto") == {"predictor": "auto"}
    assert _ronda(ronda, "topics", "predictor", "301").returncode == 0
    wrong = _ronda(ronda, "topics", "predictor", "301", "nobody")
    assert (wrong.returncode, "nobody" in wrong.stderr) == (2, True)
