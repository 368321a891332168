"""What the overview tells: numbers for everybody, the state of the machinery for administrators, first steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.urls import reverse
from django.utils.translation import gettext as _

from ronda.accounts import queries as accounts
from ronda.accounts.models import Person
from ronda.accounts.roles import MEANINGS, Role
from ronda.jobs import queries as jobs
from ronda.jobs.models import State
from ronda.rounds.models import SourceState
from ronda.rounds.queries import visible_sources, visible_versions
from ronda.supervision.models import Leadership
from ronda.supervision.queries import current_leader, reported_processes

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise


@dataclass(frozen=True)
class JobCount:
    state: State
    count: int


@dataclass(frozen=True)
class Machinery:
    healthy: int
    total: int
    leader: Leadership | None
    people: int


@dataclass(frozen=True)
class Kept:
    """What is followed, and how many versions there are of it."""

    sources: int
    versions: int


@dataclass(frozen=True)
class Step:
    """Something worth doing first, and whether it is done."""

    title: str
    address: str
    is_done: bool


@dataclass(frozen=True)
class RoleCard:
    role: Role
    meaning: str | _StrPromise
    advice: str
    address: str = ""
    link: str = ""


def job_counts(actor: Person) -> list[JobCount]:
    counts = jobs.counts_by_state(actor=actor)
    return [JobCount(state, counts[state.value]) for state in State]


def kept(actor: Person) -> Kept:
    followed = visible_sources(actor).filter(state=SourceState.ACTIVE)
    return Kept(followed.count(), visible_versions(actor).count())


def machinery(actor: Person) -> Machinery:
    processes = list(reported_processes())
    return Machinery(
        healthy=sum(process.is_alive for process in processes),
        total=len(processes),
        leader=current_leader(),
        people=accounts.people(actor=actor).count(),
    )


def demo_address() -> str:
    """Where the demo's web is, if a demo runs: its process says so."""
    for process in reported_processes().filter(role="demo"):
        if process.doing.startswith(("http://", "https://")):
            return process.doing.split()[0]
    return ""


def first_steps(actor: Person) -> list[Step]:
    """For an administrator, until all are done."""
    steps = [
        Step(
            _("Set a password, as the login link works once"),
            reverse("password"),
            actor.has_usable_password(),
        ),
        Step(_("Follow a site or a page"), reverse("source-new"), visible_sources(actor).exists()),
        Step(
            _("Add the people you work with"), reverse("person-add"), accounts.people(actor=actor).count() > 1
        ),
        Step(_("Look through the settings"), reverse("settings"), _has_changes()),
    ]
    return [] if all(step.is_done for step in steps) else steps


def _has_changes() -> bool:
    from ronda.policies.models import PolicyChange

    return PolicyChange.objects.exists()


def role_cards(actor: Person) -> list[RoleCard]:
    """What somebody can do here, role by role."""
    return [_card(role) for role in Role if role in actor.roles and role is not Role.ADMINISTRATOR]


def _card(role: Role) -> RoleCard:
    meaning = MEANINGS[role]
    match role:
        case Role.DIRECTOR:
            advice = _(
                "Caps, prices and other choices are yours; every change stays on record with your name."
            )
            return RoleCard(role, meaning, advice, reverse("settings"), _("Open the settings"))
        case Role.CONTRIBUTOR:
            advice = _("A machine you lend fetches pages politely while it is on. One command joins it.")
            return RoleCard(role, meaning, advice, reverse("nodes"), _("Lend a machine"))
        case Role.CLIENT:
            advice = _(
                "Paste a list of URLs and take the answers home. Your programs ask through the API, with a token."
            )
            return RoleCard(role, meaning, advice, reverse("fetch-new"), _("New fetch"))
        case Role.SUBSCRIBER:
            advice = _("What you follow is visited again and again, and kept whenever it changed.")
            return RoleCard(role, meaning, advice, reverse("source-new"), _("Follow something"))
    advice = _("Everything that was kept can be searched and looked at as it was.")
    return RoleCard(role, meaning, advice, reverse("sources"), _("See what is followed"))
