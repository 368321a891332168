from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ArchiveConfig(AppConfig):
    name = "ronda.archive"
    label = "archive"
    verbose_name = _("Archive")

    def ready(self) -> None:
        from ronda.archive import (  # noqa: F401  (they register themselves)
            duties,
            file_jobs,
            importing,
            policies,
            texts,
        )
