-- How far the ids of answers and captures have come; a sequence that was never asked says 1 and means 0.
SELECT (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM grid_fetchanswer_id_seq),
       (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM archive_capture_id_seq)
