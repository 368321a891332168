"""The archive, beside its peers in the same run.

    python -m bench.archive [ingest] [rereading] [storage] [capture] [finding] [diff] [--quick]

ingest   uploads: verified, on disk, fsynced, indexed; beside `warcio index` over the file they became
rereading  verify and reindex of what was ingested
storage  three captures of a site of which one page in twenty changes each time
capture  a demo site with politeness off, beside `wget --mirror --page-requisites --warc-file`
finding  lookups of URLs and searches for words in a million captures and a hundred thousand texts
diff     two versions of a site of ten thousand pages, all of them changed
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from bench import capture, finding, ingest, parts, rereading, site_diff, storage
from bench.database import fresh_database
from bench.measured import Measured
from bench.uploads import PaperNode


def main() -> None:
    is_quick = parts.QUICK in sys.argv
    parts.run(
        "bench.archive",
        {
            "ingest": lambda: _with_uploads(ingest.measure, is_quick),
            "rereading": lambda: _with_uploads(rereading.measure, is_quick),
            "storage": lambda: _with_uploads(storage.measure, is_quick),
            "capture": lambda: capture.measure(is_quick=is_quick),
            "finding": lambda: finding.measure(is_quick=is_quick),
            "diff": lambda: site_diff.measure(is_quick=is_quick),
        },
    )


def _with_uploads(measure: Callable[..., list[Measured]], is_quick: bool) -> list[Measured]:
    with fresh_database():
        return measure(PaperNode(), is_quick=is_quick)


if __name__ == "__main__":
    main()
