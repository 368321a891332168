"""PDF files as word processors write them, small: text in Helvetica, one line after the other."""

from __future__ import annotations

import zlib
from collections.abc import Sequence


def pdf(pages: Sequence[Sequence[str]], title: str = "") -> bytes:
    """A page a list of lines."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for number, lines in enumerate(pages):
        objects += [
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {5 + 2 * number} 0 R "
            f"/Resources << /Font << /F1 3 0 R >> >> >>".encode(),
            _stream(lines),
        ]
    objects.append(b"<< /Title (" + _escaped(title) + b") >>")
    return _file(objects)


def _stream(lines: Sequence[str]) -> bytes:
    shown = b"".join(b"(" + _escaped(line) + b") Tj 0 -16 Td\n" for line in lines)
    packed = zlib.compress(b"BT /F1 12 Tf 72 770 Td\n" + shown + b"ET")
    return b"<< /Length %d /Filter /FlateDecode >>\nstream\n" % len(packed) + packed + b"\nendstream"


def _escaped(text: str) -> bytes:
    return text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)").encode("cp1252")


def _file(objects: Sequence[bytes]) -> bytes:
    written = b"%PDF-1.4\n"
    places = []
    for number, content in enumerate(objects, 1):
        places.append(len(written))
        written += b"%d 0 obj\n" % number + content + b"\nendobj\n"
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    ends = b"trailer << /Size %d /Root 1 0 R /Info %d 0 R >>\nstartxref\n%d\n%%%%EOF\n"
    start = len(written)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    return written + head + table + ends % (len(objects) + 1, len(objects), start)
