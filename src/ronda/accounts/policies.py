"""The policies of the accounts room."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from ronda.accounts.roles import Role
from ronda.policies.registry import Kind, Policy, register

GROUP = _("People")

REGISTRATION_IS_OPEN = register(
    Policy(
        name="registration_open",
        group=GROUP,
        title=_("Registration is open"),
        meaning=_("Strangers may make themselves an account."),
        kind=Kind.YES_NO,
        default=True,
    )
)
NEW_PERSON_ROLES = register(
    Policy(
        name="new_person_roles",
        group=GROUP,
        title=_("Roles of new people"),
        meaning=_("What somebody may do right after registering."),
        kind=Kind.SOME_OF,
        default="reader subscriber",
        choices=tuple(role.value for role in Role if role != Role.ADMINISTRATOR),
    )
)
