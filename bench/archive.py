"""The archive, beside its peers in the same run.

    python -m bench.archive [ingest] [storage] [--quick]

ingest   uploads: verified, on disk, fsynced, indexed; beside `warcio index` over the file they became
storage  three captures of a site of which one page in twenty changes each time
"""

from __future__ import annotations

import signal
import sys

from bench import ingest, storage
from bench.database import fresh_database
from bench.measured import tell
from bench.uploads import PaperNode

PARTS = {"ingest": ingest.measure, "storage": storage.measure}


def main() -> None:
    # Told to end, it must end what it started, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    words = sys.argv[1:]
    is_quick = "--quick" in words
    chosen = [word for word in words if word != "--quick"]
    unknown = set(chosen) - set(PARTS)
    if unknown:
        sys.exit(f"There is no part {', '.join(sorted(unknown))}. Parts: {', '.join(PARTS)}.")
    with fresh_database():
        node = PaperNode()
        results = [result for name in chosen or PARTS for result in PARTS[name](node, is_quick=is_quick)]
    tell(results)


if __name__ == "__main__":
    main()
