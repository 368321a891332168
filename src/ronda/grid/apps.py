from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class GridConfig(AppConfig):
    name = "ronda.grid"
    label = "grid"
    verbose_name = _("Grid")

    def ready(self) -> None:
        from ronda.grid import (  # noqa: F401  (they register themselves)
            comparisons,
            duties,
            fetches,
            policies,
            robots_elsewhere,
        )
