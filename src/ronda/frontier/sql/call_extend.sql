-- What a node still holds, for another lease.
SELECT * FROM frontier_extend(
    in_node => %(node)s, in_blocks => %(blocks)s::uuid[], in_lease_seconds => %(lease_seconds)s,
    in_guard_seconds => %(guard_seconds)s, in_most_leases => %(most_leases)s)
