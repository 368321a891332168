"""Questions to begin with, in both languages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise


@dataclass(frozen=True)
class Example:
    title: str | _StrPromise
    language: str
    question: str


EXAMPLES = (
    Example(_("Who edits most"), "pipeline", '[{"$sortByCount": "$user"}, {"$limit": 20}]'),
    Example(
        _("Edits by year"),
        "pipeline",
        '[\n  {"$group": {"_id": {"$year": "$timestamp"}, "edits": {"$sum": 1}}},\n  {"$sort": {"_id": 1}}\n]',
    ),
    Example(
        _("Minor edits by hour"),
        "pipeline",
        '[\n  {"$match": {"minor": true}},\n'
        '  {"$group": {"_id": {"$hour": "$timestamp"}, "edits": {"$sum": 1}}}\n]',
    ),
    Example(_("Tags"), "pipeline", '[{"$unwind": "$tags"}, {"$sortByCount": "$tags"}]'),
    Example(
        _("Sizes in steps"),
        "pipeline",
        '[{"$bucket": {"groupBy": "$size", "boundaries": [0, 1000, 10000, 100000], "default": "larger"}}]',
    ),
    Example(
        _("Busiest days"),
        "sql",
        "SELECT timestamp::DATE AS day, count(*) AS edits\nFROM revisions\n"
        "GROUP BY day ORDER BY edits DESC LIMIT 20",
    ),
    Example(
        _("Largest additions"),
        "sql",
        'SELECT r.title, r.revid, r."user", r.size - p.size AS added\n'
        "FROM revisions r JOIN revisions p ON p.wiki = r.wiki AND p.revid = r.parentid\n"
        "ORDER BY added DESC LIMIT 20",
    ),
)
