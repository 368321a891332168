"""The web application: Django behind a cap on request bodies."""

from __future__ import annotations

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ronda.site.settings")

from django.conf import settings
from django.core.asgi import get_asgi_application

from ronda.http.body_limit import BodyLimit

application = BodyLimit(get_asgi_application(), settings.RONDA.max_body_bytes)
