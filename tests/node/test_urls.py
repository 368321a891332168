"""The canonical form of URLs: what browsers would ask for, stable, and none that leads inward."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ronda_node.errors import UrlRefused
from ronda_node.policy import ANYWHERE, PUBLIC_WEB, Policy
from ronda_node.reasons import Reason
from ronda_node.urls import LONGEST_URL, canonicalise, join


@pytest.mark.parametrize(
    ("given_url", "canonical"),
    [
        ("http://example.com", "http://example.com/"),
        ("  HTTPS://Example.COM:443/\n", "https://example.com/"),
        ("http://example.com:80/a#fragment", "http://example.com/a"),
        ("http://example.com?q", "http://example.com/?q"),
        ("http://example.com/?", "http://example.com/?"),
        ("http://example.com/a/./b/../c/%2e%2E/d/..", "http://example.com/a/"),
        ("http://example.com/../..", "http://example.com/"),
        ("http://example.com//a//", "http://example.com//a//"),
        ("http://example.com/%7euser/%c3%b1%2f", "http://example.com/~user/%C3%B1%2F"),
        ("http://example.com/año?q=ñ ü", "http://example.com/a%C3%B1o?q=%C3%B1%20%C3%BC"),
        ("http://example.com/100%/%zz/%4%31", "http://example.com/100%25/%25zz/%2541"),
        (
            'http://example.com/a b"<>`{}?a b"<>\'',
            "http://example.com/a%20b%22%3C%3E%60%7B%7D?a%20b%22%3C%3E%27",
        ),
        ("http://example.com/a|b[c]?d|e[]=f", "http://example.com/a|b[c]?d|e[]=f"),
        ("http:\\\\example.com\\a\\b?c\\d", "http://example.com/a/b?c\\d"),
        ("http:example.com/a", "http://example.com/a"),
        ("https:////example.com/a", "https://example.com/a"),
        ("http://example.com./", "http://example.com/"),
        ("http://%65xample.com/", "http://example.com/"),
        ("http://ｅｘａｍｐｌｅ．com/", "http://example.com/"),
        ("http://Bücher.example/", "http://xn--bcher-kva.example/"),
        ("http://faß.example/", "http://xn--fa-hia.example/"),
        ("http://a_b.example.com/", "http://a_b.example.com/"),
        ("http://例え.テスト/", "http://xn--r8jz45g.xn--zckzah/"),
    ],
)
def test_canonical_form(given_url: str, canonical: str) -> None:
    assert canonicalise(given_url).text == canonical


@pytest.mark.parametrize(
    ("given_url", "reason"),
    [
        ("", Reason.SCHEME),
        ("example.com/", Reason.SCHEME),
        ("//example.com/", Reason.SCHEME),
        ("ftp://example.com/", Reason.SCHEME),
        ("file:///etc/passwd", Reason.SCHEME),
        ("gopher://example.com/", Reason.SCHEME),
        ("javascript:alert(1)", Reason.SCHEME),
        ("http://", Reason.BAD_HOST),
        ("http:///", Reason.BAD_HOST),
        ("http://user@example.com/", Reason.USERINFO),
        ("http://example.com@evil.example/", Reason.USERINFO),
        ("http://user:pass@example.com/", Reason.USERINFO),
        ("http://@example.com/", Reason.USERINFO),
        ("http://a\\@example.com/", Reason.LOCAL_NAME),
        ("http://example.com:8080/", Reason.PORT),
        ("http://example.com:22/", Reason.PORT),
        ("http://example.com:0/", Reason.PORT),
        ("http://example.com:65536/", Reason.PORT),
        ("http://example.com:8a/", Reason.PORT),
        ("http://example.com:٨٠/", Reason.PORT),
        ("http://example.com/a\x00b", Reason.CONTROL_CHARACTER),
        ("http://example.com/a\r\nHost: b", Reason.CONTROL_CHARACTER),
        ("http://exam\tple.com/", Reason.CONTROL_CHARACTER),
        ("http://example.com/\x7f", Reason.CONTROL_CHARACTER),
        ("http://example.com/\ud800", Reason.CONTROL_CHARACTER),
        ("http://exa mple.com/", Reason.BAD_HOST),
        ("http://exa%20mple.com/", Reason.BAD_HOST),
        ("http://example.com%2f@a/", Reason.USERINFO),
        ("http://example.com%2fa/", Reason.BAD_HOST),
        ("http://example.com%00/", Reason.BAD_HOST),
        ("http://%ff.com/", Reason.BAD_HOST),
        ("http://a..b/", Reason.BAD_HOST),
        ("http://a.b../", Reason.BAD_HOST),
        (f"http://{'a' * 64}.com/", Reason.BAD_HOST),
        (f"http://{'a.' * 127}com/", Reason.BAD_HOST),
        ("http://1.2.3.4.5/", Reason.BAD_HOST),
        ("http://256.1.1.1/", Reason.BAD_HOST),
        ("http://a.09/", Reason.BAD_HOST),
        ("http://[::1/", Reason.BAD_HOST),
        ("http://[::1%25eth0]/", Reason.BAD_HOST),
        ("http://[::g]/", Reason.BAD_HOST),
        ("http://example.com/" + "a" * LONGEST_URL, Reason.TOO_LONG),
        ("http://example.com/" + "ñ" * 600, Reason.TOO_LONG),
    ],
)
def test_refused(given_url: str, reason: Reason) -> None:
    with pytest.raises(UrlRefused) as refused:
        canonicalise(given_url)
    assert refused.value.reason is reason


def test_parts() -> None:
    url = canonicalise("https://Example.com:8443/a?b", Policy(allowed_ports=frozenset({8443})))
    assert (url.scheme, url.host, url.port, url.target) == ("https", "example.com", 8443, "/a?b")
    assert url.authority == "example.com:8443"
    url = canonicalise("http://[2001:DB8:0::1]:80/", ANYWHERE)
    assert (url.host, url.authority, url.text) == ("2001:db8::1", "[2001:db8::1]", "http://[2001:db8::1]/")


def test_policy_opens_what_the_demo_needs() -> None:
    for given_url in (
        "http://127.0.0.1:8001/",
        "http://localhost:9/",
        "http://[::1]:81/",
        "http://wiki.local/",
    ):
        assert canonicalise(given_url, ANYWHERE).text == given_url
        with pytest.raises(UrlRefused):
            canonicalise(given_url)


def test_same_host() -> None:
    base = canonicalise("http://a.example/")
    assert base.is_same_host(canonicalise("https://a.example/b"))
    assert not base.is_same_host(canonicalise("http://b.a.example/"))
    here = canonicalise("http://127.0.0.1:8001/", ANYWHERE)
    assert here.is_same_host(canonicalise("https://127.0.0.1:8001/", ANYWHERE))
    assert not here.is_same_host(canonicalise("http://127.0.0.1:8002/", ANYWHERE))


@pytest.mark.parametrize(
    ("reference", "target"),
    [
        ("", "http://a.example/b/c?d"),
        ("#x", "http://a.example/b/c?d"),
        ("e", "http://a.example/b/e"),
        ("../e", "http://a.example/e"),
        ("/e", "http://a.example/e"),
        ("\\e", "http://a.example/e"),
        ("?e", "http://a.example/b/c?e"),
        ("//b.example", "http://b.example/"),
        ("/\\b.example/x", "http://b.example/x"),
        ("\\\\b.example/x", "http://b.example/x"),
        ("https://b.example/x", "https://b.example/x"),
        ("HTTP:e", "http://a.example/b/e"),
        ("https:e.example", "https://e.example/"),
        ("http:\\\\b.example", "http://b.example/"),
        (" e f ", "http://a.example/b/e%20f"),
    ],
)
def test_join(reference: str, target: str) -> None:
    assert join(canonicalise("http://a.example/b/c?d"), reference).text == target


URL_LIKE = st.text(
    alphabet=st.one_of(st.sampled_from("/:?#[]@%.-_~\\ abzAZ019xX|{}<>\"'ñß。１"), st.characters()),
    max_size=60,
)


@given(
    scheme=st.sampled_from(["http://", "https:", "HTTP:\\\\"]),
    rest=URL_LIKE,
    policy=st.sampled_from([PUBLIC_WEB, ANYWHERE]),
)
def test_canonical_form_is_stable(scheme: str, rest: str, policy: Policy) -> None:
    try:
        url = canonicalise(scheme + rest, policy)
    except UrlRefused:
        return
    assert canonicalise(url.text, policy) == url
    assert url.text.isascii()
    assert url.text.isprintable()
    assert " " not in url.text
    parts = urlsplit(url.text)
    # A second parser sees the same host and the same target.
    assert parts.hostname == url.host
    assert parts.port in (None, url.port)
    assert parts.username is None
    assert url.text == f"{url.scheme}://{url.authority}{url.target}"


@given(reference=URL_LIKE)
def test_join_is_canonical(reference: str) -> None:
    try:
        url = join(canonicalise("http://a.example/b/c?d"), reference)
    except UrlRefused:
        return
    assert canonicalise(url.text) == url


@pytest.mark.parametrize(
    "host", ["[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:FFFF:7F00:0001]", "127.1"]
)
def test_an_address_has_one_host_however_it_is_dressed(host: str) -> None:
    """Two hosts of one machine would be asked twice as often."""
    url = canonicalise(f"http://{host}:8080/a", ANYWHERE)
    assert (url.text, url.authority) == ("http://127.0.0.1:8080/a", "127.0.0.1:8080")
