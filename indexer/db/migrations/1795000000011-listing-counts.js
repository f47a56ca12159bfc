const migration = require('../migration')

/**
 * How many are listed where, at any block: of each part of a registry one row for each block that changed the number, with what it
 * was from there on. `active` leaves out whose DID is deactivated. Numbers follow from `listing` whenever that is put together anew:
 * only what differs from before is added, so that the past is not counted again. Another part is that of a role in a schema: `issuer 0x…`.
 */
const STATEMENTS = [
  `CREATE TABLE listing_count (registry_id text NOT NULL, part text NOT NULL, block integer NOT NULL,
    listed integer NOT NULL, active integer NOT NULL, more_listed integer NOT NULL, more_active integer NOT NULL,
    PRIMARY KEY (registry_id, part, block))`,

  // From when on it counts as listed no more, or not as active: its first block where it never was.
  'ALTER TABLE listing ADD active_to integer',
  'DROP INDEX listing_newest',
  'CREATE INDEX listing_newest ON listing (registry_id, part, since DESC, did) INCLUDE (from_block, to_block, active_to)',

  `-- Lists DIDs in registries anew. Unqualified names: an index that is built beside this one has another schema.
  CREATE OR REPLACE FUNCTION list_again(p_registries text[], p_dids text[]) RETURNS void LANGUAGE sql AS $$
    WITH changed AS MATERIALIZED (
      SELECT DISTINCT registry_id, did FROM unnest(p_registries, p_dids) AS c (registry_id, did)
    ), before AS (
      DELETE FROM listing l USING changed c WHERE l.registry_id = c.registry_id AND l.did = c.did RETURNING l.*
    ), rights AS (
      SELECT r.registry_id, r.did, 'issuer' AS role, r.schema_id, r.from_block, r.to_block
        FROM changed c JOIN issuer r ON r.registry_id = c.registry_id AND r.did = c.did
      UNION ALL
      SELECT r.registry_id, r.did, 'verifier', r.schema_id, r.from_block, r.to_block
        FROM changed c JOIN verifier r ON r.registry_id = c.registry_id AND r.did = c.did
    ), parts AS (
      SELECT r.registry_id, p.part, r.did, r.from_block, r.to_block
        FROM rights r CROSS JOIN LATERAL (VALUES ('any'), (r.role), (r.schema_id), (r.role || ' ' || r.schema_id)) AS p (part)
    ), ends AS (
      SELECT registry_id, part, did, array_agg(from_block) AS begun, array_agg(to_block) AS ended FROM parts GROUP BY registry_id, part, did
    ), spans AS (
      SELECT e.registry_id, e.part, e.did, e.begun, e.ended, s.at, lead(s.at) OVER (PARTITION BY e.registry_id, e.part, e.did ORDER BY s.at) AS until
        FROM ends e CROSS JOIN LATERAL (
          SELECT b AS at FROM unnest(e.begun) b UNION SELECT t FROM unnest(e.ended) t WHERE t IS NOT NULL) s
    ), oldest AS MATERIALIZED (
      SELECT s.registry_id, s.part, s.did, s.at, s.until, (
          SELECT min(h.b) FROM unnest(s.begun, s.ended) AS h (b, t) WHERE h.b <= s.at AND (h.t IS NULL OR h.t > s.at)) AS since
        FROM spans s
    ), lists AS (
      SELECT registry_id, part, did, since, min(at) AS from_block, CASE WHEN bool_and(until IS NOT NULL) THEN max(until) END AS to_block
      FROM oldest WHERE since IS NOT NULL GROUP BY registry_id, part, did, since
    ), after AS (
      INSERT INTO listing (registry_id, part, did, since, from_block, to_block, active_to)
      SELECT l.registry_id, l.part, l.did, l.since, l.from_block, l.to_block,
        CASE WHEN g.block IS NULL THEN l.to_block ELSE least(l.to_block, greatest(g.block, l.from_block)) END
      FROM lists l LEFT JOIN LATERAL (SELECT min(to_block) AS block FROM did WHERE did.did = l.did AND to_block IS NOT NULL) g ON true
      RETURNING *
    ), moves AS (
      SELECT l.registry_id, l.part, m.block, sum(sign * m.listed)::int AS listed, sum(sign * m.active)::int AS active
      FROM (SELECT *, 1 AS sign FROM after UNION ALL SELECT *, -1 FROM before) l
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
  $$`,

  `-- Whose DID was deactivated, or is again as if it had not been.
  CREATE FUNCTION list_deactivated() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    path text := current_setting('search_path');
  BEGIN
    PERFORM set_config('search_path', quote_ident(TG_TABLE_SCHEMA) || ', pg_temp', true);
    PERFORM list_again(array_agg(l.registry_id), array_agg(l.did)) FROM (
      SELECT DISTINCT l.registry_id, l.did FROM changed c JOIN listing l ON l.did = c.did
      WHERE c.to_block IS NOT NULL OR l.active_to IS DISTINCT FROM l.to_block) l;
    PERFORM set_config('search_path', path, true);
    RETURN NULL;
  END $$`,

  ...['INSERT', 'UPDATE', 'DELETE'].map(
    (event) => `CREATE TRIGGER listed_${event.toLowerCase()} AFTER ${event} ON did
      REFERENCING ${event === 'DELETE' ? 'OLD' : 'NEW'} TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION list_deactivated()`,
  ),

  // Those who are listed already: the index need not begin again.
  'TRUNCATE listing',
  `SELECT list_again(array_agg(c.registry_id), array_agg(c.did))
    FROM (SELECT registry_id, did FROM issuer UNION SELECT registry_id, did FROM verifier) c`,
]

module.exports = migration('ListingCounts1795000000011', STATEMENTS)
