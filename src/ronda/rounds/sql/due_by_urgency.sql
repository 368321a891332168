-- Sources that are due, the most urgent first: what a visit is worth now, going on from the chance its predictor gave
-- for the planned time. Those that have waited longest of all go before, so that nobody starves. In floats: numerics
-- take ten times as long.
SELECT source.id
  FROM rounds_source source,
       LATERAL (SELECT extract(epoch FROM %(now)s - source.visited_at)::float8 / 86400 AS days,
                       extract(epoch FROM source.next_visit_at - source.visited_at)::float8 / 86400 AS planned) age,
       LATERAL (SELECT -ln(1 - least(greatest(coalesce(source.next_visit_chance, 0.5), 0.001), 0.99))
                       * least(age.days / greatest(age.planned, 0.001), 100) AS z) passed
 WHERE source.state = 'active' AND source.next_visit_at <= %(now)s AND source.visited_at IS NOT NULL
   AND NOT EXISTS (SELECT FROM rounds_visit visit WHERE visit.source_id = source.id AND visit.state <> 'ended')
 ORDER BY source.visited_at < %(starving_before)s DESC,
          source.weight * ((1 - %(freshness)s::float8) * (1 - exp(-passed.z))
                           + %(freshness)s::float8 * age.days * (1 - (1 + passed.z) * exp(-passed.z)) / passed.z) DESC,
          source.next_visit_at
 LIMIT %(most)s
