"""How a text sounds, from -1 to 1: by VADER's words, or by a transformers model of your own."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from ronda.analysis.errors import EngineMissing

# Distinct texts whose score is remembered in this process: a live question asks again and again.
REMEMBERED = 200_000
TRANSFORMERS_BATCH = 32
# Models that were never given names for their labels call them LABEL_0 and LABEL_1.
_SIGNS = {
    **dict.fromkeys(("POSITIVE", "POS", "LABEL_1"), 1),
    **dict.fromkeys(("NEGATIVE", "NEG", "LABEL_0"), -1),
    **dict.fromkeys(("NEUTRAL", "NEU"), 0),
}


class SentimentModel(Protocol):
    """Scores from -1 to 1, in the order of the texts; None for no text."""

    name: str

    def scores(self, texts: Sequence[str | None]) -> list[float | None]: ...


class _Remembering(ABC):
    """Each distinct text is judged once; what is remembered stays in this process."""

    def __init__(self) -> None:
        self._known: dict[str, float] = {}

    @abstractmethod
    def _judged(self, texts: list[str]) -> list[float]: ...

    def scores(self, texts: Sequence[str | None]) -> list[float | None]:
        known = self._known
        fresh = [text for text in dict.fromkeys(texts) if text is not None and text not in known]
        if len(known) + len(fresh) > REMEMBERED:
            known = self._known = {}
            fresh = [text for text in dict.fromkeys(texts) if text is not None]
        if fresh:
            known.update(zip(fresh, self._judged(fresh), strict=True))
        return [None if text is None else known[text] for text in texts]


class Vader(_Remembering):
    """vaderSentiment: rules and a lexicon; the same text has the same score everywhere."""

    name = "vaderSentiment"

    def __reduce__(self) -> tuple[Any, ...]:
        # To another process goes the way to one, not what this one remembers.
        return _shared_vader, ()

    def _judged(self, texts: list[str]) -> list[float]:
        analyzer = _vader()
        return [analyzer.polarity_scores(text)["compound"] for text in texts]


@cache
def _vader() -> Any:
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    return SentimentIntensityAnalyzer()


class Transformers(_Remembering):
    """A text classification model in a folder of this machine, whose labels say positive and negative."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder, self.name = folder, folder.resolve().name
        self._signs = _signs_of(folder)

    def __reduce__(self) -> tuple[Any, ...]:
        return Transformers, (self.folder,)

    def _judged(self, texts: list[str]) -> list[float]:
        # Cut by the tokenizer, at the model's own length: cutting at 512 characters gives other answers.
        found = _pipeline(str(self.folder))(texts, batch_size=TRANSFORMERS_BATCH, truncation=True)
        return [float(one["score"]) * self._signs[str(one["label"]).upper()] for one in found]


def _signs_of(folder: Path) -> dict[str, int]:
    """What each of its labels means. A model that sorts texts by something else would be believed otherwise."""
    try:
        config = json.loads((folder / "config.json").read_text("utf-8"))
    except (OSError, ValueError):
        raise EngineMissing(
            f"There is no transformers model in {folder}: it has no config.json.",
            hint="Give the folder that save_pretrained() wrote.",
        ) from None
    labels = [str(label).upper() for label in (config.get("id2label") or {}).values()]
    labels = labels or ["LABEL_0", "LABEL_1"]
    if {_SIGNS.get(label) for label in labels} - {0} != {1, -1}:
        raise EngineMissing(
            f"The model in {folder} does not tell positive from negative: its labels are {', '.join(labels)}.",
            hint="Take one of sentiment, with the labels POSITIVE and NEGATIVE.",
        )
    return {label: _SIGNS[label] for label in labels}


@cache
def _pipeline(folder: str) -> Any:
    try:
        from transformers import pipeline
    except ImportError:
        raise EngineMissing(
            "A model of your own needs the packages transformers and torch.",
            hint="Install them: pip install 'ronda[transformers]'.",
        ) from None
    return pipeline("text-classification", model=folder, tokenizer=folder, local_files_only=True)


VADER: SentimentModel = Vader()


def _shared_vader() -> SentimentModel:
    return VADER


def model_of(folder: str | None) -> SentimentModel:
    return Transformers(Path(folder)) if folder else VADER
