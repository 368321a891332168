"""The web application: Django behind a cap on request bodies."""

from __future__ import annotations

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ronda.site.settings")

from django.conf import settings
from django.core.asgi import get_asgi_application

from ronda.analysis.back_pressure import BackPressure
from ronda.http.body_limit import BodyLimit
from ronda.http.hanging_up import NotesHangingUp
from ronda.trust.canary_site import CanarySite, canary_key

application = BodyLimit(
    BackPressure(CanarySite(NotesHangingUp(get_asgi_application()), settings.RONDA.canaries, canary_key())),
    settings.RONDA.max_body_bytes,
    larger={
        "/api/v1/grid/blocks/": settings.RONDA.max_upload_bytes,
        "/api/v1/sessions/": settings.RONDA.max_upload_bytes,
        "/api/v1/imports": settings.RONDA.max_import_bytes,
        "/api/v1/articles/import": settings.RONDA.max_import_bytes,
        "/api/v1/fetches": settings.MAX_LIST_BYTES,
        "/fetches/new": settings.MAX_LIST_BYTES,
    },
)
