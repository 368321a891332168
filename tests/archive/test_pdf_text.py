"""Texts of PDFs: found like those of pages; files that are broken, endless or hostile cost only themselves."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from ronda.accounts.roles import Role
from ronda.archive import pdf_text
from ronda.archive.extracting import Extracted, Extractor, Page
from ronda.archive.search import SearchWanted, search
from ronda.archive.text_types import Kind
from ronda.archive.texts import read_due_texts
from tests.archive.keeping import keeping
from tests.archive.pdf_files import pdf
from tests.people import person_with

REPORT = [
    [
        "Informe sobre la biblioteca (2026)",
        "Los niños de la región leyeron más libros que nunca, según la inves-",
    ],
    ["tigación del ministerio. La política económica apro-", "bada ayer ayudará a las bibliotecas públicas."],
]


@pytest.fixture(scope="module")
def extractor() -> Iterator[Extractor]:
    with Extractor() as extractor:
        yield extractor


def read(extractor: Extractor, body: bytes, most_letters: int = 10_000) -> Extracted | None:
    return extractor(Page(body, "", Kind.PDF, most_letters))


def without_table(whole: bytes) -> bytes:
    """Where its objects lie is to be found out by looking for them, as everybody does with damaged files."""
    return whole[: whole.index(b"xref\n")] + b"trailer << /Root 1 0 R >>\nstartxref\n0\n%%EOF\n"


def test_a_pdf_is_read_page_by_page(extractor: Extractor) -> None:
    extracted = read(extractor, pdf(REPORT, "El informe (anual)"))
    assert extracted
    assert extracted.title == "El informe (anual)"
    assert extracted.language == "es"
    assert "La política económica aprobada ayer" in extracted.text, (
        "a word divided at the end of a line is whole"
    )
    assert "Informe sobre la biblioteca (2026)" in extracted.text


@pytest.mark.django_db
def test_pdfs_are_found_by_their_words() -> None:
    with keeping() as keeper, Extractor() as extractor:
        at = datetime(2026, 3, 1, tzinfo=UTC)
        keeper.keep("http://a.example/report.pdf", pdf(REPORT, "El informe"), at=at, mime="application/pdf")
        keeper.keep("http://a.example/photo.png", b"biblioteca", at=at, mime="image/png")
        assert read_due_texts(extractor) == 1
    found = search(actor=person_with(Role.READER), wanted=SearchWanted(words="política biblioteca"))
    assert [(page.newest.url, page.title) for page in found.pages] == [
        ("http://a.example/report.pdf", "El informe")
    ]
    assert "<mark>" in found.pages[0].highlight


def test_only_so_many_letters_are_read(extractor: Extractor) -> None:
    extracted = read(extractor, pdf([["word " * 10]] * 200), most_letters=500)
    assert extracted
    assert 400 < len(extracted.text) <= 500


def test_what_takes_too_long_is_read_as_far_as_it_came() -> None:
    _title, text = pdf_text.title_and_text(pdf([["one"], ["two"]]), most_letters=100, most_seconds=-1)
    assert text.strip() == "one"


def test_a_broken_file_gives_what_can_be_read(extractor: Extractor) -> None:
    whole = pdf([*REPORT, ["the end"]], "x")
    extracted = read(extractor, without_table(whole))
    assert extracted
    assert "biblioteca" in extracted.text
    for cut in range(0, len(whole), len(whole) // 20):
        assert read(extractor, whole[:cut]) is not None


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"%PDF-1.7",
        b"<html>no PDF at all</html>",
        b"%PDF-1.4\n"
        + b"1 0 obj << /Kids [1 0 R] /Type /Pages >> endobj\n" * 50
        + b"trailer << /Root 1 0 R >>",
        b"%PDF-1.4\n1 0 obj " + b"[" * 50_000,
        pdf([["x"]]).replace(b"/Kids [4 0 R]", b"/Kids [2 0 R]"),
        pdf([["x"]]).replace(b"/Count 1", b"/Count 99999999"),
    ],
)
def test_what_is_no_pdf_costs_only_itself(extractor: Extractor, body: bytes) -> None:
    extracted = read(extractor, body)
    assert extracted is None or len(extracted.text) < 100


def test_a_stream_that_unfolds_to_gigabytes_is_left_out(extractor: Extractor) -> None:
    bomb = zlib.compress(bytes(100_000_000))
    stream = b"<< /Length %d /Filter /FlateDecode >>\nstream\n" % len(bomb) + bomb + b"\nendstream"
    whole = pdf([["x"]])
    start, end = whole.index(b"5 0 obj\n") + 8, whole.index(b"\nendobj\n6 0 obj")
    extracted = read(extractor, without_table(whole[:start] + stream + whole[end:]))
    assert extracted is None or not extracted.text
    after = read(extractor, pdf([["still there"]]))
    assert after
    assert after.text == "still there"
