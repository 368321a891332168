"""API of prediction: outlooks, groups, chosen predictors, notifications in, and Ronda's own visits as a trace."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Annotated, Any

from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone
from ninja import Field, Query, Router, Schema, Status
from pydantic import StringConstraints

from ronda.accounts.authentication import actor_of
from ronda.accounts.roles import require
from ronda.archive.collections import LARGEST_CODE
from ronda.archive.queries import READERS
from ronda.http.inputs import Input
from ronda.http.paging import PageOf, PageRequest, paginate
from ronda.http.streaming import stream
from ronda.rounds import choosing, grouping, notifying, observing, planning, queries, reasons, tracing
from ronda.rounds.choosing import ChosenBy
from ronda.rounds.models import Source, TrackRecord
from ronda.rounds.prediction_models import Behaviour, FrequencyGroup
from ronda.rounds.predictor_names import AUTO, DEFAULT, PREDICTORS, checked
from ronda.rounds.queries import SourceFilter
from ronda.rounds.sources_shapes import PredictorName, Slug

router = Router(tags=["Prediction"])

Url = Annotated[str, StringConstraints(min_length=1, max_length=2048, pattern=r"^[^\x00]*$")]


class RecordOut(Schema):
    """What the visits to a source came to. `lost` is an estimate; `frequency` the share of days with a change."""

    visits: int
    changes: int
    needless: int
    lost: float
    bytes_stored: int
    bytes_saved: int
    observed_days: int
    frequency: float
    group: FrequencyGroup | None
    behaviour: Behaviour | None
    best_predictor: str | None
    back_tested_at: datetime | None


class OutlookOut(Schema):
    """When it is visited next, and why; `predicted_at` is what the predictor says, whatever interval was set."""

    source: uuid.UUID
    predictor: Annotated[str, Field(description="The one that is asked.")]
    chosen: Annotated[str, Field(description="What was chosen: its name, or auto.")]
    chosen_by: ChosenBy
    next_visit_at: datetime | None
    next_visit_because: str
    next_visit_chance: Annotated[float | None, Field(description="That the next visit finds a change.")]
    predicted_at: datetime
    predicted_because: str
    wants_notifications: bool
    record: RecordOut | None


@router.get(
    "/sources/{uuid:source_id}/outlook", response=OutlookOut, summary="When it is visited next, and why"
)
def show_outlook(request: HttpRequest, source_id: uuid.UUID, predictor: PredictorName = "") -> dict[str, Any]:
    """`predictor`: what another one would say."""
    source = queries.source_seen(actor_of(request), source_id)
    name = "" if checked(predictor) in ("", AUTO) else predictor
    outlook = planning.outlook_of(source, observing.history_of(source), timezone.now(), name)
    record = TrackRecord.objects.filter(pk=source.pk).first()
    return {
        "source": source.pk,
        "predictor": name or outlook.predictor.name,
        "chosen": outlook.predictor.said,
        "chosen_by": outlook.predictor.by,
        "next_visit_at": source.next_visit_at,
        "next_visit_because": reasons.in_english(source.next_visit_because, source.next_visit_values),
        "next_visit_chance": source.next_visit_chance,
        "predicted_at": outlook.forecast.at,
        "predicted_because": reasons.in_english(outlook.forecast.because, outlook.forecast.values),
        "wants_notifications": outlook.wants_signals,
        "record": _record(record) if record else None,
    }


def _record(record: TrackRecord) -> dict[str, Any]:
    shown = {name: getattr(record, name) for name in RecordOut.model_fields}
    return {**shown, **{name: shown[name] or None for name in ("group", "behaviour", "best_predictor")}}


class GroupSumsOut(Schema):
    name: str
    sources: int
    site_days: int
    mean_frequency: float
    changes: int
    lost: float
    lost_share: Annotated[float, Field(description="Of site-days.")]
    visits: int
    needless: int
    needless_share: Annotated[float, Field(description="Of site-days.")]
    bytes_stored: int
    bytes_saved: int


class GroupsOut(Schema):
    all: GroupSumsOut
    by_frequency: list[GroupSumsOut]
    by_behaviour: list[GroupSumsOut]


class GroupedOut(RecordOut):
    source: uuid.UUID
    url: str
    title: str
    collection: str


class WantedGroup(Schema):
    group: FrequencyGroup | None = None
    behaviour: Behaviour | None = None
    collection: Annotated[str, Field(max_length=60, description="Its short name.")] = ""

    def as_filter(self) -> grouping.GroupFilter:
        return grouping.GroupFilter(self.group or "", self.behaviour or "", self.collection)


@router.get("/groups", response=GroupsOut, summary="Sources by how often and how they change: sums")
def show_groups(request: HttpRequest, chosen: Query[WantedGroup]) -> dict[str, Any]:
    found = grouping.grouped(actor=actor_of(request), wanted=chosen.as_filter())
    return {
        "all": grouping.sums_of_all(found),
        "by_frequency": grouping.sums_by_group(found),
        "by_behaviour": grouping.sums_by_behaviour(found),
    }


@router.get("/groups/sources", response=PageOf[GroupedOut], summary="The sources of a group")
def list_grouped(request: HttpRequest, wanted: Query[PageRequest], chosen: Query[WantedGroup]) -> Any:
    found = grouping.grouped(actor=actor_of(request), wanted=chosen.as_filter())
    page = paginate(found, wanted, sortable=grouping.SORTABLE, default="-frequency")
    return {**vars(page), "items": [_grouped(source) for source in page.items]}


def _grouped(source: Source) -> dict[str, Any]:
    return {
        **_record(source.record),
        "source": source.pk,
        "url": source.url,
        "title": source.title,
        "collection": source.collection.slug,
    }


class PredictorsOut(Schema):
    names: list[str]
    default: str


@router.get("/predictors", response=PredictorsOut, summary="The predictors there are")
def list_predictors(request: HttpRequest) -> dict[str, Any]:
    require(actor_of(request), *READERS)
    return {"names": PREDICTORS, "default": DEFAULT}


class ChoiceIn(Input):
    predictor: PredictorName


class ChoiceOut(Schema):
    predictor: str


@router.put(
    "/collections/{slug}/predictor", response=ChoiceOut, summary="The predictor of a collection (directors)"
)
def choose_for_collection(request: HttpRequest, slug: Slug, payload: ChoiceIn) -> dict[str, str]:
    """For its sources that name none, from each one's next visit on; nothing: as the settings say."""
    choosing.choose_for_collection(actor=actor_of(request), slug=slug, predictor=payload.predictor)
    return {"predictor": payload.predictor}


