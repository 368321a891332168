"""MediaWiki's export files: what they hold comes into the lake, plain or packed, and what is known stays as it is."""

from __future__ import annotations

import bz2
import gzip
import threading
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest
from django.conf import settings

from ronda.accounts.models import Person
from ronda.accounts.roles import Role
from ronda.errors import Forbidden
from ronda.jobs.models import Job, State
from ronda.jobs.services import run
from ronda.lake.reading import reading
from ronda.wiki.importing import start_import
from ronda.wiki.models import Article, Completeness, Wiki
from ronda.wiki.storing import Page, store
from tests.people import person_with
from tests.wiki.test_storing import revision

pytestmark = pytest.mark.django_db(transaction=True)

DUMP = b"""<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en">
<siteinfo><sitename>Example</sitename><dbname>example</dbname><base>https://wiki.example.org/wiki/Main_Page</base>
<generator>MediaWiki 1.39.17</generator><case>first-letter</case>
<namespaces><namespace key="0" case="first-letter"/><namespace key="1" case="first-letter">Talk</namespace></namespaces>
</siteinfo>
<page><title>Nile</title><ns>0</ns><id>5</id>
<revision><id>11</id><timestamp>2020-01-01T00:00:00Z</timestamp><contributor><username>Ana</username><id>3</id>
</contributor><comment>first &amp; only</comment><origin>11</origin><model>wikitext</model><format>text/x-wiki</format>
<text bytes="5" sha1="r9yptg5o2yr2bd7x4ay7t2k6m2v8wvq" xml:space="preserve">hello</text>
<sha1>r9yptg5o2yr2bd7x4ay7t2k6m2v8wvq</sha1></revision>
<revision><id>12</id><parentid>11</parentid><timestamp>2020-01-02T00:00:00Z</timestamp><contributor deleted="deleted"/>
<minor/><comment deleted="deleted"/><origin>12</origin><model>wikitext</model><format>text/x-wiki</format>
<text bytes="9" sha1="x" deleted="deleted"/><sha1/></revision>
</page>
<page><title>Talk:Nile</title><ns>1</ns><id>6</id>
<revision><id>13</id><timestamp>2020-01-03T00:00:00Z</timestamp><contributor><ip>10.0.0.1</ip></contributor>
<origin>13</origin><model>wikitext</model><format>text/x-wiki</format>
<text bytes="0" sha1="phoiac9h4m842xq45sp7s6u21eteeq1" xml:space="preserve"/>
<sha1>phoiac9h4m842xq45sp7s6u21eteeq1</sha1></revision></page>
</mediawiki>
"""


@pytest.fixture
def director(own_lake: Path) -> Person:
    return person_with(Role.DIRECTOR)


def _imported(director: Person, body: bytes) -> Job:
    job = start_import(actor=director, api="", name="dump.xml", body=BytesIO(body))
    run(job_id=job.pk, worker="test", stopping=threading.Event())
    job.refresh_from_db()
    return job


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress])
def test_dumps_are_read_as_they_come(director: Person, pack: Callable[[bytes], bytes]) -> None:
    # What the wiki itself told, with tags, is not overwritten by a dump that has none.
    known = replace(revision(11), parentid=0)
    store(Page("wiki.example.org", 5, "Nile"), [known], None)

    job = _imported(director, pack(DUMP))
    assert job.state == State.SUCCEEDED, job.error
    assert job.result == {"file": "dump.xml", "pages": 2, "revisions": 2, "known": 1}
    with reading() as lake:
        rows = lake.execute(
            'SELECT revid, title, "user", userid, minor, is_text_hidden, tags, size FROM revisions ORDER BY revid'
        ).fetchall()
        empty = lake.execute("SELECT text FROM texts JOIN revisions USING (sha1) WHERE revid = 13").fetchall()
    assert rows == [
        (11, "Nile", "Ana", 3, False, False, ["mw-undo"], 6),
        (12, "Nile", None, None, True, True, [], 9),
        (13, "Talk:Nile", "10.0.0.1", 0, False, False, [], 0),
    ]
    assert empty == [("",)]
    article = Article.objects.get(pageid=5)
    assert article.wiki.api == "https://wiki.example.org/w/api.php"
    assert (article.revisions, article.completeness) == (2, Completeness.LINKED)
    assert not list((settings.RONDA.home / "imports").glob("*")), "the upload is gone"


def test_a_dump_of_a_wiki_that_is_known_goes_to_it_wherever_its_api_is(director: Person) -> None:
    known = Wiki.objects.create(key="wiki.example.org", api="https://wiki.example.org/api.php", locale="en")
    assert _imported(director, DUMP).state == State.SUCCEEDED
    assert set(Article.objects.values_list("wiki", flat=True)) == {known.pk}


@pytest.mark.parametrize("body", [b"", b"no XML", DUMP[:900], gzip.compress(DUMP, mtime=0)[:200]])
def test_what_cannot_be_read_is_said(director: Person, body: bytes) -> None:
    job = _imported(director, body)
    assert job.state == State.FAILED
    assert "dump.xml cannot be read on" in job.error


def test_importing_is_for_directors(own_lake: Path) -> None:
    with pytest.raises(Forbidden):
        start_import(actor=person_with(Role.SUBSCRIBER), api="", name="x", body=BytesIO(DUMP))
