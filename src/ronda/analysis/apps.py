from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AnalysisConfig(AppConfig):
    name = "ronda.analysis"
    label = "analysis"
    verbose_name = _("Questions")

    def ready(self) -> None:
        from ronda.analysis import duties, policies, runs  # noqa: F401  (they register themselves)
