"""`ronda wiki import`: a MediaWiki export file into the lake. What is known stays as the wiki itself told it."""

from __future__ import annotations

import uuid
from itertools import islice
from typing import Annotated, Any, BinaryIO
from xml.etree.ElementTree import ParseError

from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop
from pydantic import Field

from ronda.accounts.models import Person
from ronda.accounts.roles import Role, require
from ronda.errors import InvalidInput
from ronda.jobs.handed_in import HandedIn
from ronda.jobs.kinds import Arguments, JobKind, register
from ronda.jobs.models import Job
from ronda.jobs.run import JobRun
from ronda.jobs.services import enqueue
from ronda.wiki.addresses import checked_api_name, find, key_of
from ronda.wiki.api_answers import PageFound
from ronda.wiki.articles import note_article
from ronda.wiki.dumps import DumpedPage, DumpedSite, read
from ronda.wiki.holdings import known_among
from ronda.wiki.models import Article, Wiki
from ronda.wiki.proving import Count, note_state
from ronda.wiki.storing import Page, store
from ronda_node.policy import ANYWHERE

PROGRESS = gettext_noop("{done:,} of {total:,} bytes read")
PIECE_REVISIONS = 1000
HANDED_IN = HandedIn(kind="import_dump", ending="export")


class ImportArguments(Arguments):
    upload: Annotated[uuid.UUID, Field(title=gettext_noop("Uploaded file"))]
    name: Annotated[str, Field(max_length=200, title=gettext_noop("Name of the file"))]
    api: Annotated[str, Field(max_length=2048, title=gettext_noop("Address of the API"))] = ""


def start_import(*, actor: Person | None, api: str, name: str, body: BinaryIO) -> Job:
    """Keep the file, then have it read by a job. A director's: nobody can check that it is what the wiki once said."""
    person = require(actor, Role.DIRECTOR)
    checked = checked_api_name(api) if api else ""
    upload = HANDED_IN.keep(body)
    arguments = {"upload": str(upload), "name": name, "api": checked}
    return enqueue(kind=IMPORT, owner=person, arguments=arguments)


def _import(run: JobRun, arguments: ImportArguments) -> dict[str, Any]:
    path = HANDED_IN.path(arguments.upload, arguments.name)
    report = run.last_checkpoint or {"pages": 0, "revisions": 0, "known": 0}
    with path.open("rb") as file:
        size = path.stat().st_size
        try:
            site, pages = read(file)
            api = arguments.api or api_of(site)
            for number, page in enumerate(pages, start=1):
                if number > report["pages"]:
                    taken, known = _take(
                        api, site, page, lambda: run.progress(file.tell(), size + 1, PROGRESS)
                    )
                    report = {
                        "pages": number,
                        "revisions": report["revisions"] + taken,
                        "known": report["known"] + known,
                    }
                    run.checkpoint(report)
                run.progress(file.tell(), size + 1, PROGRESS)
        except (ParseError, EOFError, OSError, ValueError) as error:
            raise InvalidInput(
                f"{arguments.name} cannot be read on after {report['pages']:,} pages: {error}"
            ) from error
    path.unlink(missing_ok=True)
    return {"file": arguments.name, **report}


def api_of(site: DumpedSite) -> str:
    """Where the wiki of a dump has its API, going by the address of its first page."""
    if not site.base:
        raise InvalidInput("The file does not say which wiki it is of; name its API.", field="api")
    guessed = find(title="Main Page", locale="", url=site.base, api="", policy=ANYWHERE).api
    scheme = guessed.partition(":")[0]
    # Where it is extracted from is no guess: /api.php and /w/api.php of a host are one wiki.
    known = Wiki.objects.filter(key=key_of(guessed), api__startswith=f"{scheme}:").first()
    return known.api if known else guessed


def _take(api: str, site: DumpedSite, dumped: DumpedPage, pulse: Any) -> tuple[int, int]:
    """How many revisions were new, and how many were known."""
    found = PageFound(
        is_there=True,
        title=dumped.title,
        pageid=dumped.pageid,
        ns=dumped.ns,
        site_name=site.name,
        site_language=site.language,
        generator=site.generator,
    )
    article = note_article(api, found, "")
    page = Page(article.wiki.key, article.pageid, article.title)
    taken = known = 0
    while piece := list(islice(dumped.revisions, PIECE_REVISIONS)):
        here = known_among(page.wiki, [one.revid for one in piece])
        fresh = [one for one in piece if one.revid not in here]
        store(page, fresh, None)
        taken, known = taken + len(fresh), known + len(here)
        pulse()
    _note(article)
    return taken, known


def _note(article: Article) -> None:
    now = timezone.now()
    article.first_extraction_date = article.first_extraction_date or now
    article.last_extraction_date = now
    note_state(article, Count(None))


IMPORT = register(
    JobKind(
        name=HANDED_IN.kind,
        title=_("Import a MediaWiki export file"),
        arguments=ImportArguments,
        role=Role.DIRECTOR,
        work=_import,
    )
)
