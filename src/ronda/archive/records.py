"""Records the server itself writes: one gzip member each, like those of the nodes."""

from __future__ import annotations

import hashlib
import uuid
from datetime import UTC, datetime

from ronda_node.warc_records import write_member


def metadata_record(*, target: str, content_type: str, content: bytes) -> bytes:
    """About other records, for whoever reads the files without the index."""
    pieces: list[bytes] = []
    fields = [
        ("WARC-Type", "metadata"),
        ("WARC-Record-ID", f"<urn:uuid:{uuid.uuid4()}>"),
        ("WARC-Date", f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S.%f}Z"),
        ("WARC-Target-URI", target),
        ("WARC-Block-Digest", f"sha256:{hashlib.sha256(content).hexdigest()}"),
        ("Content-Type", content_type),
        ("Content-Length", str(len(content))),
    ]
    write_member(fields, content, (), pieces.append, is_dense=False)
    return b"".join(pieces)
