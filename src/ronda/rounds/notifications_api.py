"""API of notifications: where one's notices go, and what of."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Annotated, Literal

from django.db.models import QuerySet
from django.http import HttpRequest
from ninja import Field, Router, Schema, Status
from pydantic import StringConstraints

from ronda.accounts.authentication import actor_of
from ronda.http.inputs import Input
from ronda.rounds import feed_keys, notifications
from ronda.rounds.notification_models import Subscription, Target

router = Router(tags=["Notifications"])

Address = Annotated[str, StringConstraints(max_length=2000, pattern=r"^[^\x00]*$")]
Slug = Annotated[str, StringConstraints(max_length=60, pattern=r"^[^\x00]*$")]


class SubscriptionOut(Schema):
    """Neither source nor collection: everything one owns."""

    id: int
    source: Annotated[uuid.UUID | None, Field(alias="source_id")]
    collection: str | None
    rhythm: str
    hour: int
    weekday: int

    @staticmethod
    def resolve_collection(subscription: Subscription) -> str | None:
        return subscription.collection.slug if subscription.collection else None


class TargetOut(Schema):
    """`address` as it may be shown: secrets in it are masked."""

    id: int
    kind: str
    address: Annotated[str, Field(alias="shown")]
    language: str
    sent_at: datetime | None
    failures: int
    last_error: str
    retry_at: datetime | None
    subscriptions: list[SubscriptionOut]

    @staticmethod
    def resolve_subscriptions(target: Target) -> QuerySet[Subscription]:
        return target.subscriptions.select_related("collection").order_by("pk")


class NewTarget(Input):
    kind: Literal["mail", "apprise"]
    address: Annotated[Address, Field(description="An Apprise address; mails go to your own mailbox.")] = ""


class NewSubscription(Input):
    target: Annotated[int, Field(ge=1, lt=2**63)]
    source: uuid.UUID | None = None
    collection: Annotated[Slug, Field(description="Its short name.")] = ""
    rhythm: Literal["at_once", "daily", "weekly"] = "at_once"
    hour: Annotated[int, Field(ge=0, le=23, description="Of digests, in UTC.")] = 7
    weekday: Annotated[int, Field(ge=0, le=6, description="Of weekly digests; 0 is Monday.")] = 0


class FeedKeyOut(Schema):
    """`token` goes into the address of a feed: /feeds/sources/ID.atom?token=…"""

    token: str


@router.get("", response=list[TargetOut], summary="Where my notices go")
def list_targets(request: HttpRequest) -> QuerySet[Target]:
    return notifications.targets(actor=actor_of(request))


@router.post("", response={201: TargetOut}, summary="Add a target: my mailbox, or an Apprise address")
def add_target(request: HttpRequest, payload: NewTarget) -> Status[Target]:
    return Status(201, notifications.add_target(actor=actor_of(request), **payload.model_dump()))


@router.delete("/{int:target_id}", response={204: None}, summary="Remove a target")
def remove_target(request: HttpRequest, target_id: int) -> Status[None]:
    notifications.remove_target(actor=actor_of(request), target_id=target_id)
    return Status(204, None)


@router.post("/{int:target_id}/test", response={202: TargetOut}, summary="Send a test there")
def test_target(request: HttpRequest, target_id: int) -> Status[Target]:
    return Status(202, notifications.ask_for_test(actor=actor_of(request), target_id=target_id))


@router.post(
    "/subscriptions", response={201: SubscriptionOut}, summary="Hear of a source, a collection or all of mine"
)
def subscribe(request: HttpRequest, payload: NewSubscription) -> Status[Subscription]:
    return Status(
        201,
        notifications.subscribe(
            actor=actor_of(request),
            target_id=payload.target,
            source_id=payload.source,
            collection=payload.collection,
            when=notifications.When(payload.rhythm, payload.hour, payload.weekday),
        ),
    )


@router.delete("/subscriptions/{int:subscription_id}", response={204: None}, summary="Hear of it no longer")
def unsubscribe(request: HttpRequest, subscription_id: int) -> Status[None]:
    notifications.unsubscribe(actor=actor_of(request), subscription_id=subscription_id)
    return Status(204, None)


@router.get("/feed-token", response=FeedKeyOut, summary="The token of my feed addresses")
def show_feed_token(request: HttpRequest) -> FeedKeyOut:
    return FeedKeyOut(token=feed_keys.feed_token(actor=actor_of(request)))


@router.post("/feed-token", response=FeedKeyOut, summary="Make a new one; the old addresses lead nowhere")
def renew_feed_token(request: HttpRequest) -> FeedKeyOut:
    return FeedKeyOut(token=feed_keys.renew_feed_token(actor=actor_of(request)))
