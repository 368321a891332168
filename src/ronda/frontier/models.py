"""Requests, the hosts they stand before, and the leases under which nodes hold hosts.

The hot paths are the functions in sql/: they lock, gate and reserve in one go. Politeness is all in these rows,
so that a restart is still polite.
"""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Greatest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from ronda.frontier.strategies import Strategy
from ronda.policies.models import Change


class RobotsState(models.TextChoices):
    UNKNOWN = "unknown", _("not asked yet")
    RULES = "rules", _("has rules")
    ABSENT = "absent", _("none: all is allowed")
    UNREACHABLE = "unreachable", _("not to be had: nothing is allowed")
    ELSEWHERE = "elsewhere", _("stands elsewhere: being fetched from there")
    FAILED = "failed", _("no node could reach the host")


class HostField(models.TextChoices):
    """What directors change about hosts."""

    DELAY = "delay_seconds", _("delay set by hand")
    MAX_NODES = "max_nodes", _("nodes at a time")
    DELAY_PER_NODE = "is_delay_per_node", _("delay counts per node")
    BACKOFF = "backoff_until", _("rests until")
    ROBOTS = "robots_expires_at", _("robots.txt good until")
    OPT_OUT = "opt_out", _("opt-out")


class IpGroup(models.Model):
    """Hosts behind one address: a second gate, as many small sites may share one small machine.

    Who holds them is counted from the leases: nothing here can go stale. The row is what claims lock.
    """

    address = models.CharField(_("address"), max_length=45, unique=True)
    size = models.IntegerField(_("hosts"), default=0)

    class Meta:
        verbose_name = _("group of hosts")
        verbose_name_plural = _("groups of hosts")

    def __str__(self) -> str:
        return self.address


