"""When a source is visited next: its predictor is asked when a visit ends, it is edited, or a signal comes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from ronda.prediction.contract import Terms
from ronda.rounds import beacon_times, choosing, forecasting, observing, schedule, signals, track_records
from ronda.rounds.models import Source, SourceState, Visit, VisitOutcome
from ronda.rounds.observing import History
from ronda.rounds.policies import freshness_weight, in_the_loop
from ronda.rounds.schedule import Forecast
from ronda.rounds.visitors import visitor_of

PLANNED = (
    "next_visit_at",
    "next_visit_because",
    "next_visit_values",
    "next_visit_chance",
    "auto_seconds",
)


@dataclass(frozen=True)
class Outlook:
    """What its predictor says of a source now."""

    predictor: choosing.Chosen
    forecast: Forecast
    wants_signals: bool


def terms() -> Terms:
    """Predictors count the other way round: 1 is versions only."""
    return Terms(objective=1.0 - freshness_weight())


def outlook_of(source: Source, history: History, now: datetime, name: str = "") -> Outlook:
    """`name`: of another predictor than its own, to see what that would say."""
    chosen = choosing.predictor_of(source)
    name = in_the_loop(name or chosen.name)
    visitor = visitor_of(source)
    if visitor and (known := visitor.forecast(source, name, now)):
        return Outlook(chosen, known, wants_signals=False)
    relatives = observing.relatives_of(source) if forecasting.learns_from_relatives(name) else []
    predictor = forecasting.informed_of(name, history, now=now, terms=terms(), relatives=relatives)
    said = forecasting.forecast(predictor, now, source.every_seconds)
    # Signals come from its pages; whoever visits it otherwise brings its own.
    return Outlook(chosen, said, visitor is None and forecasting.wants_signals(predictor))


def plan_next(visit: Visit, outcome: VisitOutcome) -> None:
    """A visit has ended. Call within the transaction that ends it."""
    source = Source.objects.select_for_update().get(pk=visit.source_id)
    now = visit.ended_at or timezone.now()
    if outcome == VisitOutcome.CAPTURED:
        observing.note_modified(visit)
    history = observing.history_of(source)
    if schedule.is_seen(outcome):
        signals.judge(source, visit, is_changed=outcome == VisitOutcome.CAPTURED)
        track_records.note(source, history)
    past = schedule.Past(outcome, source.every_seconds, source.auto_seconds, source.failed_visits)
    outlook = outlook_of(source, history, now)
    planned = schedule.plan(past, outlook.forecast, now)
    source.visited_at, source.failed_visits = now, min(planned.failed_visits, 32767)
    if source.state == SourceState.ACTIVE:
        _set(source, planned)
        if schedule.is_seen(outcome) and signals.is_any_waiting(source):
            # It came while this visit was under way.
            source.next_visit_at = now + timedelta(seconds=signals.REST_SECONDS)
    source.save(update_fields=["visited_at", "failed_visits", *PLANNED])
    beacon_times.set_times(source, is_wanted=outlook.wants_signals, now=now)


def plan_anew(source: Source, because: str) -> None:
    """How often was changed: as if the last visit had just ended, but never before now. The caller saves."""
    now = timezone.now()
    if source.visited_at is None:
        source.next_visit_at = now
        return
    history = observing.history_of(source)
    outcome = VisitOutcome.UNCHANGED
    past = schedule.Past(outcome, source.every_seconds, source.auto_seconds, 0)
    forecast = outlook_of(source, history, source.visited_at).forecast
    _set(source, schedule.plan(past, forecast, source.visited_at))
    source.next_visit_at = max(now, source.next_visit_at or now)
    if source.every_seconds:
        source.next_visit_because = because


def come_soon(source: Source, now: datetime, because: str) -> datetime:
    """A signal came: visited as soon as that is polite, unless it is due before. The caller holds the source."""
    earliest = (source.visited_at or now) + timedelta(seconds=signals.REST_SECONDS)
    at = max(now, earliest)
    if source.next_visit_at and source.next_visit_at <= at:
        return source.next_visit_at
    forecast = outlook_of(source, observing.history_of(source), now).forecast
    source.next_visit_at, source.next_visit_because, source.next_visit_values = at, because, {}
    source.next_visit_chance = forecast.chance
    source.save(update_fields=list(PLANNED))
    return at


def _set(source: Source, planned: schedule.Plan) -> None:
    source.next_visit_at, source.next_visit_because = planned.at, planned.because
    source.next_visit_values, source.next_visit_chance = planned.values, planned.chance
    source.auto_seconds = planned.auto_seconds
