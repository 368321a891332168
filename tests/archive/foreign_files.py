"""WARC files as Heritrix and Browsertrix write them: their fields, their kinds of records, their digests."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import uuid
from collections.abc import Sequence

Fields = Sequence[tuple[str, str]]

PAGE = "<html><head><title>Inicio</title></head><body><p>Canción</p><img src=/i.png></body></html>".encode()
IMAGE = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4


def heritrix() -> bytes:
    """WARC/1.0, SHA-1 in Base32; lookups as `dns:` records, request and metadata behind each response."""
    dns = b"20200301120000\nsite.example.\t\t300\tIN\tA\t192.0.2.7\n"
    home, image = "http://site.example/", "http://site.example/i.png"
    first, later = "2020-03-01T12:00:01Z", "2020-04-01T12:00:00Z"
    about = (
        b"software: Heritrix/3.4.0-20220727 http://crawler.archive.org\r\nip: 192.0.2.1\r\nhostname: crawler\r\n"
        b"format: WARC File Format 1.0\r\n"
        b"conformsTo: http://bibnum.bnf.fr/WARC/WARC_ISO_28500_version1_latestdraft.pdf\r\n"
        b"isPartOf: basic\r\nrobots: obey\r\nhttp-header-user-agent: Mozilla/5.0 (compatible; heritrix/3.4.0)\r\n"
    )
    return b"".join(
        [
            _heritrix(
                "warcinfo", "", first, about, "application/warc-fields", [("WARC-Filename", "WEB-1.warc.gz")]
            ),
            _heritrix(
                "response", "dns:site.example", first, dns, "text/dns", [("WARC-IP-Address", "192.0.2.53")]
            ),
            *_heritrix_exchange(home, first, _http("text/html; charset=UTF-8"), PAGE),
            *_heritrix_exchange(image, first, _http("image/png"), IMAGE),
            # The same page a month later, as Heritrix has written it since 3.2.
            *_heritrix_exchange(
                home, later, _http("text/html; charset=UTF-8"), PAGE, refers_to=(home, first)
            ),
        ]
    )


def _heritrix_exchange(
    url: str, date: str, head: bytes, body: bytes, refers_to: tuple[str, str] | None = None
) -> list[bytes]:
    response_id = _record_id()
    digest = f"sha1:{base64.b32encode(hashlib.sha1(body).digest()).decode()}"
    fields = [("WARC-Payload-Digest", digest), ("WARC-IP-Address", "192.0.2.7")]
    if refers_to:
        fields += [
            ("WARC-Profile", "http://netpreserve.org/warc/1.0/revisit/identical-payload-digest"),
            ("WARC-Truncated", "length"),
            ("WARC-Refers-To-Target-URI", refers_to[0]),
            ("WARC-Refers-To-Date", refers_to[1]),
        ]
    beside = [("WARC-Concurrent-To", response_id)]
    asked = b"GET / HTTP/1.0\r\nUser-Agent: Mozilla/5.0 (compatible; heritrix/3.4.0)\r\nHost: site.example\r\n\r\n"
    links = b"seed: \r\nfetchTimeMs: 103\r\noutlink: http://site.example/i.png E =EMBED_MISC\r\n"
    return [
        _heritrix(
            "revisit" if refers_to else "response",
            url,
            date,
            head if refers_to else head + body,
            "application/http; msgtype=response",
            fields,
            response_id,
        ),
        _heritrix("request", url, date, asked, "application/http; msgtype=request", beside),
        _heritrix("metadata", url, date, links, "application/warc-fields", beside),
    ]


def _heritrix(
    kind: str, url: str, date: str, block: bytes, content_type: str, more: Fields, record_id: str = ""
) -> bytes:
    fields = [
        ("WARC-Type", kind),
        *([("WARC-Target-URI", url)] if url else []),
        ("WARC-Date", date),
        *more,
        ("WARC-Record-ID", record_id or _record_id()),
        ("Content-Type", content_type),
        ("Content-Length", str(len(block))),
    ]
    return _member("WARC/1.0", fields, block)


def browsertrix() -> bytes:
    """WARC/1.1, SHA-256 in hex; what the browser undid is named `x-orig-…`; texts and screenshots as resources."""
    home, image = "https://site.example/", "https://site.example/i.png"
    first, later = "2024-03-01T12:00:01.123Z", "2024-03-01T12:00:05.456Z"
    about = b"software: Browsertrix-Crawler 1.1.0 (with warcio.js 2.2.1)\r\nformat: WARC File Format 1.1\r\n"
    undone = b"x-orig-content-encoding: br\r\nx-orig-transfer-encoding: chunked\r\n"
    page_info = {
        "pageid": PAGE_ID,
        "url": home,
        "ts": first,
        "urls": {home: {"status": 200, "mime": "text/html"}},
    }
    return b"".join(
        [
            _browsertrix(
                "warcinfo", "", first, about, "application/warc-fields", [("WARC-Filename", "rec-0.warc.gz")]
            ),
            *_browsertrix_exchange(home, first, _http("text/html; charset=utf-8", undone), PAGE, "document"),
            *_browsertrix_exchange(image, first, _http("image/png"), IMAGE, "image"),
            *_browsertrix_exchange(
                f"{image}?again", later, _http("image/png"), IMAGE, "image", (image, first)
            ),
            _resource(f"urn:pageinfo:{home}", later, json.dumps(page_info).encode(), "application/json"),
            _resource(f"urn:text:{home}", later, "Canción".encode(), "text/plain"),
            _resource(f"urn:view:{home}", later, IMAGE, "image/png"),
            _resource(f"urn:thumbnail:{home}", later, IMAGE, "image/jpeg"),
        ]
    )


PAGE_ID = "0b5a7e3c-3f1d-4a53-9f6f-51bd1c3f2a10"


def _browsertrix_exchange(
    url: str, date: str, head: bytes, body: bytes, what: str, refers_to: tuple[str, str] | None = None
) -> list[bytes]:
    response_id = _record_id()
    metadata = json.dumps({"ipType": "Public", "cert": {"issuer": "Una Autoridad", "ctc": "1"}})
    fields = [
        ("WARC-Page-ID", PAGE_ID),
        ("WARC-Resource-Type", what),
        ("WARC-JSON-Metadata", metadata),
        ("WARC-Protocol", "h2"),
        ("WARC-IP-Address", "192.0.2.7"),
        ("WARC-Payload-Digest", _sha256(body)),
    ]
    if refers_to:
        fields += [
            ("WARC-Profile", "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"),
            ("WARC-Refers-To-Target-URI", refers_to[0]),
            ("WARC-Refers-To-Date", refers_to[1]),
        ]
    asked = b"GET / HTTP/1.1\r\nuser-agent: Mozilla/5.0 Chrome/122\r\naccept-language: es\r\n\r\n"
    return [
        _browsertrix(
            "revisit" if refers_to else "response",
            url,
            date,
            head if refers_to else head + body,
            "application/http; msgtype=response",
            fields,
            response_id,
        ),
        _browsertrix(
            "request",
            url,
            date,
            asked,
            "application/http; msgtype=request",
            [("WARC-Concurrent-To", response_id), ("WARC-Page-ID", PAGE_ID)],
        ),
    ]


def _resource(url: str, date: str, body: bytes, mime: str) -> bytes:
    more = [("WARC-Page-ID", PAGE_ID), ("WARC-Payload-Digest", _sha256(body))]
    return _browsertrix("resource", url, date, body, mime, more)


def _browsertrix(
    kind: str, url: str, date: str, block: bytes, content_type: str, more: Fields, record_id: str = ""
) -> bytes:
    fields = [
        ("WARC-Record-ID", record_id or _record_id()),
        *([("WARC-Target-URI", url)] if url else []),
        ("WARC-Date", date),
        ("WARC-Type", kind),
        *more,
        ("Content-Type", content_type),
        ("WARC-Block-Digest", _sha256(block)),
        ("Content-Length", str(len(block))),
    ]
    return _member("WARC/1.1", fields, block)


def _http(mime: str, more: bytes = b"") -> bytes:
    """As HTTP/1.1 whatever it was: both write it so."""
    return b"HTTP/1.1 200 OK\r\ncontent-type: " + mime.encode() + b"\r\n" + more + b"\r\n"


def _member(version: str, fields: Fields, block: bytes) -> bytes:
    head = "".join(f"{name}: {value}\r\n" for name, value in fields)
    return gzip.compress(f"{version}\r\n{head}\r\n".encode() + block + b"\r\n\r\n", mtime=0)


def _sha256(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def _record_id() -> str:
    return f"<urn:uuid:{uuid.uuid4()}>"
