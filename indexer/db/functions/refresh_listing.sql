-- Lists DIDs in registries anew, looking at each of their rights once: one is the oldest from when all older ones have ended until
-- it ends itself. Only what differs from before is written. `listing` has, of each DID in a registry, one row for each time that its
-- oldest right there was another; `part` says of which rights: `any`, `issuer`, `verifier`, the id of a schema, or the role in a
-- schema (`issuer 0x...`). `listing_count` has, of each part of a registry, one row for each block that changed how many it lists, with
-- the number from there on; `active` leaves out those whose DID is deactivated, from `active_to` on.
--
-- Names have no schema: an index that is built beside this one has another.
CREATE OR REPLACE FUNCTION refresh_listing(p_registries text[], p_dids text[]) RETURNS void LANGUAGE sql AS $$
  WITH changed AS MATERIALIZED (
    SELECT DISTINCT registry_id, did FROM unnest(p_registries, p_dids) AS c (registry_id, did)
  ), rights AS (
    SELECT r.registry_id, r.did, 'issuer' AS role, r.schema_id, r.from_block, r.to_block
      FROM changed c JOIN issuer r ON r.registry_id = c.registry_id AND r.did = c.did
    UNION ALL
    SELECT r.registry_id, r.did, 'verifier', r.schema_id, r.from_block, r.to_block
      FROM changed c JOIN verifier r ON r.registry_id = c.registry_id AND r.did = c.did
  ), parts AS (
    SELECT r.registry_id, p.part, r.did, r.from_block AS since, max(coalesce(r.to_block, 'infinity'::float8)) AS ended
    FROM rights r CROSS JOIN LATERAL (VALUES ('any'), (r.role), (r.schema_id), (r.role || ' ' || r.schema_id)) AS p (part)
    GROUP BY r.registry_id, p.part, r.did, r.from_block
  ), oldest AS (
    SELECT *, greatest(since, max(ended) OVER (PARTITION BY registry_id, part, did
      ORDER BY since ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)) AS begun
    FROM parts
  ), lists AS (
    SELECT registry_id, part, did, since, begun::int AS from_block, nullif(ended, 'infinity')::int AS to_block
    FROM oldest WHERE begun < ended
  ), now AS MATERIALIZED (
    SELECT l.*, CASE WHEN g.block IS NULL THEN l.to_block ELSE least(l.to_block, greatest(g.block, l.from_block)) END AS active_to
    FROM lists l LEFT JOIN (
      SELECT did, min(to_block) AS block FROM did WHERE to_block IS NOT NULL AND did IN (SELECT did FROM changed) GROUP BY did
    ) g USING (did)
  ), was AS MATERIALIZED (
    SELECT l.registry_id, l.part, l.did, l.since, l.from_block, l.to_block, l.active_to
    FROM changed c JOIN listing l ON l.registry_id = c.registry_id AND l.did = c.did
  ), gone AS (
    DELETE FROM listing l USING (SELECT * FROM was EXCEPT SELECT * FROM now) w
    WHERE l.registry_id = w.registry_id AND l.part = w.part AND l.did = w.did AND l.since = w.since RETURNING l.*
  ), new AS (
    INSERT INTO listing (registry_id, part, did, since, from_block, to_block, active_to)
    SELECT * FROM now EXCEPT SELECT * FROM was RETURNING *
  ), moves AS (
    SELECT l.registry_id, l.part, m.block, sum(sign * m.listed)::int AS listed, sum(sign * m.active)::int AS active
    FROM (SELECT *, 1 AS sign FROM new UNION ALL SELECT *, -1 FROM gone) l
      CROSS JOIN LATERAL (VALUES (l.from_block, 1, 1), (l.to_block, -1, 0), (l.active_to, 0, -1)) AS m (block, listed, active)
    WHERE m.block IS NOT NULL GROUP BY l.registry_id, l.part, m.block
    HAVING sum(sign * m.listed) <> 0 OR sum(sign * m.active) <> 0
  ), begins AS (
    SELECT registry_id, part, min(block) AS block FROM moves GROUP BY registry_id, part
  ), later AS (
    DELETE FROM listing_count c USING begins b
    WHERE c.registry_id = b.registry_id AND c.part = b.part AND c.block >= b.block
    RETURNING c.registry_id, c.part, c.block, c.more_listed, c.more_active
  ), steps AS (
    SELECT registry_id, part, block, sum(listed)::int AS listed, sum(active)::int AS active
    FROM (SELECT * FROM moves UNION ALL SELECT * FROM later) s GROUP BY registry_id, part, block
    HAVING sum(listed) <> 0 OR sum(active) <> 0
  )
  INSERT INTO listing_count (registry_id, part, block, listed, active, more_listed, more_active)
  SELECT s.registry_id, s.part, s.block, coalesce(p.listed, 0) + sum(s.listed) OVER upto, coalesce(p.active, 0) + sum(s.active) OVER upto,
    s.listed, s.active
  FROM steps s JOIN begins b ON b.registry_id = s.registry_id AND b.part = s.part
    LEFT JOIN LATERAL (
      SELECT c.listed, c.active FROM listing_count c
      WHERE c.registry_id = b.registry_id AND c.part = b.part AND c.block < b.block ORDER BY c.block DESC LIMIT 1) p ON true
  WINDOW upto AS (PARTITION BY s.registry_id, s.part ORDER BY s.block)
$$;
