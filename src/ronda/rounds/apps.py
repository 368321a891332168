from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class RoundsConfig(AppConfig):
    name = "ronda.rounds"
    label = "rounds"
    verbose_name = _("Rounds")

    def ready(self) -> None:
        from ronda.rounds import (  # noqa: F401  (they register themselves)
            beacons,
            duties,
            hearing,
            notice_duties,
            notices,
            policies,
            prediction_duties,
        )
