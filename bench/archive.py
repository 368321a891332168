"""The archive, beside its peers in the same run.

    python -m bench.archive [ingest] [storage] [capture] [finding] [--quick]

ingest   uploads: verified, on disk, fsynced, indexed; beside `warcio index` over the file they became
storage  three captures of a site of which one page in twenty changes each time
capture  a demo site with politeness off, beside `wget --mirror --page-requisites --warc-file`
finding  lookups of URLs and searches for words in a million captures and a hundred thousand texts
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable

from bench import capture, finding, ingest, storage
from bench.database import fresh_database
from bench.measured import Measured, tell
from bench.uploads import PaperNode


def main() -> None:
    # Told to end, it must end what it started, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    words = sys.argv[1:]
    is_quick = "--quick" in words
    parts: dict[str, Callable[[], list[Measured]]] = {
        "ingest": lambda: _with_uploads(ingest.measure, is_quick),
        "storage": lambda: _with_uploads(storage.measure, is_quick),
        "capture": lambda: capture.measure(is_quick=is_quick),
        "finding": lambda: finding.measure(is_quick=is_quick),
    }
    chosen = [word for word in words if word != "--quick"] or list(parts)
    if unknown := set(chosen) - set(parts):
        sys.exit(f"There is no part {', '.join(sorted(unknown))}. Parts: {', '.join(parts)}.")
    tell([result for name in chosen for result in parts[name]()])


def _with_uploads(measure: Callable[..., list[Measured]], is_quick: bool) -> list[Measured]:
    with fresh_database():
        return measure(PaperNode(), is_quick=is_quick)


if __name__ == "__main__":
    main()
