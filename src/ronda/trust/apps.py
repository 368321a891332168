from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class TrustConfig(AppConfig):
    name = "ronda.trust"
    label = "trust"
    verbose_name = _("Trust")

    def ready(self) -> None:
        from ronda.trust import checking, duties, listener  # noqa: F401  (they register themselves)
