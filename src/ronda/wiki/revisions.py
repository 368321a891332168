"""A revision as Ronda keeps it, whoever told of it: the wiki's API or a dump."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True)
class Revision:
    """What is hidden is None, and its flag says so. `text` is None where it was not asked for, too."""

    revid: int
    parentid: int
    timestamp: datetime
    user: str | None
    userid: int | None
    size: int | None
    sha1: str | None
    comment: str | None
    parsedcomment: str | None = None
    contentmodel: str | None = None
    contentformat: str | None = None
    tags: tuple[str, ...] = field(default=())
    is_minor: bool = False
    is_user_hidden: bool = False
    is_comment_hidden: bool = False
    is_text_hidden: bool = False
    text: str | None = None

    @property
    def is_hidden(self) -> bool:
        """Whether the wiki hides anything of it."""
        return self.is_user_hidden or self.is_comment_hidden or self.is_text_hidden
