"""What a body may be: four formats, plain or packed, told by name, by media type, or by its first bytes."""

from __future__ import annotations

from enum import StrEnum
from pathlib import PurePath

from ronda.analysis.errors import UnknownFormat


class Format(StrEnum):
    CSV = "csv"
    NDJSON = "ndjson"
    PARQUET = "parquet"
    ARROW = "arrow"


class Packing(StrEnum):
    PLAIN = "plain"
    GZIP = "gzip"
    ZSTD = "zstd"


SUFFIXES = {
    ".csv": Format.CSV,
    ".ndjson": Format.NDJSON,
    ".jsonl": Format.NDJSON,
    ".parquet": Format.PARQUET,
    ".arrow": Format.ARROW,
    ".arrows": Format.ARROW,
    ".ipc": Format.ARROW,
    ".feather": Format.ARROW,
}
MEDIA_TYPES = {
    "text/csv": Format.CSV,
    "application/csv": Format.CSV,
    "application/x-ndjson": Format.NDJSON,
    "application/jsonl": Format.NDJSON,
    "application/vnd.apache.parquet": Format.PARQUET,
    "application/vnd.apache.arrow.stream": Format.ARROW,
    "application/vnd.apache.arrow.file": Format.ARROW,
}
_PACKED = {".gz": Packing.GZIP, ".gzip": Packing.GZIP, ".zst": Packing.ZSTD, ".zstd": Packing.ZSTD}
_ENCODINGS = {"": Packing.PLAIN, "identity": Packing.PLAIN, "gzip": Packing.GZIP, "zstd": Packing.ZSTD}


def of_file_name(name: str) -> Format | None:
    """By the suffix: posts.csv, posts.csv.gz, posts.parquet."""
    path = PurePath(name.lower())
    if path.suffix in _PACKED:
        path = PurePath(path.stem)
    return SUFFIXES.get(path.suffix)


def of_media_type(content_type: str) -> Format:
    name = content_type.partition(";")[0].strip().lower()
    if name not in MEDIA_TYPES:
        raise UnknownFormat(
            f"{content_type or 'No Content-Type'} is none of the formats.",
            field="Content-Type",
            hint=f"Send one of {', '.join(MEDIA_TYPES)}.",
        )
    return MEDIA_TYPES[name]


def packing_of(content_encoding: str) -> Packing:
    name = content_encoding.strip().lower()
    if name not in _ENCODINGS:
        raise UnknownFormat(
            f"{content_encoding} is not unpacked here.", field="Content-Encoding", hint="Use gzip or zstd."
        )
    return _ENCODINGS[name]


def packing_by_bytes(head: bytes) -> Packing:
    if head.startswith(b"\x1f\x8b"):
        return Packing.GZIP
    return Packing.ZSTD if head.startswith(b"\x28\xb5\x2f\xfd") else Packing.PLAIN


def format_by_bytes(head: bytes) -> Format:
    """By the first plain bytes, where nobody said it: text is NDJSON if it begins with a brace, else CSV."""
    if head.startswith(b"PAR1"):
        return Format.PARQUET
    if head.startswith((b"ARROW1", b"\xff\xff\xff\xff")):
        return Format.ARROW
    return Format.NDJSON if head.lstrip().startswith(b"{") else Format.CSV