class Host(models.Model):
    """The politeness state of one authority (name, and port if it is not the usual one)."""

    name = models.CharField(_("host"), max_length=262)
    scheme = models.CharField(max_length=5, default="https")
    address = models.CharField(_("address"), max_length=45, blank=True)
    country = models.CharField(_("country"), max_length=2, blank=True)
    continent = models.CharField(_("continent"), max_length=2, blank=True)
    ip_group = models.ForeignKey(IpGroup, models.SET_NULL, null=True, related_name="hosts")

    # Two clocks: the delay between fetches, and the rest a host asked for. The later one holds.
    ready_at = models.DateTimeField(_("free from"), default=timezone.now)
    backoff_until = models.DateTimeField(_("rests until"), null=True)
    backoff_count = models.SmallIntegerField(_("times in a row it asked for rest"), default=0)
    backoff_at = models.DateTimeField(null=True)
    due_at = models.GeneratedField(
        expression=Greatest("ready_at", "backoff_until"), output_field=models.DateTimeField(), db_persist=True
    )
    # Since when work of it has been kept for nodes that are preferred; none: it is not.
    waiting_since = models.DateTimeField(null=True)
    holders = models.SmallIntegerField(_("nodes that hold it"), default=0)
    # Counts only where the delay is each node's own: a delay over all nodes is kept by one at a time.
    max_nodes = models.SmallIntegerField(_("nodes at a time"), default=1)
    is_delay_per_node = models.BooleanField(_("delay counts per node"), default=False)

    # `has_work` is in the heap's index, `queued` is not: counting stays a cheap update.
    queued = models.IntegerField(_("queued"), default=0)
    has_work = models.BooleanField(default=False)

    delay_seconds = models.FloatField(_("delay set by hand"), null=True, blank=True)
    crawl_delay_seconds = models.FloatField(_("Crawl-delay"), null=True)
    latency_seconds = models.FloatField(_("last latency"), null=True)
    # Learned from its 429s: the pace at which it sent them was too fast. Since when it is what it is.
    learned_delay_seconds = models.FloatField(_("delay learned"), null=True)
    learned_at = models.DateTimeField(null=True)

    robots_state = models.CharField(
        _("robots.txt"), max_length=11, choices=RobotsState.choices, default=RobotsState.UNKNOWN
    )
    robots_text = models.TextField(blank=True)
    robots_expires_at = models.DateTimeField(null=True)
    # Who brought it: the rules a liar brought are asked for again.
    robots_node = models.UUIDField(null=True)
    # Nodes whose word alone is not enough: until then, others that are there are asked.
    robots_tried = ArrayField(models.UUIDField(), default=list)
    robots_others_until = models.DateTimeField(null=True)
    robots_failures = models.SmallIntegerField(default=0)
    robots_failure = models.CharField(max_length=30, default="")
    # Where redirects led from its own robots.txt, in order; the last is where it is being asked for.
    robots_way = ArrayField(models.TextField(), default=list)

    # Nodes that could not reach it: until then, others that are there are asked.
    avoided_nodes = ArrayField(models.UUIDField(), default=list)
    avoided_until = models.DateTimeField(null=True)

    blocked_reason = models.CharField(_("not fetched because"), max_length=200, blank=True)

    class Meta:
        verbose_name = _("host")
        verbose_name_plural = _("hosts")
        # As a constraint: `unique=True` would bring a second index, for LIKE, that nobody asks.
        constraints = [models.UniqueConstraint("name", name="host_once")]
        indexes = [
            # The heap: which host is free next.
            models.Index("due_at", name="host_heap", condition=models.Q(has_work=True, blocked_reason="")),
            # Of it, the hosts that several nodes may hold: where second copies are possible.
            models.Index(
                "due_at",
                name="host_heap_of_several",
                condition=models.Q(has_work=True, blocked_reason="", max_nodes__gt=1, is_delay_per_node=True),
            ),
            models.Index("address", name="host_address", condition=~models.Q(address="")),
            models.Index("id", name="host_opted_out", condition=~models.Q(blocked_reason="")),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_opted_out(self) -> bool:
        return bool(self.blocked_reason)

    @property
    def most_holders(self) -> int:
        return self.max_nodes if self.is_delay_per_node else 1


class HostChange(Change):
    """What a director did to a host or to the list of opt-outs; the row stays when its host is gone."""

    subject = models.CharField(_("host"), max_length=264)
    field = models.CharField(_("what"), max_length=20, choices=HostField.choices)

    class Meta:
        verbose_name = _("change of a host")
        verbose_name_plural = _("changes of hosts")
        ordering = ["-id"]
        indexes = [models.Index("subject", models.F("id").desc(), name="host_changes")]

    def __str__(self) -> str:
        return f"{self.subject} {self.field}: {self.former} → {self.value}"


class OptOut(models.Model):
    """Hosts that do not want to be fetched: one name (at any port), or `*.domain` for a domain and all below it."""

    pattern = models.CharField(_("host"), max_length=264, unique=True)
    reason = models.CharField(_("reason"), max_length=200)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", verbose_name=_("added by")
    )
    created_at = models.DateTimeField(_("added"), default=timezone.now, editable=False)

    class Meta:
        verbose_name = _("opt-out")
        verbose_name_plural = _("opt-outs")

    def __str__(self) -> str:
        return self.pattern


class Batch(models.Model):
    """Requests put in together, for one purpose and one owner; counts what became of them."""

    purpose = models.CharField(max_length=20)
    owner = models.CharField(max_length=80)
    priority = models.SmallIntegerField(default=0)
    strategy = models.CharField(max_length=10, default=Strategy.LEAST_BUSY)
    created_at = models.DateTimeField(default=timezone.now)
    total = models.BigIntegerField(default=0)
    ended = models.BigIntegerField(default=0)
    is_cancelled = models.BooleanField(default=False)

    class Meta:
        verbose_name = _("batch")
        verbose_name_plural = _("batches")
        constraints = [models.UniqueConstraint("purpose", "owner", name="batch_of_owner")]
        indexes = [models.Index("id", name="batch_cancelled", condition=models.Q(is_cancelled=True))]

    def __str__(self) -> str:
        return f"{self.purpose} {self.owner}"


