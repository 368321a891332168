-- Who was given how much of a job matters until it is done.
DELETE FROM frontier_share s USING frontier_batch b WHERE b.id = s.batch_id AND b.ended >= b.total
