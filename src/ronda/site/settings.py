"""Django's settings, derived from the environment (see ronda.configuration); nothing here is edited per site."""

from __future__ import annotations

import secrets
from pathlib import Path
from urllib.parse import unquote, urlsplit

from django.utils.translation import gettext_lazy as _

from ronda import configuration
from ronda.database.connection import database_url, django_database

RONDA = configuration.load()
PACKAGE = Path(__file__).resolve().parent.parent

# `ronda up` passes the shared key to its children; a process without one (a check, a test) needs no lasting key.
SECRET_KEY = RONDA.secret_key or secrets.token_urlsafe(48)
DEBUG = False
_public = urlsplit(RONDA.public_url)
# Behind a wildcard address any name may lead here; otherwise only names we know of are answered (DNS rebinding).
_is_anywhere = RONDA.host in ("0.0.0.0", "::")  # noqa: S104
_named = _public.hostname or ("*" if _is_anywhere else RONDA.host)
ALLOWED_HOSTS = [
    f"[{name}]" if ":" in name else name for name in (_named, RONDA.host, "localhost", "127.0.0.1", "::1")
]
CSRF_TRUSTED_ORIGINS = [f"{_public.scheme}://{_public.netloc}"] if RONDA.public_url else []
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if _public.scheme == "https" else None
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = _public.scheme == "https"
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True
# Ports do not separate cookies: two Rondas on one machine would log each other out under one cookie name.
SESSION_COOKIE_NAME = f"ronda_session_{RONDA.port}"
CSRF_COOKIE_NAME = f"ronda_csrf_{RONDA.port}"
LANGUAGE_COOKIE_NAME = "ronda_language"
LANGUAGE_COOKIE_AGE = 365 * 24 * 3600
CSRF_FAILURE_VIEW = "ronda.console.pages.form_too_old"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

INSTALLED_APPS = [
    "ronda.console.admin_config.RondaAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "axes",
    "django_htmx",
    "ninja",
    "procrastinate.contrib.django",
    "ronda.accounts",
    "ronda.policies",
    "ronda.jobs",
    "ronda.supervision",
    "ronda.frontier",
    "ronda.archive",
    "ronda.grid",
    "ronda.credits",
    "ronda.trust",
    "ronda.rounds",
    "ronda.wiki",
    "ronda.analysis",
    "ronda.console",
]

MIDDLEWARE = [
    "ronda.http.request_ids.RequestIdMiddleware",
    "ronda.http.security.SecurityHeadersMiddleware",
    "ronda.site.one_thread.StaticFilesMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "ronda.http.metrics.MetricsMiddleware",
    "ronda.http.head_requests.HeadMiddleware",
    "ronda.http.errors.ErrorMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "ronda.site.urls"
ASGI_APPLICATION = "ronda.site.asgi.application"
# /api/v1/jobs and /api/v1/jobs/ must not be two things, nor a redirect that drops a body.
APPEND_SLASH = False

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "ronda.console.context.console",
            ],
        },
    }
]

DATABASES = {"default": django_database(database_url(RONDA))}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "accounts.Person"
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "overview"
LOGOUT_REDIRECT_URL = "login"
PASSWORD_RESET_TIMEOUT = 3600

# Five wrong passwords for one account from one address, then a quarter of an hour of rest; ronda.accounts.throttling
# also counts those of an address whatever the account.
AXES_HANDLER = "ronda.accounts.throttling.Throttle"
AXES_FAILURE_LIMIT = 5
AXES_COOLOFF_TIME = 0.25
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_RESET_ON_SUCCESS = True
AXES_USERNAME_FORM_FIELD = "username"
AXES_LOCKOUT_CALLABLE = "ronda.accounts.throttling.locked_out"
# One mailbox, one count, however its address is spelt.
AXES_USERNAME_CALLABLE = "ronda.accounts.throttling.account_named"
AXES_CLIENT_IP_CALLABLE = "ronda.accounts.throttling.client_address"
# It keeps what was posted with a wrong password; never these.
AXES_SENSITIVE_PARAMETERS = [
    "username",
    "old_password",
    "new_password1",
    "new_password2",
    "csrfmiddlewaretoken",
]
AXES_VERBOSE = False

LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("es", _("Spanish"))]
LOCALE_PATHS = [PACKAGE / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "/static/"
# Files are served from the packages they came in; there is no collectstatic step to forget.
SERVESTATIC_USE_FINDERS = True
SERVESTATIC_AUTOREFRESH = False

# Bodies are counted before they get here, place by place (see ronda.site.asgi): Django need only let lists pass.
MAX_LIST_BYTES = 64 * 1024**2  # a hundred thousand URLs of ordinary length
DATA_UPLOAD_MAX_MEMORY_SIZE = max(RONDA.max_body_bytes, MAX_LIST_BYTES)

DEFAULT_FROM_EMAIL = SERVER_EMAIL = RONDA.mail_from
EMAIL_BACKEND = "ronda.accounts.mail.LogBackend"
if RONDA.smtp_url:
    _smtp = urlsplit(RONDA.smtp_url)
    EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    EMAIL_HOST = _smtp.hostname or "localhost"
    EMAIL_USE_SSL = _smtp.scheme == "smtps"
    EMAIL_USE_TLS = not EMAIL_USE_SSL and bool(_smtp.username)
    EMAIL_PORT = _smtp.port or (465 if EMAIL_USE_SSL else 587 if EMAIL_USE_TLS else 25)
    EMAIL_HOST_USER = unquote(_smtp.username or "")
    EMAIL_HOST_PASSWORD = unquote(_smtp.password or "")
    EMAIL_TIMEOUT = 20

# Logging is configured by the process that starts (ronda.logs), not by Django.
LOGGING_CONFIG = None
# Mail addresses are unique, without case: by a constraint this check does not see.
SILENCED_SYSTEM_CHECKS = ["auth.W004"]
