"""What the API of sources takes and gives."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Annotated, Any

from ninja import Field, Schema
from pydantic import ConfigDict, StringConstraints

from ronda.archive.collections import LARGEST_CODE, SLUG
from ronda.http.inputs import Input, ShortText
from ronda.rounds import bulk, intervals, reasons, wishes
from ronda.rounds.models import Scope, Source, SourceState
from ronda.rounds.predictor_names import LONGEST_NAME
from ronda.rounds.queries import SourceFilter

Slug = Annotated[str, StringConstraints(max_length=60, pattern=SLUG)]
Code = Annotated[int, Field(ge=1, le=LARGEST_CODE)]
Tag = Annotated[str, StringConstraints(max_length=wishes.LONGEST_TAG, pattern=r"^[^,\x00]+$")]
Notes = Annotated[str, StringConstraints(max_length=wishes.LONGEST_NOTES, pattern=r"^[^\x00]*$")]
Title = Annotated[str, StringConstraints(max_length=wishes.LONGEST_TITLE, pattern=r"^[^\x00]*$")]
Url = Annotated[str, StringConstraints(min_length=1, max_length=2048)]
Every = Annotated[
    str, StringConstraints(pattern=intervals.PATTERN), Field(description="90s, 30m, 12h, 1d, 2w, or auto.")
]
PredictorName = Annotated[
    str,
    StringConstraints(max_length=LONGEST_NAME, pattern=r"^[a-z0-9_:.]*$"),
    Field(
        description="A predictor's name, or auto; nothing: that of its topic, its collection or the settings."
    ),
]
Threshold = Annotated[
    float | None,
    Field(ge=0, le=1, description="The score from which a change is important; none: what the setting says."),
]


class SourceIn(Input):
    url: Url
    collection: Annotated[Slug | None, Field(description="Its short name; none: what the setting says.")] = (
        None
    )
    topic: Annotated[Code | None, Field(description="Its code.")] = None
    title: Title = ""
    scope: Scope = Scope.HOST
    depth: Annotated[int, Field(ge=0, le=wishes.MOST_DEPTH)] = 3
    max_pages: Annotated[int, Field(ge=1, le=wishes.MOST_PAGES)] = 1000
    max_bytes: Annotated[int, Field(ge=wishes.BYTES[0], le=wishes.BYTES[1])] = 1024**3
    max_seconds: Annotated[int, Field(ge=wishes.SECONDS[0], le=wishes.SECONDS[1])] = 6 * 3600
    is_for_any_node: bool = False
    every: Every = intervals.AUTO
    predictor: PredictorName = ""
    weight: Annotated[
        float,
        Field(ge=wishes.WEIGHTS[0], le=wishes.WEIGHTS[1], description="How much it counts within a budget."),
    ] = 1.0
    threshold: Threshold = None
    tags: Annotated[list[Tag], Field(max_length=wishes.MOST_TAGS)] = Field(default_factory=list)
    notes: Notes = ""


def _without_defaults(schema: dict[str, Any]) -> None:
    """What is left out stays as it is: a default would say otherwise."""
    for one in schema["properties"].values():
        one.pop("default", None)


class SourceChange(SourceIn):
    """What is left out stays as it is. It holds from the next visit on."""

    model_config = ConfigDict(json_schema_extra=_without_defaults)

    url: Url = "unchanged"
    owner: Annotated[
        str,
        StringConstraints(max_length=254),
        Field(description="To whom it goes, by mail address (directors)."),
    ] = ""
    edition: Annotated[
        int | None, Field(ge=0, description="The one you looked at: if it was edited since, 409.")
    ] = None


class SourceOut(Schema):
    id: uuid.UUID
    url: str
    title: str
    collection: str
    topic: int | None
    owner: str | None
    state: SourceState
    edition: Annotated[int, Field(description="Counts up with every edit.")]
    scope: Scope
    depth: int
    max_pages: int
    max_bytes: int
    max_seconds: int
    is_for_any_node: bool
    every: str
    threshold: float | None
    tags: list[str]
    notes: str
    created_at: datetime
    visited_at: datetime | None
    next_visit_at: datetime | None
    next_visit_because: str
    next_visit_chance: float | None
    predictor: str
    weight: float
    failed_visits: int
    versions: int
    version_at: datetime | None
    bytes_stored: int

    @staticmethod
    def resolve_collection(source: Source) -> str:
        return source.collection.slug

    @staticmethod
    def resolve_topic(source: Source) -> int | None:
        return source.topic_id

    @staticmethod
    def resolve_owner(source: Source) -> str | None:
        return str(source.owner) if source.owner else None

    @staticmethod
    def resolve_every(source: Source) -> str:
        return intervals.words_of(source.every_seconds)

    @staticmethod
    def resolve_next_visit_because(source: Source) -> str:
        return reasons.in_english(source.next_visit_because, source.next_visit_values)

    @staticmethod
    def resolve_versions(source: Any) -> int:
        return int(source.version_count)

    @staticmethod
    def resolve_bytes_stored(source: Any) -> int:
        return int(source.stored_bytes)


class WantedSources(Schema):
    """Which sources; what is left out does not matter."""

    collection: Annotated[str, Field(max_length=60, pattern=r"^[^\x00]*$", description="Its short name.")] = (
        ""
    )
    topic: Code | None = None
    state: SourceState | None = None
    tag: Annotated[str, Field(max_length=wishes.LONGEST_TAG, pattern=r"^[^\x00]*$")] = ""
    search: ShortText = ""
    url: Annotated[str, Field(max_length=2048, pattern=r"^[^\x00]*$", description="Exactly this one.")] = ""
    mine: Annotated[bool, Field(description="Only those I follow.")] = False

    def as_filter(self) -> SourceFilter:
        return SourceFilter(
            collection=self.collection,
            topic=self.topic,
            state=self.state or "",
            tag=self.tag,
            search=self.search,
            url=self.url,
            is_mine=self.mine,
        )


class LineOut(Schema):
    line: int
    url: str
    source: uuid.UUID | None
    refused_because: str | None


class ImportOut(Schema):
    taken: int
    refused: int
    lines: list[LineOut]


class BulkIn(Input):
    sources: Annotated[list[uuid.UUID], Field(min_length=1, max_length=bulk.MOST_SOURCES)]
    action: bulk.Action
    collection: Annotated[Slug | None, Field(description="For move: where to.")] = None
    because: Annotated[ShortText, Field(description="For remove: why.")] = ""


class DoneOut(Schema):
    source: uuid.UUID
    refused_because: str | None
