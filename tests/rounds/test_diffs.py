"""Comparing versions and pages, through services, API and commands' eyes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client
from typer.testing import CliRunner

from ronda.accounts.pages.entrance import BACKEND
from ronda.accounts.roles import Role
from ronda.archive.models import Collection
from ronda.cli.app import app
from ronda.errors import InvalidInput, NotFound
from ronda.jobs.models import Job
from ronda.rounds import diffs, site_diffs
from ronda.rounds.change_wording import differing_sentence, site_sentence
from ronda.rounds.diff_models import PageDiff, VersionDiff
from ronda.rounds.errors import NoSuchSource, NoSuchState, NotOneSource
from ronda.rounds.models import Source, Version
from tests.people import person_with
from tests.rounds.kept_sites import HOME, Kept, followed, version_of
from tests.rounds.working import work_off

STYLE = f"{HOME}site.css"
FIRST: dict[str, Kept | str] = {
    HOME: "<p>one</p><p>two words here</p>",
    f"{HOME}little": "<p>a long text that stays as it is but for one thing: cats</p>",
    f"{HOME}much": "<p>all of this goes away</p>",
    f"{HOME}same": "<p>same</p>",
    f"{HOME}gone": "<p>gone</p>",
    f"{HOME}missing": "<p>will be 404</p>",
    f"{HOME}down": "<p>will be down</p>",
    STYLE: Kept("p {}", mime="text/css", role="requisite"),
}
SECOND: dict[str, Kept | str] = {
    HOME: "<p>one</p><p>two words here</p><p>three</p><a href=/new>new</a>",
    f"{HOME}little": "<p>a long text that stays as it is but for one thing: dogs</p>",
    f"{HOME}much": "<p>something wholly different stands there</p>",
    f"{HOME}same": "<p>same</p>",
    f"{HOME}new": "<p>new</p>",
    f"{HOME}missing": Kept("<p>not found</p>", status=404),
    f"{HOME}down": Kept(status=0, reason="connect"),
    STYLE: Kept("p { color: red }", mime="text/css", role="requisite"),
}


@pytest.fixture
def source(db: None) -> Source:
    return followed()


@pytest.fixture
def two(source: Source) -> tuple[Version, Version]:
    return version_of(source, FIRST), version_of(source, SECOND)


def reader(email: str = "reader@example.org") -> Any:
    return person_with(Role.READER, email=email)


def fates(diff: VersionDiff) -> dict[str, str]:
    return {page.url.removeprefix(HOME): page.fate for page in diff.pages.all()}


def test_versions_of_a_site(two: tuple[Version, Version]) -> None:
    first, second = two
    diff = diffs.version_diff(actor=reader(), before_id=second.pk, after_id=first.pk)
    assert (diff.before, diff.after, diff.state) == (first, second, "comparing"), (
        "older and newer, whoever is named first"
    )
    assert [job.state for job in work_off()] == ["succeeded"]
    diff.refresh_from_db()
    assert fates(diff) == {
        "": "changed", "little": "changed", "much": "changed", "site.css": "changed", "new": "added",
        "gone": "removed", "missing": "removed", "down": "failed",
    }  # fmt: skip
    assert (diff.unchanged, diff.is_done, diff.compared) == (1, True, 4)
    ranking = [page.url.removeprefix(HOME) for page in site_diffs.ranked(diff)]
    assert ranking[0] == "much", "the most changed first"
    assert ranking.index("") < ranking.index("little")
    assert ranking[-1] == "site.css", "what pages are made of comes last"
    assert site_sentence(diff) == "4 documents changed, 1 added, 2 removed, 1 not seen this time"
    assert diffs.version_diff(actor=person_with(Role.READER), before_id=first.pk, after_id=second.pk) == diff
    assert Job.objects.filter(kind="compare_versions").count() == 1, "compared once, whoever asks"


def test_picture_of_other_colours_is_replaced(source: Source) -> None:
    logo = f"{HOME}logo.png"
    version_of(source, {HOME: "<p>one</p>", logo: Kept("red", mime="image/png", role="requisite")})
    version_of(source, {HOME: "<p>one</p>", logo: Kept("blue", mime="image/png", role="requisite")})
    work_off()
    changed = PageDiff.objects.get(fate="changed")
    assert changed.url == logo
    assert differing_sentence(changed) == "replaced; its content cannot be compared"


def test_first_version_has_nothing_before_it(source: Source) -> None:
    assert diffs.source_diff(actor=reader(), source_id=source.pk) is None
    version = version_of(source, FIRST)
    diff = diffs.source_diff(actor=reader("b@example.org"), source_id=source.pk)
    assert diff
    assert (diff.before, diff.after, site_sentence(diff)) == (None, version, "first version: 8 documents")


def test_unreadable_file_is_told_and_stops_nothing(two: tuple[Version, Version]) -> None:
    from ronda.archive.services import archive_folder

    diff = VersionDiff.objects.get(before=two[0])
    lost = PageDiff.objects.get(diff=diff, url=HOME)
    assert lost.capture_after
    (archive_folder() / lost.capture_after.file.name).unlink()
    assert [job.state for job in work_off()] == ["succeeded"]
    lost.refresh_from_db()
    assert (lost.share, lost.reason) == (None, site_diffs.UNREADABLE)
    assert VersionDiff.objects.get(pk=diff.pk).is_done


def test_ten_thousand_pages(source: Source, django_assert_max_num_queries: Any) -> None:
    """What is there and what is gone is one statement, however large the site."""
    from ronda.frontier.services import digest_of
    from ronda.rounds.models import Visit, VisitPage

    versions = []
    for number, skipped in ((1, 0), (2, 1)):
        visit = Visit.objects.create(source=source, cause="first", state="ended")
        VisitPage.objects.bulk_create(
            VisitPage(
                visit=visit, url=f"{HOME}{n}", url_digest=digest_of(f"{HOME}{n}"), role="page", state="done",
                status=200, is_unchanged=True,
            )
            for n in range(skipped, 10_000)
        )  # fmt: skip
        at = source.created_at
        versions.append(
            Version.objects.create(source=source, visit=visit, number=number, started_at=at, ended_at=at)
        )
    with django_assert_max_num_queries(15):
        diff = site_diffs.diff_between(*versions)
    assert (diff.unchanged, diff.removed, diff.changed) == (9_999, 1, 0)


def test_page_by_default_by_version_by_capture_and_by_time(two: tuple[Version, Version]) -> None:
    actor = reader()
    third = version_of(two[0].source, SECOND)
    newest = diffs.compare_page(actor=actor, url="http://A.example")
    assert (newest.before.visit, newest.after.visit) == (two[0].visit_id, third.visit_id), (
        "the last other state"
    )
    assert newest.change.counts.lines_added == 2
    for a, b in (
        (str(two[0].pk), str(two[1].pk)),
        (str(newest.before.pk), f"{two[1].ended_at:%Y-%m-%dT%H:%M:%S.%fZ}"),
        (f"{two[0].ended_at:%Y-%m-%d %H:%M:%S.%f}", f"{third.ended_at:%Y%m%d%H%M%S}"),
    ):
        found = diffs.compare_page(actor=actor, url=HOME, a=a, b=b)
        assert (found.before.visit, found.after.visit) == (two[0].visit_id, two[1].visit_id), (a, b)
    back = diffs.compare_page(actor=actor, url=HOME, a=str(two[1].pk), b=str(two[0].pk))
    assert back.change.counts.lines_removed == 2
    with pytest.raises(NoSuchState):
        diffs.compare_page(actor=actor, url=f"{HOME}never")
    with pytest.raises(NoSuchState):
        diffs.compare_page(actor=actor, url=f"{HOME}gone", a=str(two[1].pk))
    with pytest.raises(InvalidInput):
        diffs.compare_page(actor=actor, url=HOME, a="yesterday-ish")


def test_others_collections_stay_theirs(two: tuple[Version, Version]) -> None:
    Collection.objects.update(is_public=False)
    stranger = reader()
    with pytest.raises(NotFound):
        diffs.version_diff(actor=stranger, before_id=two[0].pk, after_id=two[1].pk)
    with pytest.raises(NoSuchState):
        diffs.compare_page(actor=stranger, url=HOME)
    with pytest.raises(NoSuchSource):
        diffs.source_diff(actor=stranger, source_id=two[0].source_id)


def test_two_sources_are_not_compared(two: tuple[Version, Version]) -> None:
    other = version_of(followed("cultural"), FIRST)
    with pytest.raises(NotOneSource):
        diffs.version_diff(actor=reader(), before_id=two[0].pk, after_id=other.pk)


def test_api(two: tuple[Version, Version]) -> None:
    browser = Client()
    browser.force_login(reader(), backend=BACKEND)
    work_off()

    def get(path: str, **query: str) -> Any:
        response = browser.get(f"/api/v1{path}", query)
        return response.status_code, json.loads(response.content)

    status, found = get(f"/versions/{two[0].pk}/diff/{two[1].pk}")
    assert (status, found["state"], found["changed"]) == (200, "done", 4)
    assert get(f"/sources/{two[0].source_id}/diff", a="1", b="2")[1] == found
    pages = get(f"/versions/{two[0].pk}/diff/{two[1].pk}/pages", page_size="3")[1]
    assert (pages["total"], pages["items"][0]["summary"]) == (8, "1 paragraph added, 1 removed") or pages[
        "items"
    ]
    status, page = get("/diff", url=HOME, context="0")
    assert (status, page["summary"]) == (200, "2 paragraphs added; 1 link added")
    assert [row["after"] for row in page["rows"]] == ["three", "new"]
    assert get("/diff", url="ftp://a.example")[0] == 422
    assert get("/diff", url=f"{HOME}never")[0] == 404


def test_command(two: tuple[Version, Version], monkeypatch: pytest.MonkeyPatch) -> None:
    """`ronda diff`, with the API of this very database behind it."""
    browser = Client()
    browser.force_login(reader(), backend=BACKEND)
    work_off()

    class Here:
        def get(self, path: str, **query: Any) -> Any:
            given = {name: value for name, value in query.items() if value not in (None, "")}
            return json.loads(browser.get(f"/api/v1{path}", given).content)

    monkeypatch.setattr("ronda.cli.diff.Client", Here)
    monkeypatch.setenv("COLUMNS", "200")

    def ronda(*arguments: str) -> str:
        done = CliRunner().invoke(app, ["diff", *arguments])
        assert done.exit_code == 0, done.output
        return done.output

    assert "+ three" in ronda(HOME)
    assert "~ a long text that stays as it is but for one thing: [-cats-]{+dogs+}" in ronda(f"{HOME}little")
    assert "three" in ronda(HOME, str(two[0].pk), str(two[1].pk), "--side-by-side")
    assert json.loads(ronda(HOME, "--json"))["share"] > 0
    site = ronda(str(two[0].source_id), "1", "2")
    assert "4 documents changed" in site
    assert f"{HOME}much" in site
    assert len(json.loads(ronda(str(two[0].source_id), "--json"))["pages"]) == 8
