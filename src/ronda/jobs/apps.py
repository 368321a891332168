from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class JobsConfig(AppConfig):
    name = "ronda.jobs"
    label = "jobs"
    verbose_name = _("Jobs")

    def ready(self) -> None:
        from ronda.jobs import drill, duties  # noqa: F401  (they register themselves)
