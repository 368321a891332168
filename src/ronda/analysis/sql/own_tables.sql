-- The tables of the set ronda, over PostgreSQL as DuckDB attached it (gathered), with times in UTC.
CREATE VIEW sources AS
SELECT
    CAST(source.id AS VARCHAR) AS id,
    source.url,
    source.title,
    collection.slug AS collection,
    topic.name AS topic,
    source.state,
    timezone('UTC', source.created_at) AS created_at
FROM gathered.public.rounds_source AS source
LEFT JOIN gathered.public.archive_collection AS collection ON collection.id = source.collection_id
LEFT JOIN gathered.public.archive_topic AS topic ON topic.code = source.topic_id;

CREATE VIEW visits AS
SELECT
    id,
    CAST(source_id AS VARCHAR) AS source_id,
    cause,
    outcome,
    timezone('UTC', opened_at) AS opened_at,
    timezone('UTC', ended_at) AS ended_at,
    CAST(requests AS BIGINT) AS requests,
    size_bytes,
    CAST(failures AS BIGINT) AS failures
FROM gathered.public.rounds_visit;

CREATE VIEW versions AS
SELECT
    CAST(source_id AS VARCHAR) AS source_id,
    CAST(number AS BIGINT) AS number,
    timezone('UTC', started_at) AS started_at,
    CAST(documents AS BIGINT) AS documents,
    bytes_stored,
    bytes_saved
FROM gathered.public.rounds_version
WHERE forgotten_at IS NULL;

CREATE VIEW captures AS
SELECT
    url,
    timezone('UTC', fetched_at) AS fetched_at,
    CAST(status AS BIGINT) AS status,
    mime,
    length AS stored_bytes,
    payload_bytes,
    refers_to_id IS NOT NULL AS is_revisit,
    CAST(node AS VARCHAR) AS node
FROM gathered.public.archive_capture
WHERE voided_at IS NULL AND forgotten_at IS NULL;

CREATE VIEW hosts AS
SELECT
    name,
    country,
    delay_seconds,
    latency_seconds,
    CAST(backoff_count AS BIGINT) AS backoff_count,
    CAST(queued AS BIGINT) AS queued,
    robots_state,
    blocked_reason
FROM gathered.public.frontier_host;

CREATE VIEW nodes AS
SELECT
    CAST(node.id AS VARCHAR) AS id,
    node.name,
    node.country,
    node.answered,
    standing.state AS standing,
    timezone('UTC', node.seen_at) AS seen_at
FROM gathered.public.grid_node AS node
LEFT JOIN gathered.public.trust_standing AS standing ON standing.node_id = node.id
WHERE node.removed_at IS NULL;

CREATE VIEW credits AS
SELECT
    timezone('UTC', transfer.made_at) AS made_at,
    transfer.kind,
    account.kind AS account,
    CAST(transfer.node AS VARCHAR) AS node,
    CAST(transfer.urls AS BIGINT) AS urls,
    entry.micros
FROM gathered.public.credits_entry AS entry
JOIN gathered.public.credits_transfer AS transfer ON transfer.id = entry.transfer_id
JOIN gathered.public.credits_account AS account ON account.id = entry.account_id;
