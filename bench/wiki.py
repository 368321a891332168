"""The wiki historian: questions to ten million revisions, through the API, with PostgreSQL beside them; extraction.

    python -m bench.wiki [metrics] [extraction] [--quick]

metrics     /count, /avg, /mode and a $group of /query over HTTP; the same in PostgreSQL with indexes, in the same run
extraction  a history of a real MediaWiki on loopback, beside a loop that only downloads it; its size beside the JSON
"""

from __future__ import annotations

import sys

from bench import extraction, metrics, parts


def main() -> None:
    is_quick = parts.QUICK in sys.argv
    parts.run(
        "bench.wiki",
        {
            "metrics": lambda: metrics.measure(is_quick=is_quick),
            "extraction": lambda: extraction.measure(is_quick=is_quick),
        },
    )


if __name__ == "__main__":
    main()
