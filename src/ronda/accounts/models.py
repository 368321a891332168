"""A person, the roles they hold, their API tokens and one-time login links."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from ronda.accounts.managers import PersonManager
from ronda.accounts.roles import Role


class Person(AbstractBaseUser):
    email = models.EmailField(_("mail address"), max_length=254)
    name = models.CharField(_("name"), max_length=120, blank=True)
    is_active = models.BooleanField(_("active"), default=True)
    created_at = models.DateTimeField(_("created"), default=timezone.now, editable=False)
    recovery_sent_at = models.DateTimeField(null=True, editable=False)

    objects: ClassVar[PersonManager] = PersonManager()

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"

    class Meta:
        verbose_name = _("person")
        verbose_name_plural = _("people")
        constraints = [
            # Mail addresses are compared without case, or one mailbox could hold two accounts.
            models.UniqueConstraint(Lower("email"), name="person_email_unique"),
        ]

    def __str__(self) -> str:
        return self.name or self.email

    @cached_property
    def roles(self) -> frozenset[Role]:
        return frozenset(Role(grant.role) for grant in self.grants.all())

    def has_role(self, *roles: Role) -> bool:
        return Role.ADMINISTRATOR in self.roles or not self.roles.isdisjoint(roles)

    @property
    def is_administrator(self) -> bool:
        return Role.ADMINISTRATOR in self.roles

    # Django's admin asks these; administrators may do everything there, others nothing.
    @property
    def is_staff(self) -> bool:
        return self.is_administrator

    @property
    def is_superuser(self) -> bool:
        return self.is_administrator

    def has_perm(self, perm: str, obj: object = None) -> bool:
        return self.is_active and self.is_administrator

    def has_module_perms(self, app_label: str) -> bool:
        return self.is_active and self.is_administrator


class RoleGrant(models.Model):
    person = models.ForeignKey(Person, models.CASCADE, related_name="grants", verbose_name=_("person"))
    role = models.CharField(_("role"), max_length=20, choices=Role.choices)
    granted_by = models.ForeignKey(
        Person, models.SET_NULL, null=True, blank=True, related_name="+", verbose_name=_("granted by")
    )
    granted_at = models.DateTimeField(_("granted"), default=timezone.now, editable=False)

    class Meta:
        verbose_name = _("role")
        verbose_name_plural = _("roles")
        constraints = [models.UniqueConstraint("person", "role", name="role_granted_once")]

    def __str__(self) -> str:
        return f"{self.person}: {self.get_role_display()}"


class ApiToken(models.Model):
    """Lets a program act for a person. Only a digest is kept: the token itself is shown once."""

    person = models.ForeignKey(Person, models.CASCADE, related_name="tokens", verbose_name=_("person"))
    name = models.CharField(_("name"), max_length=80)
    hint = models.CharField(_("starts with"), max_length=16)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    created_at = models.DateTimeField(_("created"), default=timezone.now, editable=False)
    last_used_at = models.DateTimeField(_("last used"), null=True, blank=True, editable=False)
    revoked_at = models.DateTimeField(_("revoked"), null=True, blank=True)

    class Meta:
        verbose_name = _("token")
        verbose_name_plural = _("tokens")
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return f"{self.name} ({self.hint}…)"

    @property
    def is_revoked(self) -> bool:
        return self.revoked_at is not None


class LoginLink(models.Model):
    """A link that logs its person in once, for the first start and for locked-out administrators."""

    person = models.ForeignKey(Person, models.CASCADE, related_name="+")
    digest = models.CharField(max_length=64, unique=True, editable=False)
    expires_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"login link of {self.person}"


class Registration(models.Model):
    """Somebody wants an account; a link was sent to their mailbox. Kept for a day, or until it is followed."""

    email = models.EmailField(max_length=254)
    name = models.CharField(max_length=120, blank=True)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    asked_from = models.GenericIPAddressField(null=True)
    asked_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(Lower("email"), name="registration_email_unique")]
        indexes = [models.Index("asked_from", "asked_at", name="registration_asked_from")]

    def __str__(self) -> str:
        return f"registration of {self.email}"
