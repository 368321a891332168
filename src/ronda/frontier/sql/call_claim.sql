-- What a node gets now.
SELECT * FROM frontier_claim(
    in_node => %(node)s, in_owner => %(owner)s, in_country => %(country)s, in_continent => %(continent)s,
    in_is_trusted => %(is_trusted)s, in_is_uncapped => %(is_uncapped)s,
    in_block => %(block)s, in_hosts => %(hosts)s, in_urls => %(urls)s,
    in_lease_seconds => %(lease_seconds)s,
    in_guard_seconds => %(guard_seconds)s, in_busy_seconds => %(busy_seconds)s,
    in_floor_seconds => %(floor_seconds)s, in_cap_seconds => %(cap_seconds)s,
    in_latency_factor => %(latency_factor)s, in_group_nodes => %(hosts_per_address)s,
    in_nodes => %(nodes)s::uuid[], in_countries => %(countries)s::text[], in_continents => %(continents)s::text[],
    in_head_start_seconds => %(head_start_seconds)s, in_explored_share => %(explored_share)s,
    in_is_copying => %(is_copying)s, in_lanes => %(lanes)s, in_straggler_seconds => %(straggler_seconds)s)
