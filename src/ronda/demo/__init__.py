"""A small web on loopback that changes on a known schedule, to try Ronda without the internet.

    world = DemoWorld(seed=7)                       # what exists and what happens; no sockets, no present
    clock = DemoClock(world.epoch, speed=3600)      # an hour a second; advance(), set(), set_speed()
    with serve_in_thread(world, clock) as server:   # or await start() and stop() of a DemoServer
        server.base_url("litoral")                  # http://127.77.1.1:PORT/
        server.index_url, server.wiki_api_url       # the control address and the wiki's api.php
        world.changes("litoral", since, until)      # the ground truth: since < change.at <= until
        server.access_log.entries("litoral")        # every request, with its start and end

The state of a page is a pure function of (seed, epoch, site, path, moment); only noise (a visitor counter, a
banner, session ids) depends on the requests so far. A page changes at `change.at` and not before.
The module `control` describes the control address; `python -m ronda.demo --help` runs it all by hand.
"""

from ronda.demo.access_log import AccessEntry, AccessLog
from ronda.demo.catalogue import CONTROL_ADDRESS, WIKI_ADDRESS
from ronda.demo.clock import DemoClock
from ronda.demo.errors import AddressError, ClockError, DemoError, PortError, UnknownSiteError
from ronda.demo.rhythm import Behaviour, Rhythm
from ronda.demo.schedule import Change, ChangeKind
from ronda.demo.server import DemoServer
from ronda.demo.sites import FeedKind, Language, Noise, Quirk, RobotsKind, Site, SiteKind, Validators
from ronda.demo.structure import Page
from ronda.demo.threaded import serve_in_thread
from ronda.demo.timeline import Snapshot
from ronda.demo.world import DEFAULT_EPOCH, DemoWorld

__all__ = [
    "CONTROL_ADDRESS",
    "DEFAULT_EPOCH",
    "WIKI_ADDRESS",
    "AccessEntry",
    "AccessLog",
    "AddressError",
    "Behaviour",
    "Change",
    "ChangeKind",
    "ClockError",
    "DemoClock",
    "DemoError",
    "DemoServer",
    "DemoWorld",
    "FeedKind",
    "Language",
    "Noise",
    "Page",
    "PortError",
    "Quirk",
    "Rhythm",
    "RobotsKind",
    "Site",
    "SiteKind",
    "Snapshot",
    "UnknownSiteError",
    "Validators",
    "serve_in_thread",
]
