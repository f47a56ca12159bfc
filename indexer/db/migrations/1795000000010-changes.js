/** What began and what ended in a registry between two blocks, for comparing it at both. */
const STATEMENTS = [
  ...['issuer', 'verifier'].flatMap((table) => [
    `CREATE INDEX ${table}_began ON ${table} (registry_id, from_block)`,
    `CREATE INDEX ${table}_ended ON ${table} (registry_id, to_block) WHERE to_block IS NOT NULL`,
  ]),
  "CREATE INDEX listing_began ON listing (registry_id, from_block) WHERE part = 'any'",
  "CREATE INDEX listing_ended ON listing (registry_id, to_block) WHERE part = 'any' AND to_block IS NOT NULL",
]

module.exports = class Changes1795000000010 {
  name = 'Changes1795000000010'

  async up(db) {
    for (const statement of STATEMENTS) await db.query(statement)
  }

  async down() {
    throw new Error('drop schema ledger and index again: everything in it comes from the chain')
  }
}
