"""action=query of the MediaWiki API: from parameters and a moment to JSON and headers. No sockets here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from ronda.demo.wiki.answer import Answer, Json, error_json
from ronda.demo.wiki.chronicle import WikiChronicle
from ronda.demo.wiki.errors import ApiError
from ronda.demo.wiki.info import add_info, add_siteinfo
from ronda.demo.wiki.lists import add_all_pages, add_category_members, add_recent_changes
from ronda.demo.wiki.parameters import Parameters
from ronda.demo.wiki.revisions import add_revisions
from ronda.demo.wiki.selection import Selection, select_pages

LAG_SECONDS = -1  # what a wiki with one database reports, so maxlag=-1 passes and maxlag=-2 does not
LAG_RETRY_SECONDS = 5
COMMON = (
    "format",
    "utf8",
    "assert",
    "curtimestamp",
    "origin",
    "errorformat",
    "uselang",
    "rawcontinue",
    "continue",
)
PROPS, LISTS, METAS = ("info", "revisions"), ("recentchanges", "categorymembers", "allpages"), ("siteinfo",)


@dataclass(frozen=True)
class ApiResponse:
    """What to send; the status is 200 whatever happened."""

    body: Json
    headers: Mapping[str, str]


def answer_api(
    wiki: WikiChronicle, values: Mapping[str, str], moment: datetime, base_url: str
) -> ApiResponse:
    """Answer a request to api.php, errors included."""
    parameters = Parameters(values)
    version = 1
    try:
        version = int(parameters.choice("formatversion", ("1", "2", "latest")).replace("latest", "2"))
        _check_lag(parameters)
        if parameters.text("action") != "query":
            raise ApiError(
                "badvalue", f'Unrecognized value for parameter "action": {parameters.text("action")}.'
            )
        return ApiResponse(_query(wiki, parameters, moment, base_url).as_json(version), {})
    except ApiError as error:
        return ApiResponse(error_json(error, version), error.headers)


def _check_lag(parameters: Parameters) -> None:
    if not parameters.has("maxlag"):
        return
    if parameters.integer("maxlag") < LAG_SECONDS:
        raise ApiError(
            "maxlag",
            f"Waiting for demo-database: {LAG_SECONDS} seconds lagged.",
            headers={"Retry-After": str(LAG_RETRY_SECONDS), "X-Database-Lag": str(LAG_SECONDS)},
            host="demo-database",
            lag=LAG_SECONDS,
            type="db",
        )


def _query(wiki: WikiChronicle, parameters: Parameters, moment: datetime, base_url: str) -> Answer:
    parameters.has(*COMMON)
    answer = Answer(parameters, props=parameters.options("prop", "query", PROPS, ()))
    lists = parameters.options("list", "query", LISTS, ())
    finished = parameters.text("continue").rpartition("||")[2].split("|")
    selection = select_pages(wiki, parameters, moment)
    answer.query |= selection.notes
    answer.pages += _page_heads(selection)
    for prop in answer.props:
        if prop == "revisions" and prop not in finished and not _only_lists_go_on(parameters):
            add_revisions(wiki, selection, answer, moment)
        if prop == "info" and prop not in finished and not _only_lists_go_on(parameters):
            add_info(wiki, selection, answer, moment)
    if "recentchanges" in lists:
        add_recent_changes(wiki, answer, moment)
    if "categorymembers" in lists:
        add_category_members(wiki, answer, moment)
    if "allpages" in lists:
        add_all_pages(wiki, answer)
    if parameters.options("meta", "query", METAS, ()):
        add_siteinfo(wiki, answer, moment, base_url)
    parameters.warn_of_unread()
    return answer


def _only_lists_go_on(parameters: Parameters) -> bool:
    return parameters.text("continue").startswith("-||")


def _page_heads(selection: Selection) -> list[Json]:
    found = [
        {"pageid": article.page_id, "ns": article.namespace, "title": article.title}
        for article in selection.articles
    ]
    return [*selection.absent, *found]
