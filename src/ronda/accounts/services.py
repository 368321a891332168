"""What people and administrators do to accounts, roles, tokens and login links."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import timedelta

from django.contrib.auth import password_validation
from django.contrib.sessions.models import Session
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext

from ronda.accounts.errors import (
    AddressTaken,
    LastAdministrator,
    LinkSpent,
    NoSuchPerson,
    NoSuchToken,
    RegistrationClosed,
    TokenRefused,
    WrongPassword,
)
from ronda.accounts.models import ApiToken, LoginLink, Person, RoleGrant
from ronda.accounts.policies import NEW_PERSON_ROLES, REGISTRATION_IS_OPEN
from ronda.accounts.roles import Role, require
from ronda.accounts.secrets import TOKEN_PREFIX, digest_of, new_secret
from ronda.errors import InvalidInput
from ronda.policies.queries import value_of

FIRST_ADMINISTRATOR = "admin@ronda.invalid"
LOGIN_LINK_LIFE = timedelta(hours=24)
TOKENS_PER_PERSON = 50
# A token's last use is for people to look at: a write a minute is enough.
LAST_USE_GRAIN = timedelta(minutes=1)


def register(*, email: str, password: str, name: str = "") -> Person:
    """A stranger whose mailbox is proven gets an account, with the roles the director chose for new people."""
    if not value_of(REGISTRATION_IS_OPEN):
        raise RegistrationClosed()
    roles = [Role(word) for word in str(value_of(NEW_PERSON_ROLES)).split()]
    return _create_person(email=email, password=password, name=name, roles=roles, granted_by=None)


def add_person(
    *,
    actor: Person | None,
    email: str,
    name: str = "",
    password: str | None = None,
    roles: Collection[Role] = (),
) -> Person:
    """An administrator makes an account for somebody, who sets the password through recovery."""
    admin = require(actor, Role.ADMINISTRATOR)
    return _create_person(email=email, password=password, name=name, roles=roles, granted_by=admin)


def _create_person(
    *, email: str, password: str | None, name: str, roles: Iterable[Role], granted_by: Person | None
) -> Person:
    person = Person(email=valid_email(email), name=valid_name(name))
    if password is None:
        person.set_unusable_password()
    else:
        check_password_strength(password, person)
        person.set_password(password)
    try:
        with transaction.atomic():
            person.save()
            RoleGrant.objects.bulk_create(
                RoleGrant(person=person, role=role, granted_by=granted_by) for role in sorted(set(roles))
            )
    except IntegrityError as error:
        raise AddressTaken(field="email") from error
    return person


def valid_email(email: str) -> str:
    email = email.strip()
    try:
        validate_email(email)
    except ValidationError as error:
        raise InvalidInput(error.messages[0], field="email") from error
    if len(email) > 254:
        raise InvalidInput("A mail address has at most 254 characters.", field="email")
    return email


def valid_name(name: str) -> str:
    name = name.strip()
    if len(name) > 120 or not name.isprintable():
        raise InvalidInput("A name has at most 120 printable characters.", field="name")
    return name


def check_password_strength(password: str, person: Person) -> None:
    try:
        password_validation.validate_password(password, person)
    except ValidationError as error:
        raise InvalidInput(" ".join(error.messages), field="password") from error


def rename(*, actor: Person | None, name: str) -> Person:
    person = require(actor)
    person.name = valid_name(name)
    person.save(update_fields=["name"])
    return person


def delete_own_account(*, actor: Person | None, password: str | None) -> None:
    """A person leaves. What others rely on (audit rows) keeps standing without a name."""
    person = require(actor)
    if person.has_usable_password() and not person.check_password(password or ""):
        raise WrongPassword(field="password")
    with transaction.atomic():
        _keep_an_administrator(_locked_person(person.pk))
        person.delete()


def set_roles(*, actor: Person | None, person_id: int, roles: Collection[Role]) -> Person:
    admin = require(actor, Role.ADMINISTRATOR)
    with transaction.atomic():
        person = _locked_person(person_id)
        if Role.ADMINISTRATOR not in roles:
            _keep_an_administrator(person)
        person.grants.exclude(role__in=roles).delete()
        RoleGrant.objects.bulk_create(
            [RoleGrant(person=person, role=role, granted_by=admin) for role in sorted(set(roles))],
            ignore_conflicts=True,
        )
    return Person.objects.get(pk=person.pk)


def set_active(*, actor: Person | None, person_id: int, is_active: bool) -> Person:
    """Close or reopen an account. A closed one keeps its history but cannot log in, nor can its tokens."""
    require(actor, Role.ADMINISTRATOR)
    with transaction.atomic():
        person = _locked_person(person_id)
        if not is_active:
            _keep_an_administrator(person)
        person.is_active = is_active
        person.save(update_fields=["is_active"])
    return person


def _locked_person(person_id: int) -> Person:
    """With all administrators, in one order: two who change each other wait for each other, and not both."""
    administrators = RoleGrant.objects.filter(role=Role.ADMINISTRATOR).values("person_id")
    found = Person.objects.filter(Q(pk=person_id) | Q(pk__in=administrators)).order_by("pk")
    for person in found.select_for_update():
        if person.pk == person_id:
            return person
    raise NoSuchPerson()


def _keep_an_administrator(leaving: Person) -> None:
    """Refuse to lose the last active administrator; grants are locked so that two cannot leave at once."""
    administrators = set(
        RoleGrant.objects.select_for_update()
        .filter(role=Role.ADMINISTRATOR, person__is_active=True)
        .values_list("person_id", flat=True)
    )
    if administrators == {leaving.pk}:
        raise LastAdministrator()


def create_token(*, actor: Person | None, name: str) -> tuple[ApiToken, str]:
    """A new token and its secret, which is never shown again."""
    person = require(actor)
    name = name.strip()
    if not name or len(name) > 80 or not name.isprintable():
        raise InvalidInput("Give the token a name of 1 to 80 printable characters.", field="name")
    with transaction.atomic():
        Person.objects.select_for_update().get(pk=person.pk)
        if person.tokens.filter(revoked_at=None).count() >= TOKENS_PER_PERSON:
            text = gettext("You have %(count)d tokens; revoke one first.") % {"count": TOKENS_PER_PERSON}
            raise InvalidInput(text, field="name")
        secret = new_secret(TOKEN_PREFIX)
        token = person.tokens.create(name=name, hint=secret[:12], digest=digest_of(secret))
    return token, secret


def revoke_token(*, actor: Person | None, token_id: int) -> ApiToken:
    """One's own token; an administrator may revoke anybody's."""
    person = require(actor)
    tokens = ApiToken.objects.all() if person.is_administrator else ApiToken.objects.filter(person=person)
    try:
        token = tokens.get(pk=token_id)
    except ApiToken.DoesNotExist:
        raise NoSuchToken() from None
    if token.revoked_at is None:
        token.revoked_at = timezone.now()
        token.save(update_fields=["revoked_at"])
    return token


def person_of_token(secret: str) -> Person:
    """Who a bearer token speaks for; notes its use."""
    token = (
        ApiToken.objects.select_related("person").filter(digest=digest_of(secret), revoked_at=None).first()
    )
    if token is None or not token.person.is_active:
        raise TokenRefused()
    now = timezone.now()
    if token.last_used_at is None or now - token.last_used_at > LAST_USE_GRAIN:
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)
    return token.person


def ensure_administrator(email: str = FIRST_ADMINISTRATOR) -> Person:
    """The first start: somebody must be able to log in. Later starts find the eldest administrator."""
    grant = (
        RoleGrant.objects.filter(role=Role.ADMINISTRATOR, person__is_active=True)
        .select_related("person")
        .order_by("person_id")
        .first()
    )
    if grant:
        return grant.person
    return _create_person(
        email=email, password=None, name="Administrator", roles=[Role.ADMINISTRATOR], granted_by=None
    )


def ensure_system_token(*, person: Person, name: str, present: str) -> str:
    """A token for a program of ours (the local command line, a local node): the present one while it works."""
    if person.tokens.filter(digest=digest_of(present), revoked_at=None).exists():
        return present
    secret = new_secret(TOKEN_PREFIX)
    former = Q(digest=digest_of(present)) | Q(person=person, name=name)
    with transaction.atomic():
        ApiToken.objects.filter(former, revoked_at=None).update(revoked_at=timezone.now())
        person.tokens.create(name=name, hint=secret[:12], digest=digest_of(secret))
    return secret


def create_login_link(*, person: Person) -> str:
    """The secret of a link that logs `person` in once. Earlier ones stay good: another machine may have shown one."""
    secret = new_secret()
    LoginLink.objects.create(
        person=person, digest=digest_of(secret), expires_at=timezone.now() + LOGIN_LINK_LIFE
    )
    return secret


def spend_login_link(*, secret: str) -> Person:
    """Who the link logs in; all links of theirs end with its use, so two at once cannot both win."""
    with transaction.atomic():
        link = (
            LoginLink.objects.select_for_update()
            .select_related("person")
            .filter(digest=digest_of(secret), expires_at__gt=timezone.now(), person__is_active=True)
            .first()
        )
        if link is None:
            raise LinkSpent()
        LoginLink.objects.filter(person=link.person).delete()
    return link.person


def prune_expired() -> None:
    """Remove what can no longer be used: ended sessions and login links."""
    now = timezone.now()
    Session.objects.filter(expire_date__lt=now).delete()
    LoginLink.objects.filter(expires_at__lt=now).delete()
