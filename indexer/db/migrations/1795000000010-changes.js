const migration = require('../migration')

/** What began and what ended in a registry between two blocks, for comparing it at both. */
module.exports = migration('Changes1795000000010', [
  ...['issuer', 'verifier'].flatMap((table) => [
    `CREATE INDEX ${table}_began ON ${table} (registry_id, from_block)`,
    `CREATE INDEX ${table}_ended ON ${table} (registry_id, to_block) WHERE to_block IS NOT NULL`,
  ]),
  "CREATE INDEX listing_began ON listing (registry_id, from_block) WHERE part = 'any'",
  "CREATE INDEX listing_ended ON listing (registry_id, to_block) WHERE part = 'any' AND to_block IS NOT NULL",
])
