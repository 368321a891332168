from typing import Any

from django.apps import AppConfig
from django.contrib.auth.signals import user_logged_out
from django.http import HttpRequest
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

        user_logged_out.connect(_close_the_replay)


def _close_the_replay(request: HttpRequest, **_more: Any) -> None:
    """Told before the session is gone. Where nobody was logged in, nothing was opened."""
    from ronda.archive.replaying import end_session

    if request.session.session_key:
        end_session(request.session.session_key)
