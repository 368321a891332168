"""What a page calls on and runs: scripts, frames, forms. A page may read the same and yet do something else."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import tldextract

# Of the scripts within a page, how much may differ: tokens and counters stand in them.
SIZE_TOLERANCE = 0.1
SIZE_TOLERANCE_CHARACTERS = 256
MOST_CHARACTERS = 512 * 1024

# What loads, sends or leads away without a reader's doing; the first few also run.
_RUNNING = frozenset({"script", "iframe", "frame", "object", "embed"})
_CALLING = re.compile(r"<(script|iframe|frame|object|embed|form|link|base|meta)\b", re.IGNORECASE)
_ATTRIBUTES = re.compile(r"""(?:[^>"']|"[^"]*"|'[^']*')*+>""")
_END_OF_SCRIPT = re.compile("</script", re.IGNORECASE)
_HANDLER = re.compile(r"\son[a-z]{3,20}\s*=", re.IGNORECASE)
_ADDRESS = re.compile(r"\\?/\\?/([a-z0-9-]+(?:\.[a-z0-9-]+)+)", re.IGNORECASE)


@dataclass(frozen=True)
class Reach:
    """`sites`: registered domains other than its own. `running`: how many of each tag that runs, and of handlers."""

    sites: frozenset[str]
    running: Counter[str]
    script_characters: int


def reach_alike(a: bytes, b: bytes, *, own_host: str) -> bool:
    ours, theirs = reach_of(a, own_host), reach_of(b, own_host)
    larger = max(ours.script_characters, theirs.script_characters)
    tolerance = max(SIZE_TOLERANCE_CHARACTERS, SIZE_TOLERANCE * larger)
    return (
        ours.sites == theirs.sites
        and ours.running == theirs.running
        and abs(ours.script_characters - theirs.script_characters) <= tolerance
    )


def reach_of(payload: bytes, own_host: str) -> Reach:
    markup = payload.decode("utf-8", "replace")[:MOST_CHARACTERS]
    running = Counter({"handlers": len(_HANDLER.findall(markup))})
    hosts: set[str] = set()
    script_characters = 0
    for name, attributes, script in _calling_tags(markup):
        if name in _RUNNING:
            running[name] += 1
        script_characters += len(script)
        hosts.update(_ADDRESS.findall(html.unescape(attributes)), _ADDRESS.findall(script))
    own = {_site_of(own_host.partition(":")[0]), ""}
    return Reach(frozenset({_site_of(host.lower()) for host in hosts} - own), running, script_characters)


def _calling_tags(markup: str) -> Iterator[tuple[str, str, str]]:
    """Name, attributes and script of each, in one pass: what is never closed reaches to the end, as in a browser."""
    position = 0
    while found := _CALLING.search(markup, position):
        closed = _ATTRIBUTES.match(markup, found.end())
        end = closed.end() if closed else len(markup)
        name, script = found[1].lower(), ""
        position = end
        if name == "script":
            closing = _END_OF_SCRIPT.search(markup, end)
            position = closing.start() if closing else len(markup)
            script = markup[end:position]
        yield name, markup[found.end() : end], script


@cache
def _suffixes() -> tldextract.TLDExtract:
    """The list that comes with the package: nothing is asked of the network."""
    return tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)


def _site_of(host: str) -> str:
    return _suffixes()(host).top_domain_under_public_suffix or host
