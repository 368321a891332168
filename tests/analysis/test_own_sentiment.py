"""A transformers model of one's own judges texts: a tiny one, made here, with weights by seed."""

from __future__ import annotations

import json
import os
import pickle
from pathlib import Path
from typing import Any

import pytest
from bench import movies_data

from ronda.analysis.engines.duckdb_engine import DuckDBEngine, Means
from ronda.analysis.errors import EngineMissing
from ronda.analysis.sentiment import Transformers, model_of
from tests.analysis import tables

WORDS = ["love", "war", "hope", "death", "a", "the", "young", "man", "woman", "city", "family", "night"]
LENGTH = 24

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def a_model(folder: Path, labels: tuple[str, ...] = ("NEGATIVE", "POSITIVE")) -> Path:
    """As save_pretrained() writes one, with two layers of sixteen numbers."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    hint = "its packages are not installed: pip install 'ronda[transformers]'"
    torch: Any = pytest.importorskip("torch", reason=hint)
    transformers: Any = pytest.importorskip("transformers", reason=hint)
    folder.mkdir()
    torch.manual_seed(4)
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]
    (folder / "vocab.txt").write_text("\n".join(vocabulary))
    transformers.BertTokenizer(str(folder / "vocab.txt"), model_max_length=LENGTH).save_pretrained(folder)
    config = transformers.BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=LENGTH,
        # Far from zero, or every text would get the same label.
        initializer_range=1.0,
        id2label=dict(enumerate(labels)),
        label2id={label: number for number, label in enumerate(labels)},
    )
    transformers.BertForSequenceClassification(config).save_pretrained(folder)
    return folder


def test_scores_are_those_of_the_model(tmp_path: Path) -> None:
    folder = a_model(tmp_path / "tiny")
    import torch
    import transformers

    texts = [f"{one} {other}" for one in WORDS for other in WORDS[:6]]
    texts.append("war " * 500)
    model = model_of(str(folder))
    found = model.scores([*texts, None, texts[0]])
    assert model.name == "tiny"
    assert found[-2] is None
    assert found[-1] == found[0]
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    plain = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
    for text, score in zip(texts, found, strict=False):
        with torch.no_grad():
            given = tokenizer(text, return_tensors="pt", truncation=True, max_length=LENGTH)
            negative, positive = torch.softmax(plain(**given).logits[0], 0).tolist()
        assert score == pytest.approx(positive if positive > negative else -negative, abs=1e-4)
    known = [score for score in found if score is not None]
    assert min(known) < 0 < max(known)


def test_a_question_says_who_judged(tmp_path: Path) -> None:
    model = Transformers(a_model(tmp_path / "tiny"))
    data = movies_data.make(tmp_path, movies=200, ratings=50, seed=3, people=20)
    with DuckDBEngine(Means(sentiment=model)) as engine:
        files = tables.movies_files(data)
        (answer,) = tables.answers(engine, "movies", files, only=["q5_sentiment"]).values()
    assert [row[0] for row in answer.rows] == ["NEGATIVE", "POSITIVE"]
    assert {row[-1] for row in answer.rows} == {"tiny"}
    assert sum(row[1] for row in answer.rows) == answer.used["movies"]
    # To an executor of Spark goes the way to the model.
    assert pickle.loads(pickle.dumps(model)).scores(["love"]) == model.scores(["love"])


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EngineMissing, match=r"no config\.json"):
        model_of(str(tmp_path))


def test_a_model_of_something_else_is_refused(tmp_path: Path) -> None:
    config = {"id2label": {"0": "sport", "1": "politics"}}
    (tmp_path / "config.json").write_text(json.dumps(config))
    with pytest.raises(EngineMissing, match="SPORT, POLITICS"):
        model_of(str(tmp_path))
