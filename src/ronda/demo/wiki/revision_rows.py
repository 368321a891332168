"""How one revision looks in an answer, whole or with parts hidden."""

from __future__ import annotations

import html
from dataclasses import dataclass
from datetime import datetime

from ronda.demo.wiki.answer import Json
from ronda.demo.wiki.chronicle import Revision, WikiChronicle
from ronda.demo.wiki.history import Part
from ronda.demo.wiki.parameters import iso_stamp


@dataclass(frozen=True)
class Shape:
    """What to say of each revision."""

    props: frozenset[str]
    has_slots: bool
    moment: datetime


def revision_row(wiki: WikiChronicle, revision: Revision, shape: Shape) -> Json:
    """One revision. What is hidden leaves a mark, and its own key is absent."""
    props, edit = shape.props, revision.edit
    row: Json = {}
    if "ids" in props:
        row |= {"revid": revision.id, "parentid": revision.parent_id}
    if "flags" in props:
        row["minor"] = edit.is_minor
    row |= _user_fields(revision, props)
    if "timestamp" in props:
        row["timestamp"] = iso_stamp(revision.at)
    row |= _text_fields(wiki, revision, shape)
    row |= _comment_fields(revision, props)
    if "tags" in props:
        row["tags"] = tags_at(revision, shape.moment)
    return row


def _user_fields(revision: Revision, props: frozenset[str]) -> Json:
    if not props & {"user", "userid"}:
        return {}
    if Part.USER in revision.edit.hidden:
        return {"userhidden": True}
    editor = revision.edit.editor
    row: Json = {"user": editor.name} if "user" in props else {}
    if "userid" in props:
        row["userid"] = editor.user_id
    if editor.is_anonymous:
        row["anon"] = True
    return row


def _comment_fields(revision: Revision, props: frozenset[str]) -> Json:
    if not props & {"comment", "parsedcomment"}:
        return {}
    if Part.COMMENT in revision.edit.hidden:
        return {"commenthidden": True}
    comment = revision.edit.comment
    row: Json = {"comment": comment} if "comment" in props else {}
    if "parsedcomment" in props:
        row["parsedcomment"] = html.escape(comment)
    return row


def _text_fields(wiki: WikiChronicle, revision: Revision, shape: Shape) -> Json:
    props, is_hidden = shape.props, Part.TEXT in revision.edit.hidden
    row: Json = {}
    if "size" in props:
        row["size"] = wiki.digest(revision).size_bytes
    if "sha1" in props:
        row |= {"sha1hidden": True} if is_hidden else {"sha1": wiki.digest(revision).sha1_hex}
    if "roles" in props:
        row["roles"] = ["main"]
    content: Json = {"contentmodel": "wikitext"} if props & {"content", "contentmodel"} else {}
    if "content" in props:
        content["contentformat"] = "text/x-wiki"
        content |= {"texthidden": True} if is_hidden else {"*content": wiki.text(revision)}
    if shape.has_slots and content:
        return {**row, "slots": {"main": content}}
    return {**row, **content}


def tags_at(revision: Revision, moment: datetime) -> list[str]:
    """mw-reverted comes later, with the revert."""
    reverted_at = revision.edit.reverted_at
    return [*revision.edit.tags, *(["mw-reverted"] if reverted_at and reverted_at <= moment else [])]
