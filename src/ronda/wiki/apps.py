from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class WikiConfig(AppConfig):
    name = "ronda.wiki"
    label = "wiki"
    verbose_name = _("Wikis")

    def ready(self) -> None:
        from ronda.wiki import (  # noqa: F401  (they register themselves)
            duties,
            importing,
            jobs,
            keeping_jobs,
            metric_jobs,
            policies,
            tables,
        )
