-- Where some hosts are; the caller has locked them.
UPDATE frontier_host h SET address = g.address, country = g.country, continent = g.continent
  FROM unnest(%(ids)s::bigint[], %(addresses)s::text[], %(countries)s::text[], %(continents)s::text[])
    AS g (id, address, country, continent)
 WHERE h.id = g.id