@router.put("/topics/{code}/predictor", response=ChoiceOut, summary="The predictor of a topic (directors)")
def choose_for_topic(
    request: HttpRequest, code: Annotated[int, Field(ge=1, le=LARGEST_CODE)], payload: ChoiceIn
) -> dict[str, str]:
    """For its sources that name none; it goes before that of their collections."""
    choosing.choose_for_topic(actor=actor_of(request), code=code, predictor=payload.predictor)
    return {"predictor": payload.predictor}


class NotifyIn(Input):
    url: Url


class HeardOut(Schema):
    source: uuid.UUID
    url: str
    visit_at: datetime | None
    is_news: Annotated[bool, Field(description="False: it was told a moment ago.")]


@router.post("/notify", response={202: list[HeardOut]}, summary="Say that a URL has changed")
def notify(request: HttpRequest, payload: NotifyIn) -> Status[list[dict[str, Any]]]:
    """Sources that hold the URL are visited soon, politely; 404 if no source one may see does. A setting says how many
    notifications a person may send in an hour."""
    heard = notifying.notify(actor=actor_of(request), url=payload.url)
    return Status(
        202,
        [
            {
                "source": one.source.pk,
                "url": one.source.url,
                "visit_at": one.visit_at,
                "is_news": one.is_news,
            }
            for one in heard
        ],
    )


@router.get("/trace.csv", summary="Changes that visits found, as the simulator reads them")
def export_trace(
    request: HttpRequest,
    collection: Annotated[str, Field(max_length=60)] = "",
    source: uuid.UUID | None = None,
) -> HttpResponseBase:
    """One row a change, and one for what each source was at first: `source,changed_at,size_bytes,notified_at`."""
    actor = actor_of(request)
    found = queries.sources(actor=actor, wanted=SourceFilter(collection=collection))
    if source:
        found = found.filter(pk=queries.source_seen(actor, source).pk)
    changes = tracing.changes_of_sources(list(found.order_by("url", "pk")))
    response = stream((line.encode() for line in tracing.as_csv(changes)), "text/csv; charset=utf-8")
    response.headers["Content-Disposition"] = 'attachment; filename="trace.csv"'
    return response
