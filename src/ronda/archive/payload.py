"""The body of an archived response as a reader would have seen it: without chunked framing, decoded, bounded.

With the node's own decoders: warcio fails on brotli beside Google's package, and takes trailers for text.
"""

from __future__ import annotations

from ronda.archive.http_head import END_OF_HTTP_HEAD, fields_of
from ronda_node.body_framing import Chunked
from ronda_node.content_decoding import DECODERS, DECODING_ERRORS, TooManyMembers, encodings_in


def payload_of(record: bytes, most_bytes: int) -> bytes:
    """`record`: one response record, unpacked. What cannot be decoded is given as far as it could.

    A resource record is its payload, without a head of its own.
    """
    warc, _, block = record.partition(b"\r\n\r\n")
    if b"\r\nwarc-type: resource\r\n" in warc.lower() + b"\r\n":
        return block.removesuffix(b"\r\n\r\n")[:most_bytes]
    end = END_OF_HTTP_HEAD.search(block)
    head, body = (block[: end.start()], block[end.end() :]) if end else (block, b"")
    fields = fields_of(head)
    if any(name == "transfer-encoding" and "chunked" in value.lower() for name, value in fields):
        body = _without_framing(body)
    else:
        body = body.removesuffix(b"\r\n\r\n")  # the end of the record
    encodings = encodings_in(
        [value.encode("latin-1") for name, value in fields if name == "content-encoding"]
    )
    for encoding in reversed(encodings):
        body = _decoded(body, encoding, most_bytes)
    return body[:most_bytes]


def _without_framing(body: bytes) -> bytes:
    pieces: list[bytes] = []
    Chunked(pieces.append).feed(body)
    return b"".join(pieces)


def _decoded(body: bytes, encoding: str, most_bytes: int) -> bytes:
    pieces: list[bytes] = []
    size = 0
    try:
        for piece in DECODERS[encoding]().feed(body):
            pieces.append(piece)
            size += len(piece)
            if size >= most_bytes:
                break
    except (*DECODING_ERRORS, TooManyMembers):
        pass  # what came so far is what there is
    return b"".join(pieces)
