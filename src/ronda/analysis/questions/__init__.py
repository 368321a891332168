"""Questions: SQL files with a header, in sets. The folders beside this file are the sets Ronda comes with."""

from ronda.analysis.questions.loading import (
    built_in_names,
    load,
    load_built_in,
    load_folder,
    set_of_texts,
)
from ronda.analysis.questions.model import (
    Caution,
    Column,
    Drawing,
    Parameter,
    Question,
    QuestionSet,
    TableNeed,
    Value,
    View,
)

__all__ = [
    "Caution",
    "Column",
    "Drawing",
    "Parameter",
    "Question",
    "QuestionSet",
    "TableNeed",
    "Value",
    "View",
    "built_in_names",
    "load",
    "load_built_in",
    "load_folder",
    "set_of_texts",
]
