const migration = require('../migration')

/**
 * Indexes that let a question read what it asks for and no more. Those of places hold all that a comparison looks at: where a
 * registry lists many more than others do, the planner else reads all of it again for each DID.
 */
const STATEMENTS = [
  // Lists of everything, in the order of their ids.
  'CREATE INDEX did_order ON did (did COLLATE "C") INCLUDE (from_block)',
  'CREATE INDEX trust_registry_order ON trust_registry (registry_id COLLATE "C") INCLUDE (from_block, to_block)',
  'CREATE INDEX revocation_registry_order ON revocation_registry (registry_id COLLATE "C") INCLUDE (from_block)',

  // And registries, the newest first.
  'CREATE INDEX trust_registry_newest ON trust_registry (from_block DESC, registry_id)',

  ...['issuer', 'verifier'].flatMap((table) => [
    `CREATE INDEX ${table}_place ON ${table} (registry_id, schema_id, did, from_block) INCLUDE (to_block)`,
    `CREATE INDEX ${table}_did ON ${table} (did, registry_id, from_block) INCLUDE (schema_id, to_block)`,
    `DROP INDEX ${table}_registry_id_schema_id_did_from_block_idx`,
    `DROP INDEX ${table}_did_registry_id_from_block_idx`,
  ]),

  // What began and what ended between two blocks, as for issuers and verifiers.
  ...['suspension', 'delegation'].flatMap((table) => [
    `CREATE INDEX ${table}_began ON ${table} (registry_id, from_block)`,
    `CREATE INDEX ${table}_ended ON ${table} (registry_id, to_block) WHERE to_block IS NOT NULL`,
  ]),

  // The audit trail of a registry by what happened.
  'CREATE INDEX event_registry_name ON event (trust_registry_id, name, block, index) WHERE trust_registry_id IS NOT NULL',
]

module.exports = migration('Plans1795000000012', STATEMENTS)
