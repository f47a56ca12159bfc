/** Few issuers ask for money: they are found without looking at all others of a schema. */
module.exports = class PricedIssuers1795000000013 {
  name = 'PricedIssuers1795000000013'

  async up(db) {
    await db.query("CREATE INDEX issuer_priced ON issuer (registry_id, schema_id, did) WHERE prices <> '{}'")
  }

  async down() {
    throw new Error('drop schema ledger and index again: everything in it comes from the chain')
  }
}
