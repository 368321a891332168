"""Images, style, script and documents, generated: nothing binary is kept in the repository."""

from __future__ import annotations

import struct
import zlib
from functools import lru_cache
from html import escape
from importlib.resources import files

from ronda.demo.seeding import seeded_choice, seeded_number
from ronda.demo.sites import Site

PHOTO_WIDTH, PHOTO_HEIGHT = 480, 160
FACES = ("Georgia, serif", "system-ui, sans-serif", "Verdana, sans-serif", "'Palatino Linotype', serif")


def stylesheet(site: Site, view: int) -> bytes:
    """The style of a site after a change of view: another hue, face, width and corner."""
    hue = seeded_number(site.name, "hue", view) % 360
    face = seeded_choice(FACES, site.name, "face", view)
    width = 56 + seeded_number(site.name, "width", view) % 20
    corner = seeded_number(site.name, "corner", view) % 14
    theme = f":root {{ --hue: {hue}; --face: {face}; --width: {width}rem; --corner: {corner}px; }}\n"
    return theme.encode() + _static("site.css")


def script() -> bytes:
    return _static("site.js")


def logo(site: Site) -> bytes:
    hue = seeded_number(site.name, "logo") % 360
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40">'
        f'<circle cx="20" cy="20" r="19" fill="hsl({hue} 60% 45%)"/>'
        '<text x="20" y="27" font-family="sans-serif" font-size="20" text-anchor="middle" fill="#fff">'
        f"{escape(site.title[0])}</text></svg>\n"
    ).encode()


@lru_cache(maxsize=512)
def photo(site_name: str, number: int) -> bytes:
    """A PNG of hills under a sky, in 8-bit palette colour."""
    draw = seeded_number(site_name, "photo", number)
    sky, hill = (draw & 0xFFFFFF) | 0x808080, (draw >> 24 & 0xFFFFFF) & 0x7F7F7F
    sun = 0xFFE9A8
    palette = b"".join(colour.to_bytes(3, "big") for colour in (sky, hill, sun))
    ridge, slope, sun_x = 60 + draw % 40, 1 + draw % 3, 60 + draw % 360
    heights = [ridge + abs((x * slope + draw % 97) % 160 - 80) // 2 for x in range(PHOTO_WIDTH)]
    rows = bytearray()
    for y in range(PHOTO_HEIGHT):
        rows.append(0)  # filter type: none
        for x in range(PHOTO_WIDTH):
            in_sun = (x - sun_x) ** 2 + (y - 35) ** 2 < 400
            rows.append(1 if y > heights[x] else 2 if in_sun else 0)
    header = struct.pack(">IIBBBBB", PHOTO_WIDTH, PHOTO_HEIGHT, 8, 3, 0, 0, 0)
    chunks = (b"IHDR", header), (b"PLTE", palette), (b"IDAT", zlib.compress(bytes(rows), 9)), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(_png_chunk(name, data) for name, data in chunks)


def document(site: Site) -> bytes:
    """A PDF of one page with the site's title, cross-reference table included."""
    title = site.title.encode("latin-1", "replace").replace(b"(", b"[").replace(b")", b"]")
    text = b"BT /F1 24 Tf 72 720 Td (" + title + b") Tj ET"
    objects = (
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R"
        b" /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(text), text),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    )
    pdf, offsets = bytearray(b"%PDF-1.4\n"), []
    for number, content in enumerate(objects, 1):
        offsets.append(len(pdf))
        pdf += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    start = len(pdf)
    pdf += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    pdf += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    pdf += b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return bytes(pdf)


def _png_chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


@lru_cache
def _static(name: str) -> bytes:
    return (files("ronda.demo") / "static" / name).read_bytes()
