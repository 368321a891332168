from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class CreditsConfig(AppConfig):
    name = "ronda.credits"
    label = "credits"
    verbose_name = _("Credits")

    def ready(self) -> None:
        from ronda.credits import duties, listener, policies  # noqa: F401  (they register themselves)
