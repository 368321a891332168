"""The demo world: every site and the wiki, as pure functions of the seed, the epoch and a moment."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from ronda.demo.catalogue import load_sites
from ronda.demo.errors import UnknownSiteError
from ronda.demo.schedule import Change
from ronda.demo.sites import Site
from ronda.demo.structure import Page
from ronda.demo.timeline import SiteTimeline, Snapshot
from ronda.demo.wiki.chronicle import WikiChronicle

STORIES_ON_FRONT = 12
DEFAULT_EPOCH = datetime(2025, 1, 1, tzinfo=UTC)


class DemoWorld:
    """What exists and what happens in the demo web; it knows no sockets and no present.

    Nothing changes before the epoch. Histories are drawn lazily, as far as somebody asks, for twenty years.
    """

    def __init__(
        self, seed: int = 7, epoch: datetime = DEFAULT_EPOCH, *, stories_on_front: int = STORIES_ON_FRONT
    ) -> None:
        if epoch.tzinfo is None:
            raise ValueError(f"The epoch {epoch.isoformat()} has no time zone: give an aware moment.")
        self.seed = seed
        self.epoch = epoch.astimezone(UTC).replace(microsecond=0)
        self.stories_on_front = stories_on_front
        self.sites = load_sites()
        self.wiki = WikiChronicle(self.seed, self.epoch)
        self._sites = {site.name: site for site in self.sites}
        self._timelines: dict[str, SiteTimeline] = {}

    def site(self, name: str) -> Site:
        try:
            return self._sites[name]
        except KeyError:
            raise UnknownSiteError(name) from None

    def timeline(self, site: Site | str) -> SiteTimeline:
        name = site if isinstance(site, str) else site.name
        timeline = self._timelines.get(name)
        if timeline is None:
            # setdefault: two threads that arrive together must share one timeline.
            timeline = self._timelines.setdefault(name, SiteTimeline(self.site(name), self.seed, self.epoch))
        return timeline

    def pages(self, site: Site | str) -> Sequence[Page]:
        """The standing pages; stories appear beside them as changes publish them."""
        return self.timeline(site).pages

    def changes(self, site: Site | str, since: datetime, until: datetime) -> Sequence[Change]:
        """The ground truth: the changes of a site after `since`, up to and including `until`."""
        return self.timeline(site).changes(since, until)

    def snapshot(self, site: Site | str, path: str, moment: datetime) -> Snapshot:
        """The state of a standing page at a moment."""
        return self.timeline(site).at(path, moment)
