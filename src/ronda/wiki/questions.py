"""What a MediaWiki's API is asked. Pure: names and values as the API has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

# All that the document names; contentmodel and content go into the slot.
PROPERTIES = "ids|flags|timestamp|user|userid|size|sha1|contentmodel|comment|parsedcomment|tags"
# What the API gives an anonymous client at most: asked for more, it warns and gives this.
MOST_WITH_TEXT = 50
MOST_WITHOUT = 500
MOST_IDS = 50


def which_page(title: str) -> dict[str, str]:
    """Where a title leads, redirects followed, and whose wiki it is."""
    return {
        "titles": title,
        "redirects": "1",
        "prop": "info",
        "meta": "siteinfo",
        "siprop": "general",
    }


def page_by_id(pageid: int) -> dict[str, str]:
    return {"pageids": str(pageid), "prop": "info"}


def oldest_first(pageid: int, *, with_text: bool, onward: Mapping[str, str]) -> dict[str, str]:
    limit = MOST_WITH_TEXT if with_text else MOST_WITHOUT
    return {**_history(with_text), "pageids": str(pageid), "rvdir": "newer", "rvlimit": str(limit), **onward}


def newest_first(pageid: int, *, limit: int, onward: Mapping[str, str]) -> dict[str, str]:
    return {**_history(False), "pageids": str(pageid), "rvdir": "older", "rvlimit": str(limit), **onward}


def by_ids(revids: Sequence[int], *, with_text: bool) -> dict[str, str]:
    return {**_history(with_text), "revids": "|".join(map(str, revids))}


def _history(with_text: bool) -> dict[str, str]:
    properties = f"{PROPERTIES}|content" if with_text else PROPERTIES
    return {"prop": "revisions", "rvslots": "main", "rvprop": properties}


def category_members(category: str, onward: Mapping[str, str]) -> dict[str, str]:
    return {
        "list": "categorymembers",
        "cmtitle": category if ":" in category else f"Category:{category}",
        "cmtype": "page",
        "cmlimit": "500",
        **onward,
    }


def recent_changes(since: str, onward: Mapping[str, str]) -> dict[str, str]:
    """Oldest first from `since` (a time as the API writes it)."""
    return {
        "list": "recentchanges",
        "rcprop": "ids|title|timestamp",
        "rctype": "edit|new|log",
        "rcdir": "newer",
        "rcstart": since,
        "rclimit": "500",
        **onward,
    }
