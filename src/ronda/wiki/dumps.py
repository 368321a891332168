"""MediaWiki's export files: pages and their revisions, as `mwxml` reads them, in the words of this room. Pure."""

from __future__ import annotations

import bz2
import gzip
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import BinaryIO, cast

import mwxml

from ronda.wiki.revisions import Revision

GZIP, BZIP2 = b"\x1f\x8b", b"BZh"


@dataclass(frozen=True)
class DumpedSite:
    name: str
    base: str
    generator: str
    language: str = ""


@dataclass(frozen=True)
class DumpedPage:
    """`revisions` are read as one goes on."""

    pageid: int
    ns: int
    title: str
    revisions: Iterator[Revision]


def opened(file: BinaryIO) -> BinaryIO:
    """Plain, gzip or bzip2, by how it begins."""
    start = file.read(3)
    file.seek(0)
    if start.startswith(GZIP):
        return cast("BinaryIO", gzip.GzipFile(fileobj=file))
    if start.startswith(BZIP2):
        return cast("BinaryIO", bz2.BZ2File(file))
    return file


def read(file: BinaryIO) -> tuple[DumpedSite, Iterator[DumpedPage]]:
    dump = mwxml.Dump.from_file(opened(file))
    info = dump.site_info
    site = DumpedSite(name=info.name or "", base=info.base or "", generator=info.generator or "")
    names = {one.id: one.name or "" for one in info.namespaces or []}
    return site, (_page(page, names) for page in dump)


def _page(page: mwxml.Page, names: dict[int, str]) -> DumpedPage:
    prefix = f"{names[page.namespace]}:" if names.get(page.namespace) else ""
    title = page.title if page.title.startswith(prefix) else prefix + page.title
    return DumpedPage(
        pageid=page.id, ns=page.namespace or 0, title=title, revisions=(_revision(one) for one in page)
    )


def _revision(one: mwxml.Revision) -> Revision:
    """What dumps do not say (tags, the parsed comment) stays empty. Their sha1 is in base 36."""
    hidden = one.deleted
    main = one.slots.contents.get("main") if one.slots and one.slots.contents else None
    sha1 = one.slots.sha1 if one.slots and one.slots.sha1 else one.sha1
    text = (main.text if main else one.text) or ""
    return Revision(
        revid=one.id,
        parentid=one.parent_id or 0,
        timestamp=datetime.fromtimestamp(one.timestamp.unix(), UTC),
        user=None if hidden.user or not one.user else one.user.text,
        userid=None if hidden.user or not one.user else one.user.id or 0,
        size=main.bytes if main else one.bytes,
        sha1=None if hidden.text or not sha1 else f"{int(sha1, 36):040x}",
        comment=None if hidden.comment else one.comment or "",
        contentmodel=main.model if main else one.model,
        contentformat=main.format if main else one.format,
        is_minor=bool(one.minor),
        is_user_hidden=bool(hidden.user),
        is_comment_hidden=bool(hidden.comment),
        is_text_hidden=bool(hidden.text),
        text=None if hidden.text else text,
    )
