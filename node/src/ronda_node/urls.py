"""The one form of a URL that is gated, leased, fetched and archived: parsed once, as a browser does, then shipped.

WHATWG URL for http and https, and on top RFC 3986 §6.2.2 (escapes of unreserved characters undone, hex in upper
case) and an escaped stray "%", without which the form would not be stable. The server imports this module too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from ronda_node.errors import UrlRefused
from ronda_node.host_names import host_text, is_local_name, parse_host
from ronda_node.policy import PUBLIC_WEB, Policy
from ronda_node.reasons import Reason

LONGEST_URL = 2048
DEFAULT_PORTS = {"http": 80, "https": 443}

_BLANKS = " \t\r\n\f"
_FORBIDDEN = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_AUTHORITY = re.compile(r"[^/\\?#]*")
_PORT = re.compile(r"[0-9]{1,5}")
# What a browser escapes in a path and in a query; the rest of printable ASCII is sent as it is.
_ESCAPED_IN_PATH = re.compile(r"%[0-9A-Fa-f]{2}|[^!$&-;=@-\]_a-z|~]")
_ESCAPED_IN_QUERY = re.compile(r"%[0-9A-Fa-f]{2}|[^!$&(-;=?-~]")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


@dataclass(frozen=True, slots=True)
class CanonicalUrl:
    """`host` has no brackets, `target` is path and query as they go on the wire, `text` is the whole."""

    scheme: str
    host: str
    port: int
    target: str
    text: str

    @property
    def authority(self) -> str:
        """As in the Host header: brackets around IPv6, no default port."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    def is_same_host(self, other: CanonicalUrl) -> bool:
        """One politeness state: the same name at the same port, or at the two ports of the web."""
        return self.host == other.host and (
            self.port == other.port
            or (self.port == DEFAULT_PORTS[self.scheme] and other.port == DEFAULT_PORTS[other.scheme])
        )

    def __str__(self) -> str:
        return self.text


def canonicalise(text: str, policy: Policy = PUBLIC_WEB) -> CanonicalUrl:
    """The canonical form of an absolute URL; raises `UrlRefused`."""
    text = _clean(text)
    scheme, rest = _scheme_of(text)
    rest = rest.lstrip("/\\")
    authority = _AUTHORITY.match(rest)
    raw = authority.group() if authority else ""
    host, port = _host_and_port(raw, scheme, policy)
    target = _target(rest[len(raw) :])
    shown = f"[{host}]" if ":" in host else host
    if port != DEFAULT_PORTS[scheme]:
        shown = f"{shown}:{port}"
    whole = f"{scheme}://{shown}{target}"
    if len(whole) > LONGEST_URL:
        raise UrlRefused(Reason.TOO_LONG, f"The URL is longer than {LONGEST_URL} characters once escaped.")
    return CanonicalUrl(scheme, host, port, target, whole)


def join(base: CanonicalUrl, reference: str, policy: Policy = PUBLIC_WEB) -> CanonicalUrl:
    """Where `reference` (a Location, a link) leads from `base`; raises `UrlRefused`."""
    reference = _clean(reference)
    scheme = _SCHEME.match(reference)
    if scheme:
        after = reference[scheme.end() :]
        if scheme[1].lower() != base.scheme or after.replace("\\", "/").startswith("//"):
            return canonicalise(reference, policy)
        reference = after
    slashes = reference[:2].replace("\\", "/")
    path, _, _ = base.target.partition("?")
    if slashes == "//":
        whole = f"{base.scheme}:{reference}"
    elif slashes.startswith("/"):
        whole = f"{base.scheme}://{base.authority}{reference}"
    elif slashes.startswith("?"):
        whole = f"{base.scheme}://{base.authority}{path}{reference}"
    elif not reference or slashes.startswith("#"):
        whole = base.text
    else:
        whole = f"{base.scheme}://{base.authority}{path[: path.rindex('/') + 1]}{reference}"
    return canonicalise(whole, policy)


def _clean(text: str) -> str:
    text = text.strip(_BLANKS)
    if len(text) > LONGEST_URL:
        raise UrlRefused(Reason.TOO_LONG, f"The URL is longer than {LONGEST_URL} characters.")
    if found := _FORBIDDEN.search(text):
        raise UrlRefused(Reason.CONTROL_CHARACTER, f"The URL holds the control character {found[0]!r}.")
    return text


def _scheme_of(text: str) -> tuple[str, str]:
    match = _SCHEME.match(text)
    scheme = match[1].lower() if match else ""
    if not match or scheme not in DEFAULT_PORTS:
        raise UrlRefused(Reason.SCHEME, f"{text[:80]!r} does not begin with http:// or https://.")
    return scheme, text[match.end() :]


# URLs come in rows of one host.
@lru_cache(maxsize=1000)
def _host_and_port(authority: str, scheme: str, policy: Policy) -> tuple[str, int]:
    if "@" in authority:
        raise UrlRefused(Reason.USERINFO, "The URL carries a user name or a password.")
    name, colon, digits = authority.rpartition(":")
    if not colon or digits.endswith("]"):
        name, digits = authority, ""
    if not name:
        raise UrlRefused(Reason.BAD_HOST, "The URL has no host.")
    host = parse_host(name)
    port = _port(digits, scheme, policy)
    if not policy.allow_private_networks:
        if not isinstance(host, str):
            raise UrlRefused(Reason.IP_LITERAL, f"{name!r} is an address; only host names are fetched.")
        if is_local_name(host):
            raise UrlRefused(Reason.LOCAL_NAME, f"{host!r} is a name of a local network.")
    return host_text(host), port


def _port(digits: str, scheme: str, policy: Policy) -> int:
    if not digits:
        port = DEFAULT_PORTS[scheme]
    elif _PORT.fullmatch(digits) and 0 < int(digits) < 65536:
        port = int(digits)
    else:
        raise UrlRefused(Reason.PORT, f"{digits!r} is not a port.")
    if policy.allowed_ports is not None and port not in policy.allowed_ports:
        raise UrlRefused(Reason.PORT, f"Port {port} is not one we fetch from.")
    return port


def _target(rest: str) -> str:
    rest = rest.partition("#")[0]
    path, mark, query = rest.partition("?")
    path = path.replace("\\", "/")
    if _ESCAPED_IN_PATH.search(path):
        path = _ESCAPED_IN_PATH.sub(_escape, path)
    if "/." in path:
        path = _without_dot_segments(path)
    if query and _ESCAPED_IN_QUERY.search(query):
        query = _ESCAPED_IN_QUERY.sub(_escape, query)
    return f"{path or '/'}{mark}{query}"


def _escape(found: re.Match[str]) -> str:
    text = found[0]
    if len(text) == 3:
        character = chr(int(text[1:], 16))
        return character if character in _UNRESERVED else text.upper()
    return "".join(f"%{byte:02X}" for byte in text.encode())


def _without_dot_segments(path: str) -> str:
    kept: list[str] = []
    segments = path.split("/")[1:]
    for segment in segments:
        if segment == "..":
            del kept[-1:]
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in (".", ".."):
        kept.append("")
    return "/" + "/".join(kept)
