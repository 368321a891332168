"""The wiki's histories have what real ones have, and clients stumble over."""

from __future__ import annotations

from datetime import timedelta
from hashlib import sha1
from itertools import pairwise

from ronda.demo import DemoWorld
from ronda.demo.wiki.chronicle import Revision, WikiChronicle
from ronda.demo.wiki.history import Part


def history(world: DemoWorld, title: str = "Battle of the Nile") -> list[Revision]:
    article = world.wiki.article(title)
    assert article is not None
    return list(world.wiki.revisions(article, world.epoch))


def test_there_are_thousands_of_revisions(world: DemoWorld) -> None:
    counts = {article.title: len(history(world, article.title)) for article in world.wiki.articles}
    assert counts["Battle of the Nile"] > 3000
    assert sum(counts.values()) > 8000
    assert all(counts.values())


def test_equal_seeds_give_equal_wikis_however_they_are_asked() -> None:
    epoch = DemoWorld().epoch
    one, two = WikiChronicle(5, epoch), WikiChronicle(5, epoch)
    article = one.articles[0]
    for days in (1, 50, 100):
        one.revisions(article, epoch + timedelta(days=days))
    later = epoch + timedelta(days=100)
    assert one.revisions(article, later) == two.revisions(article, later)
    assert one.text(one.latest(article, later)) == two.text(two.latest(article, later))


def test_articles_grow(world: DemoWorld) -> None:
    revisions = history(world)
    sizes = [
        world.wiki.digest(revision).size_bytes
        for revision in (revisions[0], *revisions[::600], revisions[-1])
    ]
    assert sizes[0] < 5_000
    assert sizes[-1] > 40_000


def test_ids_are_unique_and_follow_the_time_of_storing(world: DemoWorld) -> None:
    everything = world.wiki.stored(world.epoch - timedelta(days=20_000), world.epoch)
    assert all(one.id < two.id for one, two in pairwise(everything))
    for article in world.wiki.articles:
        revisions = history(world, article.title)
        assert [revision.key for revision in revisions] == sorted(revision.key for revision in revisions)
        if not article.imported:
            assert [r.parent_id for r in revisions] == [0, *(r.id for r in revisions[:-1])]


def test_several_edits_share_a_second(world: DemoWorld) -> None:
    revisions = history(world)
    assert sum(one.at == two.at for one, two in pairwise(revisions)) > 50


def test_reverts_restore_the_text_byte_by_byte(world: DemoWorld) -> None:
    wiki, revisions = world.wiki, history(world)
    reverts = [
        (revisions[place - 2], revisions[place])
        for place in range(2, len(revisions))
        if {"mw-rollback", "mw-undo"} & set(revisions[place].edit.tags)
    ]
    assert len(reverts) > 100
    for good, restored in reverts[:20]:
        assert wiki.digest(good) == wiki.digest(restored)
    spoilt = [revision for revision in revisions if revision.edit.reverted_at]
    assert {wiki.digest(revision).size_bytes == 0 for revision in spoilt} == {True, False}


def test_moves_leave_a_null_revision_and_a_redirect(world: DemoWorld) -> None:
    revisions = history(world, "Ada Lovelace")
    place = next(n for n, revision in enumerate(revisions) if revision.edit.comment.startswith("moved page"))
    move, parent = revisions[place], revisions[place - 1]
    assert world.wiki.digest(move) == world.wiki.digest(parent)
    (redirect,) = history(world, "Augusta Ada King")
    assert redirect.at == move.at
    assert world.wiki.text(redirect) == "#REDIRECT [[Ada Lovelace]]"


def test_imported_edits_are_early_in_time_and_late_in_id(world: DemoWorld) -> None:
    revisions = history(world, "Orinoco")
    imported = [revision for revision in revisions if revision.edit.imported_at]
    assert len(imported) == 60
    assert revisions[:60] == imported
    assert imported[0].id > revisions[60].id
    assert all(revision.edit.editor.name.startswith("imported>") for revision in imported)
    assert len({world.wiki.digest(revision).sha1_hex for revision in imported}) == 60


def test_editors_are_of_every_sort_and_parts_are_hidden(world: DemoWorld) -> None:
    edits = [revision.edit for revision in history(world)]
    assert any(edit.editor.is_bot for edit in edits)
    assert 0.1 < sum(edit.editor.is_anonymous for edit in edits) / len(edits) < 0.4
    assert any(edit.is_minor for edit in edits)
    assert set().union(*(edit.hidden for edit in edits)) == set(Part)


def test_neighbouring_texts_differ_little(world: DemoWorld) -> None:
    wiki = world.wiki
    plain = [revision for revision in history(world)[-60:] if not revision.edit.reverted_at]
    for one, two in pairwise(plain):
        words_one, words_two = wiki.text(one).split(". "), wiki.text(two).split(". ")
        assert len(set(words_one) ^ set(words_two)) < 60


def test_new_revisions_come_with_time_and_old_ones_stay(world: DemoWorld) -> None:
    article, later = world.wiki.articles[0], world.epoch + timedelta(days=60)
    before, after = history(world), world.wiki.revisions(article, later)
    assert len(after) > len(before)
    assert after[: len(before)] == before
    assert all(world.epoch < revision.at <= later for revision in after[len(before) :])


def test_digests_are_of_the_text(world: DemoWorld) -> None:
    revision = history(world, "Simón Bolívar")[-1]
    data = world.wiki.text(revision).encode()
    assert world.wiki.digest(revision).sha1_hex == sha1(data, usedforsecurity=False).hexdigest()
    assert world.wiki.digest(revision).size_bytes == len(data)
