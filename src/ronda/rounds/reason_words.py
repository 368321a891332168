"""Why a visit ended as it did, or a page was left out, in the reader's language. Stored reasons are English."""

from __future__ import annotations

import re
from collections.abc import Callable

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ronda.grid.wording import reason_in_words
from ronda.http.numbers import whole
from ronda.rounds import selecting, traps

FIXED = {
    "nothing but redirects": gettext_lazy("nothing but redirects"),
    "no answer in time": gettext_lazy("no answer in time"),
    selecting.NO_MORE_BUDGET: gettext_lazy("the budget was used up"),
    selecting.OUT_OF_SCOPE: gettext_lazy("out of scope"),
    selecting.TOO_DEEP: gettext_lazy("too many links deep"),
    selecting.NO_MORE_PAGES: gettext_lazy("the budget of pages is used up"),
    selecting.NO_MORE_PARTS: gettext_lazy("the budget of parts is used up"),
    selecting.NO_MORE_LISTS: gettext_lazy("too many sitemaps and feeds"),
    selecting.LED_ON_TOO_OFTEN: gettext_lazy("redirected too often"),
    selecting.MOVED_TOO_OFTEN: gettext_lazy("the entry page moved too often"),
    traps.TOO_LONG: gettext_lazy("too long"),
    traps.TOO_MANY_PARTS: gettext_lazy("too many path parts"),
    traps.REPEATING: gettext_lazy("repeating path parts"),
    traps.TOO_MANY_FIELDS: gettext_lazy("too many fields in the query"),
    traps.FAR_DATE: gettext_lazy("a date far away"),
    traps.ONE_PATTERN: gettext_lazy("too many of one pattern"),
}
_WITH_A_NUMBER: list[tuple[re.Pattern[str], Callable[[str], str]]] = [
    (
        re.compile(r"answered with status (\d+)"),
        lambda n: _("answered with status %(status)s") % {"status": n},
    ),
    (
        re.compile(r"ended at ([\d,]+) pages"),
        lambda n: _("ended at %(number)s pages") % {"number": _whole(n)},
    ),
    (
        re.compile(r"ended at ([\d,]+) bytes"),
        lambda n: _("ended at %(number)s bytes") % {"number": _whole(n)},
    ),
    (
        re.compile(r"ended after ([\d,]+) seconds"),
        lambda n: _("ended after %(number)s seconds") % {"number": _whole(n)},
    ),
]


# Why only a part of a page came, as WARC-Truncated has it.
CUT_OFF = {
    "length": gettext_lazy("cut off: too long"),
    "time": gettext_lazy("cut off: it took too long"),
    "disconnect": gettext_lazy("cut off: the connection broke"),
}


def cut_said(truncated: str) -> str:
    return str(CUT_OFF.get(truncated, _("cut off"))) if truncated else ""


def reason_said(reason: str) -> str:
    """What is no word of ours stays as it is."""
    if reason in FIXED:
        return str(FIXED[reason])
    for pattern, say in _WITH_A_NUMBER:
        if found := pattern.fullmatch(reason):
            return say(found[1])
    return reason_in_words(reason)


def _whole(number: str) -> str:
    return whole(int(number.replace(",", "")))
