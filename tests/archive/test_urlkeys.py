"""Keys of URLs are those that pywb and other indexes use."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from surt import surt

from ronda.archive.urlkeys import urlkey_of

PARTS = st.sampled_from(
    ["a", "www", "www2", "index.html", "..", ".", "", "7", "-", "_", "a.b", "a.", ".a", "B", "c%20", ";x=1"]
)


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("http://example.com/path/page.html", "com,example)/path/page.html"),
        ("https://www.example.com/A?b=2&a=1", "com,example)/a?a=1&b=2"),
        ("http://127.77.1.1:8100/", "1,1,77,127:8100)/"),
    ],
)
def test_known_keys(url: str, key: str) -> None:
    assert urlkey_of(url) == key


@settings(max_examples=300, deadline=None)
@given(st.lists(PARTS, min_size=1, max_size=4), st.lists(PARTS, max_size=5))
def test_keys_are_those_of_the_package(names: list[str], path: list[str]) -> None:
    url = f"http://{'.'.join(names)}/{'/'.join(path)}"
    assert urlkey_of(url) == surt(url)
