-- What a node is done with.
SELECT * FROM frontier_complete(
    in_node => %(node)s, in_block => %(block)s, in_country => %(country)s, in_done => %(done)s::bigint[],
    in_retry => %(retry)s::bigint[], in_retry_seconds => %(retry_seconds)s::float[],
    in_hosts => %(hosts)s::bigint[], in_delays => %(delays)s::float[],
    in_latencies => %(latencies)s::float[], in_backoffs => %(backoffs)s::float[],
    in_incidents => %(incidents)s::int[], in_learned => %(learned)s::float[])
