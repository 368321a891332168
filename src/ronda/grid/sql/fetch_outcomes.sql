-- A fetch's answers by class of status, or by state where there is none.
SELECT CASE WHEN state = 'fetched' THEN least(5, greatest(2, status / 100)) || 'xx' ELSE state END AS outcome, count(*)
  FROM grid_fetchanswer WHERE fetch_id = %(fetch)s GROUP BY outcome
