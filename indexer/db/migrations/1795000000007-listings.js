/**
 * Who is listed where, since when: of each DID in a registry one row for each time that its oldest right there was another.
 * `part` says of which rights: `any`, `issuer`, `verifier`, or the id of a schema. It follows from the tables of rights whenever
 * they change, so that a page of a list is read in its order, and a number is counted, without putting the rights together.
 */
const STATEMENTS = [
  `CREATE TABLE listing (registry_id text NOT NULL, part text NOT NULL, did text NOT NULL, since integer NOT NULL,
    from_block integer NOT NULL, to_block integer)`,

  `-- Lists DIDs in registries anew. Unqualified names: an index that is built beside this one has another schema.
  CREATE FUNCTION list_again(p_registries text[], p_dids text[]) RETURNS void LANGUAGE sql AS $$
    DELETE FROM listing l USING unnest(p_registries, p_dids) AS c (registry_id, did)
      WHERE l.registry_id = c.registry_id AND l.did = c.did;
    WITH changed AS MATERIALIZED (
      SELECT DISTINCT registry_id, did FROM unnest(p_registries, p_dids) AS c (registry_id, did)
    ), rights AS (
      SELECT r.registry_id, r.did, 'issuer' AS role, r.schema_id, r.from_block, r.to_block
        FROM changed c JOIN issuer r ON r.registry_id = c.registry_id AND r.did = c.did
      UNION ALL
      SELECT r.registry_id, r.did, 'verifier', r.schema_id, r.from_block, r.to_block
        FROM changed c JOIN verifier r ON r.registry_id = c.registry_id AND r.did = c.did
    ), parts AS (
      SELECT r.registry_id, p.part, r.did, int4range(r.from_block, r.to_block) AS held
        FROM rights r CROSS JOIN LATERAL (VALUES ('any'), (r.role), (r.schema_id)) AS p (part)
    ), ends AS (
      SELECT registry_id, part, did, array_agg(held) AS helds FROM parts GROUP BY registry_id, part, did
    ), spans AS (
      SELECT e.registry_id, e.part, e.did, e.helds, s.at, lead(s.at) OVER (PARTITION BY e.registry_id, e.part, e.did ORDER BY s.at) AS until
        FROM ends e CROSS JOIN LATERAL (
          SELECT lower(h) AS at FROM unnest(e.helds) h
          UNION SELECT upper(h) FROM unnest(e.helds) h WHERE NOT upper_inf(h)) s
    ), oldest AS (
      SELECT s.registry_id, s.part, s.did, s.at, s.until, (SELECT min(lower(h)) FROM unnest(s.helds) h WHERE h @> s.at) AS since
        FROM spans s
    )
    INSERT INTO listing (registry_id, part, did, since, from_block, to_block)
      SELECT registry_id, part, did, since, min(at), CASE WHEN bool_and(until IS NOT NULL) THEN max(until) END
      FROM oldest WHERE since IS NOT NULL GROUP BY registry_id, part, did, since
  $$`,

  `CREATE FUNCTION list_changed() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    path text := current_setting('search_path');
  BEGIN
    PERFORM set_config('search_path', quote_ident(TG_TABLE_SCHEMA) || ', pg_temp', true);
    PERFORM list_again(array_agg(c.registry_id), array_agg(c.did)) FROM (SELECT DISTINCT registry_id, did FROM changed) c;
    PERFORM set_config('search_path', path, true);
    RETURN NULL;
  END $$`,

  ...['issuer', 'verifier'].flatMap((table) => [
    ...['INSERT', 'UPDATE', 'DELETE'].map(
      (event) => `CREATE TRIGGER listed_${event.toLowerCase()} AFTER ${event} ON ${table}
        REFERENCING ${event === 'DELETE' ? 'OLD' : 'NEW'} TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION list_changed()`,
    ),
  ]),

  // Those who are listed already: the index need not begin again.
  `SELECT list_again(array_agg(c.registry_id), array_agg(c.did))
    FROM (SELECT registry_id, did FROM issuer UNION SELECT registry_id, did FROM verifier) c`,

  'CREATE INDEX listing_newest ON listing (registry_id, part, since DESC, did) INCLUDE (from_block, to_block)',
  'CREATE INDEX listing_order ON listing (registry_id, part, did COLLATE "C") INCLUDE (from_block, to_block)',
  'CREATE INDEX listing_did ON listing (did, registry_id, part)',
  // A participant is asked for by an id that follows from registry and DID: its first bytes find it.
  `CREATE INDEX listing_digest ON listing (substr(sha256((registry_id || '/' || did)::bytea), 1, 6)) WHERE part = 'any'`,
  'CREATE INDEX issuer_order ON issuer (registry_id, schema_id, did COLLATE "C") INCLUDE (from_block, to_block)',
  'CREATE INDEX verifier_order ON verifier (registry_id, schema_id, did COLLATE "C") INCLUDE (from_block, to_block)',
  'CREATE INDEX delegation_order ON delegation (registry_id, delegate COLLATE "C")',
  'CREATE INDEX did_gone ON did (did, to_block) WHERE to_block IS NOT NULL',
]

module.exports = class Listings1795000000007 {
  name = 'Listings1795000000007'

  async up(db) {
    for (const statement of STATEMENTS) await db.query(statement)
  }

  async down() {
    throw new Error('drop schema ledger and index again: everything in it comes from the chain')
  }
}
