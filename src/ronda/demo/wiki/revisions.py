"""prop=revisions: the latest revision of many pages, revisions by id, or the history of one page."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

from ronda.demo.wiki.answer import Answer, Json
from ronda.demo.wiki.chronicle import Revision, WikiChronicle
from ronda.demo.wiki.errors import ApiError
from ronda.demo.wiki.history import Part
from ronda.demo.wiki.parameters import Parameters, as_integer, plain_stamp
from ronda.demo.wiki.revision_rows import Shape, revision_row
from ronda.demo.wiki.selection import Selection

MODULE = "revisions"
LIMIT, LIMIT_WITH_CONTENT = 500, 50
LIST_OPTIONS = ("rvlimit", "rvstartid", "rvendid", "rvuser", "rvexcludeuser", "rvstart", "rvend")
DEFAULT_PROPS = ("ids", "timestamp", "flags", "comment", "user")
PROPS = (
    *("ids", "flags", "timestamp", "user", "userid", "size", "sha1", "contentmodel", "comment"),
    *("parsedcomment", "content", "tags", "roles"),
)
LEGACY_WARNING = (
    'Because "rvslots" was not specified, a legacy format has been used for the output. '
    "This format is deprecated, and in the future the new format will always be used."
)
LAST_ID = 2**63


def add_revisions(wiki: WikiChronicle, selection: Selection, answer: Answer, moment: datetime) -> None:
    parameters = answer.parameters
    parameters.has("rvcontinue")
    shape = _shape(parameters, moment)
    is_newer = parameters.choice("rvdir", ("older", "newer")) == "newer"
    is_list = parameters.has(*LIST_OPTIONS) or is_newer
    if selection.by_revision:
        if is_list:
            raise ApiError(
                "invalidparammix", _mix("The revids= parameter may not be used with the list options")
            )
        _add_each(wiki, selection.revisions, answer, shape, lambda revision: revision.id)
    elif not is_list:
        latest = [wiki.latest(article, moment) for article in selection.articles]
        _add_each(wiki, latest, answer, shape, lambda revision: revision.article.page_id)
    elif len(selection.articles) + len(selection.absent) > 1:
        start = (
            "titles or pageids supplied multiple pages, but some options may only be used on a single page"
        )
        raise ApiError("invalidparammix", _mix(start))
    elif selection.articles:
        history = wiki.revisions(selection.articles[0], moment)
        _add_history(wiki, _span(wiki, history, parameters, is_newer, moment), answer, shape)


def _mix(start: str) -> str:
    return f"{start} (rvlimit, rvstartid, rvendid, rvdir=newer, rvuser, rvexcludeuser, rvstart, and rvend)."


def _shape(parameters: Parameters, moment: datetime) -> Shape:
    props = frozenset(parameters.options("rvprop", MODULE, PROPS, DEFAULT_PROPS))
    slots = parameters.options("rvslots", MODULE, ("main", "*"), ())
    if not slots and props & {"content", "contentmodel"}:
        parameters.warn(MODULE, LEGACY_WARNING)
    return Shape(props, bool(slots), moment)


def _add_each(
    wiki: WikiChronicle,
    revisions: Iterable[Revision],
    answer: Answer,
    shape: Shape,
    cursor: Callable[[Revision], int],
) -> None:
    """Revisions of many pages in the order of a number; continuation names the number to go on from."""
    given = answer.parameters.text("rvcontinue")
    first = _cursor_number(given) if given else 0
    for revision in sorted(revisions, key=cursor):
        if cursor(revision) < first:
            continue
        row = revision_row(wiki, revision, shape)
        if not answer.fits(row):
            answer.stop("rvcontinue", str(cursor(revision)), prop=MODULE)
            return
        _page_of(answer, revision).setdefault("revisions", []).append(row)


def _add_history(wiki: WikiChronicle, span: Sequence[Revision], answer: Answer, shape: Shape) -> None:
    maximum = LIMIT_WITH_CONTENT if "content" in shape.props else LIMIT
    limit = answer.parameters.limit("rvlimit", MODULE, maximum)
    for count, revision in enumerate(span):
        row = revision_row(wiki, revision, shape) if count < limit else {}
        if count >= limit or not answer.fits(row):
            answer.stop("rvcontinue", f"{plain_stamp(revision.at)}|{revision.id}", prop=MODULE)
            return
        _page_of(answer, revision).setdefault("revisions", []).append(row)


def _page_of(answer: Answer, revision: Revision) -> Json:
    return next(page for page in answer.pages if page.get("pageid") == revision.article.page_id)


def _span(
    wiki: WikiChronicle, history: Sequence[Revision], parameters: Parameters, is_newer: bool, moment: datetime
) -> Sequence[Revision]:
    """The part of a history asked for, in the order asked for. Both ends belong to it."""
    for by_id, by_time in (("rvstartid", "rvstart"), ("rvendid", "rvend")):
        if parameters.has(by_id) and parameters.has(by_time):
            raise ApiError(
                "invalidparammix", f"The parameters {by_id} and {by_time} can not be used together."
            )
    first, last = ("rvstart", "rvend") if is_newer else ("rvend", "rvstart")
    lows = [_bound(wiki, parameters, first, moment, 0)] if parameters.has(first, f"{first}id") else []
    highs = [_bound(wiki, parameters, last, moment, LAST_ID)] if parameters.has(last, f"{last}id") else []
    if given := parameters.text("rvcontinue"):
        (lows if is_newer else highs).append(_cursor(given, parameters, moment))
    low = max((bisect_left(history, key, key=lambda revision: revision.key) for key in lows), default=0)
    high = min(
        (bisect_right(history, key, key=lambda revision: revision.key) for key in highs), default=len(history)
    )
    span = [revision for revision in history[low:high] if _is_by_wanted_user(revision, parameters)]
    return span if is_newer else span[::-1]


def _bound(
    wiki: WikiChronicle, parameters: Parameters, name: str, moment: datetime, any_id: int
) -> tuple[datetime, int]:
    if not parameters.text(f"{name}id"):
        return parameters.stamp(name, moment), any_id
    revision = wiki.revision(parameters.integer(f"{name}id"), moment)
    if revision is None:
        raise ApiError("nosuchrevid", f"There is no revision with ID {parameters.text(f'{name}id')}.")
    return revision.key


def _cursor(given: str, parameters: Parameters, moment: datetime) -> tuple[datetime, int]:
    stamp, bar, revision_id = given.partition("|")
    if not bar:
        raise bad_continue()
    try:
        return Parameters({"rvcontinue": stamp}).stamp("rvcontinue", moment), as_integer(
            "rvcontinue", revision_id
        )
    except ApiError:
        raise bad_continue() from None


def _cursor_number(given: str) -> int:
    try:
        return as_integer("rvcontinue", given)
    except ApiError:
        raise bad_continue() from None


def bad_continue() -> ApiError:
    return ApiError(
        "badcontinue",
        "Invalid continue param. You should pass the original value returned by the previous query.",
    )


def _is_by_wanted_user(revision: Revision, parameters: Parameters) -> bool:
    if not parameters.has("rvuser", "rvexcludeuser"):
        return True
    name = "" if Part.USER in revision.edit.hidden else revision.edit.editor.name
    if parameters.has("rvuser") and name != parameters.text("rvuser"):
        return False
    return not parameters.has("rvexcludeuser") or name != parameters.text("rvexcludeuser")
