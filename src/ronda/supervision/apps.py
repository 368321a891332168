from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class SupervisionConfig(AppConfig):
    name = "ronda.supervision"
    label = "supervision"
    verbose_name = _("System")

    def ready(self) -> None:
        from ronda.supervision import housekeeping  # noqa: F401  (it registers itself)
