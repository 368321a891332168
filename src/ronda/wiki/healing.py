"""Fills the gaps of a history: the wiki's whole list is read again without texts, and what is missing is fetched."""

from __future__ import annotations

from ronda.wiki import questions
from ronda.wiki.conversation import Conversation
from ronda.wiki.extraction import Extraction
from ronda.wiki.holdings import all_revids, holdings
from ronda.wiki.models import Article
from ronda.wiki.storing import read_cursor, store


def heal(conversation: Conversation, extraction: Extraction, article: Article) -> dict[str, int]:
    """Everything the wiki lists is here afterwards. What it does not list any more is counted, and kept."""
    page = extraction.page
    before = all_revids(page.wiki, page.pageid)
    listed: set[int] = set()
    onward: dict[str, str] = {}
    while True:
        question = questions.oldest_first(page.pageid, with_text=False, onward=onward)
        got = extraction.take(conversation.begin(question))
        store(page, got.revisions, None)
        listed |= {one.revid for one in got.revisions}
        extraction.tell(len(listed))
        onward = got.onward
        if not onward.get("rvcontinue"):
            break
    cursor = read_cursor(page.wiki, page.pageid)
    texts = extraction.fill_texts() if cursor and (cursor.has_texts or extraction.with_text) else 0
    article.gone_revisions = len(before - listed) if got.is_there else 0
    gaps = holdings(page.wiki, page.pageid).gaps
    article.absent_parents = sorted(_absent(conversation, extraction, gaps))
    return {"healed": len(listed - before), "texts": texts, "gone": article.gone_revisions}


def _absent(conversation: Conversation, extraction: Extraction, revids: tuple[int, ...]) -> set[int]:
    """Those that the wiki itself does not have: its own history begins behind them, or they were deleted."""
    absent: set[int] = set()
    for start in range(0, len(revids), questions.MOST_IDS):
        piece = revids[start : start + questions.MOST_IDS]
        absent |= set(extraction.take(conversation.begin(questions.by_ids(piece, with_text=False))).absent)
    return absent
