/** What holders update their witnesses from, and versions of revocation registries that have a time. */
const TABLES = [
  `ALTER TABLE revocation_registry ADD COLUMN public_key text, ADD COLUMN accumulated text`,
  `CREATE TABLE accumulator_update (
    id character varying NOT NULL PRIMARY KEY,
    registry_id text NOT NULL,
    version integer NOT NULL,
    block integer NOT NULL,
    accumulated text NOT NULL,
    additions integer array NOT NULL,
    removals integer array NOT NULL,
    witness_update_info text NOT NULL
  )`,
  'CREATE INDEX ON accumulator_update (registry_id, version)',
  'DROP INDEX revocation_registry_registry_id_idx',
  'CREATE INDEX ON revocation_registry (registry_id, from_block)',
]

/** A new price ends one row and begins another: the listing began where a row follows none. One pass over the rows. */
const ISSUER_SINCE = `
  CREATE OR REPLACE FUNCTION issuer_since(p_registry text, p_schema text, p_did text, p_block int) RETURNS int
  LANGUAGE sql STABLE AS $$
    WITH listing AS (
      SELECT from_block, to_block, lag(to_block) OVER (ORDER BY from_block) AS before FROM ledger.issuer
      WHERE registry_id = p_registry AND schema_id = p_schema AND did = p_did AND from_block <= p_block
    )
    SELECT max(from_block) FROM listing WHERE before IS DISTINCT FROM from_block
      AND EXISTS (SELECT FROM listing WHERE to_block IS NULL OR to_block > p_block)
  $$`

/** What was indexed before has no such times: the indexer begins at genesis again. */
const INDEXED = [
  'block', 'event', 'did', 'did_key', 'did_controller', 'did_service', 'nonce', 'trust_registry', 'registry_schema',
  'issuer', 'verifier', 'suspension', 'delegation', 'revocation_registry', 'status_bit',
]
const PROGRESS = ['hot_change_log', 'hot_block', 'status']

module.exports = class Versions1795000000005 {
  name = 'Versions1795000000005'

  async up(db) {
    for (const statement of TABLES) await db.query(statement)
    await db.query('SET LOCAL check_function_bodies = off')
    await db.query(ISSUER_SINCE)
    await db.query(`TRUNCATE ${INDEXED.join(', ')}`)
    for (const table of PROGRESS) await db.query(`DROP TABLE IF EXISTS ${table}`)
  }

  async down() {
    throw new Error('drop schema ledger and index again: everything in it comes from the chain')
  }
}
