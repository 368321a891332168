"""Which predictor a source has: its own, its topic's, its collection's, or that of the settings."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from ronda.accounts.models import Person
from ronda.accounts.roles import Role, require
from ronda.archive.collections import topic_wanted
from ronda.archive.queries import collection_seen
from ronda.policies.queries import value_of
from ronda.rounds.models import PredictorChoice, Source, TrackRecord
from ronda.rounds.policies import DEFAULT_PREDICTOR
from ronda.rounds.predictor_names import AUTO, DEFAULT, checked


class ChosenBy(StrEnum):
    SOURCE = "source"
    TOPIC = "topic"
    COLLECTION = "collection"
    SETTINGS = "settings"


@dataclass(frozen=True)
class Chosen:
    """`name` is the predictor that is asked; `said` what was chosen, which may be `auto`."""

    name: str
    said: str
    by: ChosenBy


def predictor_of(source: Source) -> Chosen:
    said, by = _said(source)
    return Chosen(_best_of(source) if said == AUTO else said, said, by)


def _said(source: Source) -> tuple[str, ChosenBy]:
    if source.predictor:
        return source.predictor, ChosenBy.SOURCE
    if source.topic_id and (name := choice_of(topic=source.topic_id)):
        return name, ChosenBy.TOPIC
    if name := choice_of(collection=source.collection_id):
        return name, ChosenBy.COLLECTION
    return str(value_of(DEFAULT_PREDICTOR)), ChosenBy.SETTINGS


def _best_of(source: Source) -> str:
    """Until it was tried on the source's history: the usual one."""
    best = TrackRecord.objects.filter(pk=source.pk).values_list("best_predictor", flat=True).first()
    return best or DEFAULT


def choice_of(**of: int) -> str:
    return PredictorChoice.objects.filter(**of).values_list("predictor", flat=True).first() or ""


def choices_of_topics() -> dict[int, str]:
    return dict(PredictorChoice.objects.filter(topic__isnull=False).values_list("topic", "predictor"))


def choose_for_collection(*, actor: Person | None, slug: str, predictor: str) -> None:
    """For its sources that name none; nothing: as the settings say. It holds from each one's next visit on."""
    require(actor, Role.DIRECTOR)
    _choose(predictor, collection_id=collection_seen(actor, slug).pk)


def choose_for_topic(*, actor: Person | None, code: int, predictor: str) -> None:
    require(actor, Role.DIRECTOR)
    _choose(predictor, topic_id=topic_wanted(code=code).pk)


def _choose(predictor: str, **of: Any) -> None:
    name = checked(predictor)
    if name:
        PredictorChoice.objects.update_or_create(**of, defaults={"predictor": name})
    else:
        PredictorChoice.objects.filter(**of).delete()
