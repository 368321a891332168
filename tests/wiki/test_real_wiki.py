"""The history of a page of a real MediaWiki: what Ronda stores equals what the wiki dumps, revision by revision."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ronda.jobs.models import Job, State
from ronda.lake.reading import reading
from ronda.wiki.models import Article, Completeness
from tests.wiki.conftest import REVISIONS, TITLE
from tests.wiki.reading_a_lake import stored
from tests.wiki.real_mediawiki import RealMediaWiki, revisions_of_dump

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_history_equals_the_wikis_own_dump(real_wiki: RealMediaWiki, extract: Callable[..., Job]) -> None:
    # Something of everything before the first extraction: edits of now, a hidden revision, a redirect.
    real_wiki.edit("Nile battle", f"#REDIRECT [[{TITLE}]]")
    first_edit = real_wiki.edit(TITLE, "A text to hide")
    real_wiki.edit(TITLE, "The text after it", minor="1", summary="tidier")
    real_wiki.do("revisiondelete", type="revision", ids=str(first_edit), hide="content|user|comment")

    job = extract(real_wiki.api, "Nile battle")
    assert job.state == State.SUCCEEDED, job.error
    assert job.result
    assert job.result["redirected_from"] == "Nile battle"
    article = Article.objects.get()
    assert (article.title, article.completeness) == (TITLE, Completeness.PROVED), article.__dict__
    assert article.revisions == job.result["new"] == REVISIONS + 2
    assert article.hidden_revisions == 1
    assert job.progress == f"{article.revisions:,} of {article.revisions:,} revisions"
    assert stored(article.title) == revisions_of_dump(real_wiki.dump(), TITLE)

    # Again: edits, a move with its null revision, a revision hidden that was known, tags that came later.
    undone = real_wiki.edit(TITLE, "Vandalism")
    real_wiki.do("edit", title=TITLE, undo=str(undone))
    real_wiki.maintain("runJobs.php")
    real_wiki.do("move", **{"from": TITLE, "to": "Battle of Aboukir Bay", "reason": "better known so"})
    latest = article.last_revision
    real_wiki.do("revisiondelete", type="revision", ids=str(latest), hide="user")

    job = extract(real_wiki.api, "Battle of Aboukir Bay")
    assert job.state == State.SUCCEEDED, job.error
    assert job.result
    assert job.result["new"] == 3
    # One for the page, two for counts at most, one newest first, one for the texts: not the whole history again.
    assert job.result["questions"] <= 6
    article = Article.objects.get()
    assert article.title == "Battle of Aboukir Bay"
    assert article.completeness == Completeness.PROVED
    assert article.hidden_revisions == 2
    assert stored(article.title) == revisions_of_dump(real_wiki.dump(), article.title)
    with reading() as lake:
        titles = lake.execute("SELECT DISTINCT title FROM revisions").fetchall()
        tags = dict(lake.execute("SELECT revid, tags FROM revisions WHERE revid >= ?", [undone]).fetchall())
    assert titles == [("Battle of Aboukir Bay",)]
    assert "mw-reverted" in tags[undone]


def test_a_page_that_is_not_there_is_a_state_and_no_failure(
    real_wiki: RealMediaWiki, extract: Callable[..., Job]
) -> None:
    job = extract(real_wiki.api, "No such page")
    assert job.state == State.SUCCEEDED
    assert job.result == {"title": "No such page", "state": "missing", "was_known": False}

    assert extract(real_wiki.api, TITLE, with_text=False).state == State.SUCCEEDED
    with reading() as lake:
        assert lake.execute("SELECT count(*) FROM texts").fetchone() == (0,)
    real_wiki.do("delete", title=TITLE)
    real_wiki.maintain("runJobs.php")
    job = extract(real_wiki.api, TITLE)
    assert job.result
    assert job.result["state"] == "missing"
    article = Article.objects.get()
    assert article.completeness == Completeness.MISSING
    assert len(stored(article.title)) == REVISIONS
