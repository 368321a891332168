"""What can be wrong with a pipeline.

InvalidInput
└── BadPipeline         a stage or an expression that cannot be read
    ├── UnknownStage
    └── UnknownOperator
"""

from __future__ import annotations

from ronda.errors import InvalidInput


class BadPipeline(InvalidInput):
    """The pipeline cannot be read."""

    def __init__(self, message: str, *, field: str | None = "pipeline", hint: str | None = None) -> None:
        super().__init__(message, field=field, hint=hint)


class UnknownStage(BadPipeline):
    """There is no such stage."""


class UnknownOperator(BadPipeline):
    """There is no such operator."""
