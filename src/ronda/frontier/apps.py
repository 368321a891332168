from typing import Any

from django.apps import AppConfig
from django.db.models.signals import post_migrate
from django.utils.translation import gettext_lazy as _


class FrontierConfig(AppConfig):
    name = "ronda.frontier"
    label = "frontier"
    verbose_name = _("Frontier")

    def ready(self) -> None:
        from ronda.frontier import duties, policies  # noqa: F401  (they register themselves)

        post_migrate.connect(_install_functions, sender=self)


def _install_functions(using: str, **_more: Any) -> None:
    """The functions are code, not data: each start brings those of its version, under the migrations' lock."""
    from django.db import connections

    from ronda.database.named_sql import named_sql

    with connections[using].cursor() as cursor:
        for name in ("leases", "claim", "complete"):
            cursor.execute(named_sql("ronda.frontier", name))
