"""Following a source, and what people may do with it."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from django.conf import settings
from django.test import override_settings
from django.utils import timezone

from ronda.accounts.models import Person
from ronda.accounts.roles import Role
from ronda.archive import collections
from ronda.archive.models import Capture, Collection, Topic
from ronda.archive.queries import collection_seen, visible_captures
from ronda.archive.vocabulary import COLLECTIONS, TOPICS
from ronda.errors import Conflict, Forbidden, InvalidInput, NotAuthenticated, NotFound
from ronda.policies.services import change_setting
from ronda.rounds import bulk, intervals, queries, services, visiting
from ronda.rounds.models import Removal, Source, SourceState
from ronda.rounds.queries import SourceFilter
from tests.people import person_with
from tests.rounds.sources import SITE, captured, followed, own_archive

pytestmark = pytest.mark.django_db


@pytest.fixture
def own_files(db: None, tmp_path: Path) -> Iterator[None]:
    with own_archive(tmp_path):
        yield


@pytest.fixture
def ana() -> Person:
    return person_with(Role.SUBSCRIBER, email="ana@example.org")


@pytest.fixture
def ben() -> Person:
    return person_with(Role.SUBSCRIBER, email="ben@example.org")


@pytest.fixture
def director() -> Person:
    return person_with(Role.DIRECTOR, email="director@example.org")


@pytest.fixture
def reader() -> Person:
    return person_with(Role.READER, email="reader@example.org")


def test_topics_and_collections_exist_from_the_start(ana: Person) -> None:
    assert dict(Topic.objects.values_list("code", "name")) == TOPICS
    assert {c.slug: c.name for c in Collection.objects.filter(is_public=True)} == COLLECTIONS
    assert sorted(TOPICS) == list(range(300, 315))


def test_a_source_is_due_at_once_and_stands_where_it_was_put(ana: Person) -> None:
    source = followed(
        ana,
        "HTTPS://Museum.Example:443/a/../?q=á#top",
        collection="scientific",
        topic=301,
        scope="prefix",
        depth=2,
        max_pages=50,
        every_seconds=86_400,
        tags=("press", " press ", "ue"),
    )
    assert source.url == "https://museum.example/?q=%C3%A1"
    assert (source.owner, source.state, source.collection.slug) == (ana, SourceState.ACTIVE, "scientific")
    assert (source.topic_id, source.scope, source.depth, source.max_pages) == (301, "prefix", 2, 50)
    assert (source.every_seconds, source.tags) == (86_400, ["press", "ue"])
    assert source.next_visit_at
    assert source.next_visit_at <= timezone.now()


def test_without_a_collection_the_setting_decides(ana: Person, director: Person) -> None:
    assert followed(ana).collection.slug == "cultural"
    change_setting(actor=director, name="default_collection", value="educational")
    assert followed(ana, "https://school.example/").collection.slug == "educational"


@pytest.mark.parametrize(
    ("field", "wish"),
    [
        ("url", {"url": "ftp://museum.example/"}),
        ("url", {"url": "http://127.0.0.1/"}),
        ("url", {"url": "http://intranet/"}),
        ("url", {"url": ""}),
        ("collection", {"collection": "nowhere"}),
        ("topic", {"topic": 999}),
        ("topic", {"topic": -1}),
        ("scope", {"scope": "web"}),
        ("depth", {"depth": 51}),
        ("max_pages", {"max_pages": 0}),
        ("max_bytes", {"max_bytes": 1}),
        ("max_seconds", {"max_seconds": 1}),
        ("every", {"every_seconds": 59}),
        ("tags", {"tags": ("a,b",)}),
        ("tags", {"tags": tuple("abcdefghijklmnopqrstu")}),
        ("title", {"title": "x" * 301}),
        ("notes", {"notes": "\0"}),
    ],
)
def test_bad_wishes_are_refused_at_their_field(ana: Person, field: str, wish: dict[str, object]) -> None:
    with pytest.raises(InvalidInput) as caught:
        followed(ana, **{"url": SITE, **wish})  # type: ignore[arg-type]
    assert caught.value.field == field
    assert not Source.objects.exists()


def test_private_addresses_where_they_are_allowed(ana: Person) -> None:
    with override_settings(RONDA=replace(settings.RONDA, allow_private_networks=True)):
        assert followed(ana, "http://127.0.0.1:9000").url == "http://127.0.0.1:9000/"


def test_the_same_source_twice_in_a_collection_is_named(ana: Person, ben: Person) -> None:
    first = followed(ana)
    with pytest.raises(Conflict, match=f"Cultural already, with the same scope: {first.pk}"):
        followed(ben, "https://MUSEUM.example")
    followed(ben, scope="page")
    elsewhere = followed(ben, collection="scientific")
    with pytest.raises(Conflict, match="museum"):
        services.edit(actor=ben, source_id=elsewhere.pk, changes={"collection": "cultural"})
    elsewhere.refresh_from_db()
    assert elsewhere.collection.slug == "scientific"


def test_only_subscribers_follow_and_only_owners_and_directors_change(
    ana: Person, ben: Person, director: Person, reader: Person
) -> None:
    for actor, error in ((reader, Forbidden), (None, NotAuthenticated)):
        with pytest.raises(error):
            followed(actor)  # type: ignore[arg-type]
    source = followed(ana)
    assert queries.source_seen(reader, source.pk) == source
    for stranger in (ben, reader):
        for service in (services.pause, services.resume, services.end):
            with pytest.raises(Forbidden):
                service(actor=stranger, source_id=source.pk)
        with pytest.raises(Forbidden):
            services.edit(actor=stranger, source_id=source.pk, changes={"title": "mine"})
        with pytest.raises(Forbidden):
            services.remove(actor=stranger, source_id=source.pk, because="spite")
    assert services.pause(actor=director, source_id=source.pk).state == SourceState.PAUSED


def test_pause_and_resume(ana: Person) -> None:
    source = followed(ana)
    paused = services.pause(actor=ana, source_id=source.pk)
    assert (paused.state, paused.next_visit_at) == (SourceState.PAUSED, None)
    resumed = services.resume(actor=ana, source_id=source.pk)
    assert resumed.state == SourceState.ACTIVE
    assert resumed.next_visit_at
    assert resumed.next_visit_at <= timezone.now()


def test_editing_leaves_what_is_not_named_and_reckons_the_next_visit_anew(ana: Person) -> None:
    source = followed(ana, title="Museum", topic=300, tags=("a",))
    Source.objects.filter(pk=source.pk).update(visited_at=timezone.now(), next_visit_at=None)
    edited = services.edit(actor=ana, source_id=source.pk, changes={"every_seconds": 3600, "notes": "slow"})
    assert (edited.title, edited.topic_id, edited.tags, edited.notes) == ("Museum", 300, ["a"], "slow")
    assert edited.next_visit_at
    assert 3500 < (edited.next_visit_at - timezone.now()).total_seconds() <= 3600


def test_deleting_without_versions_keeps_the_archive(ana: Person) -> None:
    source = followed(ana)
    captured(source)
    visit = visiting.ask_for_visit(actor=ana, source_id=source.pk)
    ended = services.end(actor=ana, source_id=source.pk)
    visit.refresh_from_db()
    assert (ended.state, ended.next_visit_at, visit.is_to_be_cancelled) == (SourceState.ENDED, None, True)
    assert queries.versions_of(actor=ana, source_id=source.pk).count() == 1
    assert services.resume(actor=ana, source_id=source.pk).state == SourceState.ACTIVE


@pytest.mark.usefixtures("own_files")
def test_deleting_with_versions_leaves_the_record_of_why(ana: Person) -> None:
    source = followed(ana)
    captured(source)
    captured(source)
    with pytest.raises(InvalidInput, match="Say why"):
        services.remove(actor=ana, source_id=source.pk, because=" ")
    services.remove(actor=ana, source_id=source.pk, because="the owner asked")
    assert not Source.objects.exists()
    removal = Removal.objects.get()
    assert (removal.url, removal.versions, removal.because) == (SITE, 2, "the owner asked")
    assert removal.removed_by == ana
    # The WARC files stay as they are, but nobody finds these captures any more.
    assert not visible_captures(ana).exists()


def test_deleting_with_versions_waits_for_the_visit_under_way(ana: Person) -> None:
    source = followed(ana)
    visiting.ask_for_visit(actor=ana, source_id=source.pk)
    with pytest.raises(Conflict, match="under way"):
        services.remove(actor=ana, source_id=source.pk, because="x")


def test_what_was_kept_moves_with_its_source(ana: Person) -> None:
    source = followed(ana)
    captured(source)
    services.edit(actor=ana, source_id=source.pk, changes={"collection": "scientific"})
    assert {capture.collection_id for capture in Capture.objects.all()} == {
        Collection.objects.get(slug="scientific").pk
    }


def test_a_closed_collection_is_seen_by_its_people_and_directors(
    ana: Person, ben: Person, director: Person
) -> None:
    with pytest.raises(Forbidden):
        collections.make_collection(actor=ana, slug="press", name="Press")
    collections.make_collection(actor=director, slug="press", name="Press", is_public=False)
    with pytest.raises(InvalidInput, match="no such collection"):
        followed(ana, collection="press")
    collections.add_person(actor=director, slug="press", email="ANA@example.org")
    source = followed(ana, collection="press")
    version = captured(source)
    assert queries.version_seen(director, version.pk) == version
    for look in (
        lambda: queries.source_seen(ben, source.pk),
        lambda: queries.version_seen(ben, version.pk),
        lambda: queries.visit_seen(ben, version.visit_id),
        lambda: collection_seen(ben, "press"),
    ):
        with pytest.raises(NotFound):
            look()
    assert not visible_captures(ben).exists()
    assert not queries.sources(actor=ben, wanted=SourceFilter()).exists()
    collections.remove_person(actor=director, slug="press", person_id=ana.pk)
    with pytest.raises(NotFound):
        services.pause(actor=ana, source_id=source.pk)
    collections.edit_collection(actor=director, slug="press", is_public=True)
    assert queries.source_seen(ben, source.pk) == source


def test_collections_and_topics_are_unique(director: Person) -> None:
    for slug, name in (("cultural", "Another"), ("another", "Cultural")):
        with pytest.raises(Conflict):
            collections.make_collection(actor=director, slug=slug, name=name)
    for slug in ("", "Has Blanks", "-a", "a" * 61):
        with pytest.raises(InvalidInput):
            collections.make_collection(actor=director, slug=slug, name="x")
    assert collections.add_topic(actor=director, code=400, name="Music").code == 400
    for code, name in ((400, "Other"), (401, "Music")):
        with pytest.raises(Conflict):
            collections.add_topic(actor=director, code=code, name=name)
    with pytest.raises(InvalidInput, match="Nobody"):
        collections.add_person(actor=director, slug="cultural", email="nobody@example.org")
    with pytest.raises(NotFound):
        collections.remove_person(actor=director, slug="cultural", person_id=director.pk)


def test_sources_are_found_by_what_is_known_of_them(ana: Person, ben: Person) -> None:
    museum = followed(ana, title="Museo de Arte", topic=300, tags=("press",), notes="red walls")
    school = followed(ben, "https://school.example/", collection="educational")
    services.pause(actor=ben, source_id=school.pk)
    captured(museum)
    for wanted, found in (
        (SourceFilter(), [museum, school]),
        (SourceFilter(collection="educational"), [school]),
        (SourceFilter(topic=300), [museum]),
        (SourceFilter(state="paused"), [school]),
        (SourceFilter(tag="press"), [museum]),
        (SourceFilter(search="arte walls"), [museum]),
        (SourceFilter(search="school arte"), []),
        (SourceFilter(url="HTTPS://School.example"), [school]),
        (SourceFilter(is_mine=True), [museum]),
    ):
        assert list(queries.sources(actor=ana, wanted=wanted).order_by("url")) == found, wanted
    shown = queries.source_shown(actor=ana, source_id=museum.pk)
    assert (shown.version_count, shown.stored_bytes) == (1, 1500)  # type: ignore[attr-defined]
    assert queries.tags_in_use(actor=ben) == ["press"]


def test_bulk_does_what_it_can_and_tells_the_rest(ana: Person, ben: Person) -> None:
    mine, theirs, nowhere = followed(ana), followed(ben, "https://school.example/"), uuid.uuid4()
    done = bulk.act_on(actor=ana, source_ids=[mine.pk, theirs.pk, nowhere, mine.pk], action=bulk.Action.PAUSE)
    assert [type(one.refusal).__name__ for one in done] == ["NoneType", "NotYourSource", "NoSuchSource"]
    for action in (bulk.Action.RESUME, bulk.Action.VISIT, bulk.Action.MOVE, bulk.Action.END):
        [one] = bulk.act_on(actor=ana, source_ids=[mine.pk], action=action, collection="scientific")
        assert one.refusal is None, action
    mine.refresh_from_db()
    assert (mine.state, mine.collection.slug) == (SourceState.ENDED, "scientific")
    with pytest.raises(InvalidInput):
        bulk.act_on(actor=ana, source_ids=[], action=bulk.Action.PAUSE)


@pytest.mark.parametrize(
    ("text", "seconds", "shown"),
    [
        ("auto", None, "auto"),
        ("", None, "auto"),
        ("90s", 90, "90s"),
        ("30m", 1800, "30m"),
        ("24h", 86_400, "1d"),
        ("1D", 86_400, "1d"),
        ("2w", 1_209_600, "2w"),
    ],
)
def test_intervals(text: str, seconds: int | None, shown: str) -> None:
    assert intervals.seconds_of(text) == seconds
    assert intervals.words_of(seconds) == shown
    assert intervals.seconds_of(shown) == seconds


@pytest.mark.parametrize("text", ["1", "d", "0d", "1.5d", "30s", "367d", "1y", "-1d"])
def test_intervals_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        intervals.seconds_of(text)
