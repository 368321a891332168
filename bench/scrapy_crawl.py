"""The peer: Scrapy with its politeness off, keeping nothing. `python -m bench.scrapy_crawl SLOTS < urls`."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import AsyncIterator
from typing import Any, ClassVar

import scrapy
from scrapy.crawler import AsyncCrawlerProcess

SETTINGS = {
    "ROBOTSTXT_OBEY": False,
    "DOWNLOAD_DELAY": 0,
    "AUTOTHROTTLE_ENABLED": False,
    "COOKIES_ENABLED": False,
    "RETRY_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "LOG_ENABLED": False,
}


class Everything(scrapy.Spider):
    name = "everything"
    urls: ClassVar[list[str]] = []
    seen = 0

    async def start(self) -> AsyncIterator[Any]:
        for url in self.urls:
            yield scrapy.Request(url)

    def parse(self, response: Any, **_: Any) -> None:
        type(self).seen += 1


def scrapy_seconds(urls: list[str], *, slots: int) -> float:
    done = subprocess.run(
        [sys.executable, "-m", "bench.scrapy_crawl", str(slots)],
        input="\n".join(urls),
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout.strip().splitlines()[-1])


def main() -> None:
    Everything.urls = sys.stdin.read().split()
    slots = int(sys.argv[1])
    process = AsyncCrawlerProcess(
        {**SETTINGS, "CONCURRENT_REQUESTS": slots, "CONCURRENT_REQUESTS_PER_DOMAIN": slots}
    )
    began = time.perf_counter()
    process.crawl(Everything)
    process.start()
    seconds = time.perf_counter() - began
    assert Everything.seen == len(Everything.urls), f"{Everything.seen} of {len(Everything.urls)}"
    print(seconds)  # noqa: T201


if __name__ == "__main__":
    main()
