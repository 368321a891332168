"""What archived pages may do in the replay: show and run what is archived beside them, and tell nobody.

Scripts of a page run, as many pages are nothing without them; what a page of a closed collection learns of others there
must not leave the browser. So nothing is loaded from, sent to or opened at any other address, frames within the replay
have these limits, too, and the one in the console cannot be led elsewhere by the console's own policy.
"""

from __future__ import annotations

import re

# /<collection>/<time><how>/<url>, without a time the newest. Nothing else of pywb: not its index, lists and forms.
PAGE = re.compile(
    r"/[a-z0-9-]+/(?:\d{1,14}(?P<how>[a-z]{2,5}_)?/.+|(?P<newest>[a-z]{2,5}_)/.+|https?:.+)", re.DOTALL
)
RAW = "id_"
LIMITS = (
    "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; connect-src 'self' data: blob:; "
    "form-action 'self'; base-uri 'self'; frame-src 'self' data: blob:"
)
# The bytes as they came have no limits of pywb's: they are for reading, nothing in them runs.
RAW_LIMITS = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"
# Of one connection; about cookies, workers and other sites' rights; what makes a browser report or connect elsewhere.
NOT_TOLD = {
    "connection",
    "transfer-encoding",
    "set-cookie",
    "keep-alive",
    "date",
    "server",
    "service-worker-allowed",
    "access-control-allow-origin",
    "access-control-allow-credentials",
    "report-to",
    "reporting-endpoints",
    "nel",
    "clear-site-data",
    "alt-svc",
    "refresh",
    "cache-control",
    "x-dns-prefetch-control",
    "referrer-policy",
}


def is_page(path: str) -> bool:
    return bool(PAGE.fullmatch(path))


def is_raw(path: str) -> bool:
    found = PAGE.fullmatch(path)
    return found is not None and RAW in (found["how"], found["newest"])


def answer_headers(path: str, console: str) -> list[tuple[str, str]]:
    """Beside those of pywb; two policies hold both."""
    limits = RAW_LIMITS if is_raw(path) else LIMITS
    return [
        ("Content-Security-Policy", f"{limits}; frame-ancestors 'self' {console}"),
        # Who may see it can change, and others may use the same browser.
        ("Cache-Control", "private, no-store"),
        ("X-DNS-Prefetch-Control", "off"),
        ("Referrer-Policy", "same-origin"),
    ]