class Request(models.Model):
    """One URL to fetch. Rows leave when answered: the table holds what is still to do.

    No foreign keys in the database: a check per row would halve the speed of queueing, and rows are only written by
    the statements in sql/, which join the very rows they refer to.
    """

    batch = models.ForeignKey(Batch, models.DO_NOTHING, db_constraint=False, db_index=False)
    host = models.ForeignKey(Host, models.DO_NOTHING, db_constraint=False, db_index=False)
    url = models.TextField()
    priority = models.SmallIntegerField()
    not_before = models.DateTimeField()
    attempts = models.SmallIntegerField(default=0)
    copy = models.CharField(max_length=40, default="")
    strategy = models.CharField(max_length=10, default=Strategy.LEAST_BUSY)
    # Who may fetch it: only nodes of this country, never nodes of these people.
    country = models.CharField(max_length=2, default="")
    not_owners = ArrayField(models.BigIntegerField(), null=True)
    is_for_trusted = models.BooleanField(default=False)
    # What the archive holds of the URL (blocks.Known), and whether an answer that is no different is kept.
    known = models.JSONField(null=True)
    is_kept_unchanged = models.BooleanField(default=True)

    class Meta:
        verbose_name = _("request")
        verbose_name_plural = _("requests")
        # The queues of a host: for anybody or for trusted nodes, and the same for each country.
        indexes = [
            models.Index("host", "country", "is_for_trusted", "priority", "id", name="request_queue"),
            models.Index("country", "not_before", name="request_country", condition=~models.Q(country="")),
            models.Index(
                "not_before", name="request_for_others", condition=models.Q(not_owners__isnull=False)
            ),
        ]

    def __str__(self) -> str:
        return self.url


class Seen(models.Model):
    """Which URLs a batch has had, done or not: a URL is fetched once a batch."""

    pk = models.CompositePrimaryKey("batch_id", "digest")
    batch_id = models.BigIntegerField()
    digest = models.UUIDField()

    def __str__(self) -> str:
        return str(self.digest)


class Lease(models.Model):
    """A node's hold on a host. Its id only grows: it is the fencing token.

    `is_over`: it ran out and holds nothing any more; it is kept a while, to know a late answer from a made-up one.
    """

    block = models.UUIDField()
    node = models.UUIDField()
    owner = models.BigIntegerField()
    host = models.ForeignKey(Host, models.DO_NOTHING, db_constraint=False, db_index=False)
    # The group of the host when it was given: it may have moved since.
    ip_group = models.ForeignKey(IpGroup, models.DO_NOTHING, null=True, db_constraint=False, db_index=False)
    request_ids = ArrayField(models.BigIntegerField())
    is_robots = models.BooleanField(default=False)
    # The node was told what is known of the URLs, and may answer that nothing changed.
    is_trusted = models.BooleanField(default=False)
    is_over = models.BooleanField(default=False)
    granted_at = models.DateTimeField()
    expires_at = models.DateTimeField()

    class Meta:
        verbose_name = _("lease")
        verbose_name_plural = _("leases")
        indexes = [
            models.Index("host", name="lease_host", condition=models.Q(is_over=False)),
            models.Index("block", name="lease_block"),
            models.Index("node", name="lease_node", condition=models.Q(is_over=False)),
            models.Index("ip_group", name="lease_group", condition=models.Q(ip_group__isnull=False)),
        ]

    def __str__(self) -> str:
        return f"lease {self.pk} of host {self.host_id}"


class Share(models.Model):
    """How many URLs of a batch a node was given, where all shall be given the same."""

    pk = models.CompositePrimaryKey("batch_id", "node")
    batch_id = models.BigIntegerField()
    node = models.UUIDField()
    given = models.BigIntegerField()

    def __str__(self) -> str:
        return f"{self.given} of batch {self.batch_id}"


class Reach(models.Model):
    """How long a host took to answer nodes of a country (none: unknown), as a moving average."""

    pk = models.CompositePrimaryKey("host_id", "country")
    host_id = models.BigIntegerField()
    country = models.CharField(max_length=2)
    latency_seconds = models.FloatField()
    measured_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"host {self.host_id} from {self.country}: {self.latency_seconds} s"
