"""Requests, and the leases under which nodes hold the hosts they stand before.

The hot paths are the functions in sql/: they lock, gate and reserve in one go.
"""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

# Models of their own subject, which Django looks for here.
from ronda.frontier.host_models import Host as Host
from ronda.frontier.host_models import HostChange as HostChange
from ronda.frontier.host_models import HostField as HostField
from ronda.frontier.host_models import IpGroup as IpGroup
from ronda.frontier.host_models import OptOut as OptOut
from ronda.frontier.host_models import RobotsState as RobotsState
from ronda.frontier.strategies import Strategy


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
    turn = models.IntegerField(default=0)
    not_before = models.DateTimeField()
    attempts = models.SmallIntegerField(default=0)
    copy = models.CharField(max_length=40, default="")
    strategy = models.CharField(max_length=10, default=Strategy.LEAST_BUSY)
    # Who may fetch it: only nodes of this country, never nodes of these people.
    country = models.CharField(max_length=2, default="")
    not_owners = ArrayField(models.BigIntegerField(), null=True)
    is_for_trusted = models.BooleanField(default=False)
    # Somebody's own cap cut it off: only nodes that take as much of an answer as the server.
    is_for_uncapped = models.BooleanField(default=False, db_default=False)
    # What the archive holds of the URL (blocks.Known), and whether an answer that is no different is kept.
    known = models.JSONField(null=True)
    is_kept_unchanged = models.BooleanField(default=True)

    class Meta:
        verbose_name = _("request")
        verbose_name_plural = _("requests")
        # The queues of a host: for anybody or for trusted nodes, and the same for each country.
        indexes = [
            models.Index("host", "country", "is_for_trusted", "priority", "turn", "id", name="request_queue"),
            models.Index("country", "not_before", name="request_country", condition=~models.Q(country="")),
            models.Index(
                "not_before", name="request_for_others", condition=models.Q(not_owners__isnull=False)
            ),
            models.Index("not_before", name="request_for_uncapped", condition=models.Q(is_for_uncapped=True)),
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
    `is_brought`: the answers are here, and being taken in; the node asks that host nothing of this block any more.
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
    is_brought = models.BooleanField(db_default=False, default=False)
    granted_at = models.DateTimeField()
    expires_at = models.DateTimeField()

    class Meta:
        verbose_name = _("lease")
        verbose_name_plural = _("leases")
        indexes = [
            models.Index("host", name="lease_host", condition=models.Q(is_over=False)),
            models.Index("block", name="lease_block"),
            models.Index("node", name="lease_node", condition=models.Q(is_over=False)),
            # What people hold, and lost, whose nodes nobody knows yet.
            models.Index("owner", name="lease_unproven", condition=models.Q(is_trusted=False)),
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
