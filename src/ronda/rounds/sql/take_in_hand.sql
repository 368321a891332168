-- A visit for this session alone, if nobody has it, and how commits waited for the disk before: now they do not.
SELECT taken.is_mine, taken.waits
  FROM (SELECT pg_try_advisory_lock(hashtextextended(%(name)s, 0)) AS is_mine,
               current_setting('synchronous_commit') AS waits OFFSET 0) taken
 CROSS JOIN LATERAL (SELECT CASE WHEN taken.is_mine THEN set_config('synchronous_commit', 'off', false) END) hasty
