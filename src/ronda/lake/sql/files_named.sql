-- The files of the lake as it is now, below its folder, and how long they are.
SELECT space.path || kept.path || file.path, file.file_size_bytes
  FROM lake.ducklake_data_file AS file
  JOIN lake.ducklake_table AS kept ON kept.table_id = file.table_id AND kept.end_snapshot IS NULL
  JOIN lake.ducklake_schema AS space ON space.schema_id = kept.schema_id AND space.end_snapshot IS NULL
 WHERE file.end_snapshot IS NULL
