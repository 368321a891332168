"""Hosts, their politeness, what directors changed about them, and who does not want to be fetched.

Politeness is all in these rows, so that a restart is still polite.
"""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Greatest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

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
    # Whose node said so last: what one person says alone holds it for a while, and no longer.
    backoff_told_by = models.BigIntegerField(null=True)
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
    # Whose turn it is: hosts of different batches stand in different lanes, and each lane gets its share of a claim.
    lane = models.SmallIntegerField(default=0)
    # How far its queue is: the n-th URL of each batch has its turn before the next one of any.
    turn = models.IntegerField(default=0)

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
            models.Index(
                "lane", "due_at", name="host_lanes", condition=models.Q(has_work=True, blocked_reason="")
            ),
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
