from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AccountsConfig(AppConfig):
    name = "ronda.accounts"
    label = "accounts"
    verbose_name = _("People")

    def ready(self) -> None:
        from ronda.accounts import duties, policies  # noqa: F401  (they register themselves)
