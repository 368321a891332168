"""What the API takes: bodies without surprises, and kinds of text."""

from __future__ import annotations

from typing import Annotated, Any, get_args

from ninja import Schema
from pydantic import ConfigDict, StringConstraints, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

# PostgreSQL cannot hold a zero byte in text; a lone surrogate is no text at all.
_STORABLE = r"^[^\x00]*$"

ShortText = Annotated[str, StringConstraints(max_length=200, pattern=_STORABLE, strip_whitespace=True)]


class Input(Schema):
    """A body a client sends: a name we do not know is a mistake worth telling, and true is no number."""

    model_config = ConfigDict(extra="forbid")

    @field_validator("*", mode="before")
    @classmethod
    def _true_is_no_number(cls, value: Any, info: ValidationInfo) -> Any:
        if isinstance(value, bool) and not _takes_yes_no(cls.model_fields[info.field_name or ""].annotation):
            raise PydanticCustomError("yes_no", "True and false are not taken here")
        return value


def _takes_yes_no(annotation: Any) -> bool:
    return annotation in (bool, Any) or any(_takes_yes_no(part) for part in get_args(annotation))
