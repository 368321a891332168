"""Which Disallow lines of a robots.txt are meant for a robot: for citing one. Whether it may fetch, Protego says, which
does not tell by which line. Spellings that Protego is generous with are read here as well."""

from __future__ import annotations

import re

_AGENT = re.compile(r"user[- ]?agent\s*(?::|\s|$)\s*(.*)", re.IGNORECASE)
_DISALLOW = re.compile(r"(?:dis+al+[oa]w|diasllow)\s*(?::|\s|$)\s*(.*)", re.IGNORECASE)
# They stand anywhere, and end no list of robots.
_OF_THE_SITE = re.compile(r"(?:site-?maps?|host)\b", re.IGNORECASE)
_OTHER_RULE = re.compile(r"(?:allow|crawl[- ]delay|request[- ]rate|visit[- ]time)\b|[^:]*:", re.IGNORECASE)


def disallowed_for(agent: str, text: str) -> list[str]:
    """The patterns of all groups of the name that fits best (RFC 9309 §2.2.1), in order."""
    groups: dict[str, list[str]] = {}
    current: list[list[str]] = []
    is_naming = False
    for raw in text.splitlines():
        line = raw.partition("#")[0].strip()
        if named := _AGENT.fullmatch(line):
            current = current if is_naming else []
            is_naming = True
            if name := _plain(named[1]):
                current.append(groups.setdefault(name, []))
        elif rule := _DISALLOW.fullmatch(line):
            is_naming = False
            for patterns in current if rule[1] else ():
                patterns.append(rule[1])
        elif _OTHER_RULE.match(line) and not _OF_THE_SITE.match(line):
            is_naming = False
    best = max(groups, key=lambda name: _fit(name, agent), default="")
    return groups[best] if _fit(best, agent) and best else []


def _plain(name: str) -> str:
    name = name.strip().lower()
    return name if name == "*" else name.replace("*", "")


def _fit(name: str, agent: str) -> int:
    """0: it is another's. A name fits that ours begins with."""
    if name == "*":
        return 1
    return len(name) if agent.lower().startswith(name) else 0
