"""What to make of what a wiki sent: an answer, a plea for rest, a refusal, or nothing to believe. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from ronda.wiki.api_answers import Json
from ronda.wiki.line import Reply
from ronda_node.host_run import retry_after_seconds

OVERLOADED = frozenset({429, 503})
# As API:Etiquette has it, where the wiki does not say.
REST_SECONDS = 5.0
# Codes of errors in a body with status 200 that pass by themselves.
_RESTING_CODES = frozenset({"maxlag", "ratelimited", "actionthrottledtext"})
_PASSING_CODES = ("internal_api_error", "readonly", "DBQueryError", "timeout", "toolong")


@dataclass(frozen=True)
class Verdict:
    """`data`: believe it. `refusal`: asking again would not help. Else ask again, after `rest_seconds` if it asks."""

    data: Json | None = None
    problem: str = ""
    refusal: str = ""
    asks_for_rest: bool = False
    is_overload: bool = False
    rest_seconds: float = 0.0


def judge(reply: Reply) -> Verdict:
    wanted_seconds = retry_after_seconds(reply.header("Retry-After").encode()) or 0.0
    if reply.status in OVERLOADED:
        problem = f"status {reply.status}"
        return Verdict(problem=problem, asks_for_rest=True, is_overload=True, rest_seconds=wanted_seconds)
    if 300 <= reply.status < 400:
        return Verdict(refusal=f"it moved to {reply.header('Location')[:200]}; name that address")
    if reply.data is None:
        is_final = reply.status in (401, 403, 404, 410)
        return Verdict(refusal=reply.problem) if is_final else Verdict(problem=reply.problem)
    if not isinstance(reply.data, dict):
        return Verdict(problem="JSON that is no object")
    if error := reply.data.get("error"):
        return _of_error(error, wanted_seconds)
    if reply.status >= 400:
        refusal = f"status {reply.status}: {reply.data.get('message') or reply.data.get('messageTranslations') or ''}"
        return Verdict(refusal=refusal) if reply.status < 500 else Verdict(problem=refusal)
    return Verdict(data=reply.data)


def _of_error(error: object, wanted_seconds: float) -> Verdict:
    code = str(error.get("code", "")) if isinstance(error, dict) else ""
    info = str(error.get("info", ""))[:300] if isinstance(error, dict) else str(error)[:300]
    if code in _RESTING_CODES:
        return Verdict(problem=code, asks_for_rest=True, rest_seconds=wanted_seconds or REST_SECONDS)
    if code.startswith(_PASSING_CODES):
        return Verdict(problem=f"{code}: {info}")
    return Verdict(refusal=f"{code}: {info}")
