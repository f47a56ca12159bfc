const TEMPORAL = [
  'did', 'did_key', 'did_controller', 'did_service', 'trust_registry', 'registry_schema', 'issuer', 'verifier',
  'suspension', 'delegation', 'revocation_registry', 'status_bit',
]

/** Every question about one thing or one list, now or in the past, is an index scan. */
const LOOKUPS = {
  did: ['did'],
  did_key: ['did, key_id'],
  did_controller: ['did, from_block', 'controller, from_block'],
  did_service: ['did, from_block'],
  trust_registry: ['registry_id, from_block', 'convener, from_block'],
  registry_schema: ['registry_id, schema_id, from_block', 'schema_id, registry_id, from_block'],
  issuer: ['registry_id, schema_id, did, from_block', 'did, registry_id, from_block', 'schema_id, from_block'],
  verifier: ['registry_id, schema_id, did, from_block', 'did, registry_id, from_block', 'schema_id, from_block'],
  suspension: ['registry_id, did, from_block', 'did, from_block'],
  delegation: ['registry_id, delegate, from_block', 'registry_id, issuer, from_block', 'delegate, from_block'],
  revocation_registry: ['registry_id', 'creator, from_block'],
  status_bit: ['registry_id, index, from_block', 'registry_id, from_block'],
  block: ['time, height', 'hash'],
}

/** The audit trail by what it is asked for, in its order. */
const TRAILS = ['trust_registry_id', 'revocation_registry_id', 'schema_id', 'subject', 'actor', 'name']

module.exports = class Indexes1795000000002 {
  name = 'Indexes1795000000002'

  async up(db) {
    for (const table of TEMPORAL) {
      await db.query(`ALTER TABLE "${table}" ADD CONSTRAINT ${table}_interval CHECK (to_block > from_block)`)
      await db.query(`CREATE UNIQUE INDEX ${table}_open ON "${table}" (key) WHERE to_block IS NULL`)
    }
    for (const [table, lookups] of Object.entries(LOOKUPS)) {
      for (const columns of lookups) await db.query(`CREATE INDEX ON "${table}" (${columns})`)
    }
    await db.query('CREATE UNIQUE INDEX event_order ON event (block, index)')
    for (const column of TRAILS) {
      await db.query(`CREATE INDEX ON event (${column}, block, index) WHERE ${column} IS NOT NULL`)
    }
    await db.query('CREATE INDEX ON event (call_hash) WHERE call_hash IS NOT NULL')
    await db.query('CREATE INDEX ON event (extrinsic_hash) WHERE extrinsic_hash IS NOT NULL')
  }

  async down() {
    throw new Error('drop schema ledger and index again: everything in it comes from the chain')
  }
}
