-- What a node gets now.
SELECT * FROM frontier_claim(
    in_node => %(node)s, in_owner => %(owner)s, in_country => %(country)s, in_block => %(block)s, in_hosts => %(hosts)s, in_urls => %(urls)s,
    in_lease_seconds => %(lease_seconds)s,
    in_guard_seconds => %(guard_seconds)s, in_busy_seconds => %(busy_seconds)s,
    in_floor_seconds => %(floor_seconds)s, in_cap_seconds => %(cap_seconds)s,
    in_latency_factor => %(latency_factor)s, in_group_nodes => %(hosts_per_address)s)
