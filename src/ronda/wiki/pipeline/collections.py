"""What can be asked, and what its documents hold."""

from __future__ import annotations

from dataclasses import dataclass

from ronda.wiki.pipeline.kinds import BOOLEAN, MOMENT, NUMBER, TEXT, ListOf, Member
from ronda.wiki.pipeline.relations import Relation

_TAGS = ListOf(TEXT)


@dataclass(frozen=True)
class Collection:
    """`keys`: what its documents are ordered by where nobody said otherwise. `members` are columns of its table."""

    name: str
    members: tuple[Member, ...]
    keys: tuple[str, ...]

    def relation(self, *, with_text: bool) -> Relation:
        members = self.members
        columns = [f't."{member.name}" AS c{place}' for place, member in enumerate(members)]
        tables = f"{self.name} AS t"
        if with_text:
            columns.append(f"x.text AS c{len(members)}")
            members = (*members, Member("text", TEXT))
            tables += " LEFT JOIN texts AS x ON x.sha1 = t.sha1"
        columns += [f't."{key}" AS o{place}' for place, key in enumerate(self.keys)]
        return Relation(
            f"SELECT {', '.join(columns)} FROM {tables}", members, tuple(False for _key in self.keys)
        )


REVISIONS = Collection(
    name="revisions",
    members=(
        Member("wiki", TEXT),
        Member("pageid", NUMBER),
        Member("revid", NUMBER),
        Member("parentid", NUMBER),
        Member("title", TEXT),
        Member("user", TEXT),
        Member("userid", NUMBER),
        Member("timestamp", MOMENT),
        Member("size", NUMBER),
        Member("sha1", TEXT),
        Member("contentmodel", TEXT),
        Member("contentformat", TEXT),
        Member("comment", TEXT),
        Member("parsedcomment", TEXT),
        Member("tags", _TAGS),
        Member("minor", BOOLEAN),
        Member("is_user_hidden", BOOLEAN),
        Member("is_comment_hidden", BOOLEAN),
        Member("is_text_hidden", BOOLEAN),
        Member("extraction_date", MOMENT),
    ),
    keys=("wiki", "revid"),
)

ARTICLES = Collection(
    name="articles",
    members=(
        Member("wiki", TEXT),
        Member("ns", NUMBER),
        Member("pageid", NUMBER),
        Member("title", TEXT),
        Member("locale", TEXT),
        Member("first_extraction_date", MOMENT),
        Member("last_extraction_date", MOMENT),
        Member("last_revision_extracted", NUMBER),
    ),
    keys=("wiki", "pageid"),
)

COLLECTIONS = {collection.name: collection for collection in (REVISIONS, ARTICLES)}
