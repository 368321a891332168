-- Files far below the size they are merged to, and states that are kept.
SELECT (SELECT coalesce(sum(greatest(0, file_count - 1 - file_size_bytes // 268435456)), 0)::BIGINT
          FROM ducklake_table_info($name)),
       (SELECT count(*) FROM ducklake_snapshots($name))
