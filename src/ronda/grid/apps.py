from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class GridConfig(AppConfig):
    name = "ronda.grid"
    label = "grid"
    verbose_name = _("Grid")
