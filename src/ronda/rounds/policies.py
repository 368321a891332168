"""The policies of the rounds."""

from __future__ import annotations

from decimal import Decimal

from django.utils.translation import gettext_lazy as _

from ronda.archive.vocabulary import COLLECTIONS
from ronda.policies.queries import value_of
from ronda.policies.registry import Kind, Policy, register
from ronda.rounds.predictor_names import AUTO, DEFAULT, OURS, PREDICTORS

GROUP = _("Following")
PREDICTION = _("Prediction")

MOST_OPEN_VISITS = register(
    Policy(
        name="most_open_visits",
        group=GROUP,
        title=_("Visits at a time"),
        meaning=_("When so many visits are under way, others that are due wait."),
        kind=Kind.WHOLE,
        default=100,
        unit=_("visits"),
        low=1,
        high=100_000,
    )
)
DEFAULT_COLLECTION = register(
    Policy(
        name="default_collection",
        group=GROUP,
        title=_("Collection if none is said"),
        meaning=_("Where a source goes that is followed without naming a collection."),
        kind=Kind.ONE_OF,
        default="cultural",
        choices=tuple(COLLECTIONS),
    )
)
DEFAULT_PREDICTOR = register(
    Policy(
        name="default_predictor",
        group=PREDICTION,
        title=_("Predictor"),
        meaning=_(
            "Says when a source is visited next, unless the source, its topic or its collection names another. "
            "auto: the one that did best on each source's own history."
        ),
        kind=Kind.ONE_OF,
        default=DEFAULT,
        choices=(AUTO, *PREDICTORS),
    )
)
OBJECTIVE = register(
    Policy(
        name="prediction_objective",
        group=PREDICTION,
        title=_("What visits are for"),
        meaning=_(
            "versions: to keep every version; freshness: to hold the latest; weight: both, as the next setting says."
        ),
        kind=Kind.ONE_OF,
        default="versions",
        choices=("versions", "freshness", "weight"),
    )
)
FRESHNESS_WEIGHT = register(
    Policy(
        name="freshness_weight",
        group=PREDICTION,
        title=_("Weight of freshness"),
        meaning=_("If visits are for both: 0 counts versions only, 1 freshness only."),
        kind=Kind.AMOUNT,
        default=Decimal("0.5"),
        low=0,
        high=1,
    )
)
VISIT_PRICE = register(
    Policy(
        name="visit_price",
        group=PREDICTION,
        title=_("What a visit is worth"),
        meaning=_(
            "The predictor ronda visits once that is likely to save this share of a version, or so many days of being "
            "up to date. Less: more visits, fewer changes lost."
        ),
        kind=Kind.AMOUNT,
        default=Decimal("0.05"),
        low=0,
        high=1,
    )
)
IMPORTANT_FROM = register(
    Policy(
        name="important_from",
        group=GROUP,
        title=_("A change is important from"),
        meaning=_(
            "The score, from 0 to 1, from which people are told of a change: F(μ). A sentence rewritten is about 0.05, "
            "two words replaced 0.01. A source may have its own."
        ),
        kind=Kind.AMOUNT,
        default=Decimal("0.02"),
        low=0,
        high=1,
    )
)
VISITS_PER_DAY = register(
    Policy(
        name="visits_per_day",
        group=PREDICTION,
        title=_("Visits a day"),
        meaning=_(
            "Over all sources, spread over the day, the most urgent first. 0: as many as are due. First visits and "
            "those somebody asks for count and never wait."
        ),
        kind=Kind.WHOLE,
        default=0,
        unit=_("visits"),
        low=0,
        high=100_000_000,
    )
)
LONGEST_WAIT_DAYS = register(
    Policy(
        name="longest_wait_days",
        group=PREDICTION,
        title=_("Nobody waits longer"),
        meaning=_("Within such a budget, a source not visited for so long goes before more urgent ones."),
        kind=Kind.WHOLE,
        default=30,
        unit=_("days"),
        low=1,
        high=366,
    )
)
MOST_NOTIFICATIONS = register(
    Policy(
        name="most_notifications",
        group=PREDICTION,
        title=_("Notifications an hour"),
        meaning=_(
            "How many changes one person may tell of in an hour; further ones are refused for a while."
        ),
        kind=Kind.WHOLE,
        default=600,
        unit=_("notifications"),
        low=1,
        high=1_000_000,
    )
)
ARE_BEACONS_WATCHED = register(
    Policy(
        name="are_beacons_watched",
        group=PREDICTION,
        title=_("Look at feeds and sitemaps between visits"),
        meaning=_(
            "Where visits are far apart and their news were true before: one small request instead of a visit."
        ),
        kind=Kind.YES_NO,
        default=True,
    )
)


def in_the_loop(predictor: str) -> str:
    """A predictor as it is asked here: ours takes its price behind its name, unless somebody wrote one there."""
    price = float(str(value_of(VISIT_PRICE)))
    return f"{predictor}:{min(max(price, 0.001), 0.99):g}" if predictor == OURS else predictor


def freshness_weight() -> float:
    """The objective as predictors take it: 0 for versions, 1 for freshness."""
    objective = str(value_of(OBJECTIVE))
    if objective == "weight":
        return float(str(value_of(FRESHNESS_WEIGHT)))
    return 1.0 if objective == "freshness" else 0.0


WEIGHTS = tuple(
    register(
        Policy(
            name=f"weight_of_{name}",
            group=GROUP,
            title=title,
            meaning=meaning,
            kind=Kind.AMOUNT,
            default=Decimal(default),
            low=0,
            high=100,
        )
    )
    for name, title, meaning, default in (
        (
            "view",
            _("Weight of the view"),
            _("How much paragraphs, colours and arrangement count in a score, beside form and content."),
            "2",
        ),
        (
            "form",
            _("Weight of the form"),
            _("How much the structure of a page counts in a score, beside view and content."),
            "3",
        ),
        (
            "content",
            _("Weight of the content"),
            _("How much text added and removed counts in a score, beside view and form."),
            "5",
        ),
    )
)
