"""The web application: Django behind a cap on request bodies."""

from __future__ import annotations

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ronda.site.settings")

import django
from django.conf import settings

from ronda.analysis.back_pressure import BackPressure
from ronda.http.body_limit import BodyLimit
from ronda.http.hanging_up import NotesHangingUp
from ronda.site.one_thread import OneThread
from ronda.trust.canary_site import CanarySite, canary_key

django.setup(set_prefix=False)
application = BodyLimit(
    BackPressure(CanarySite(NotesHangingUp(OneThread()), settings.RONDA.canaries, canary_key())),
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
