const migration = require('../migration')

/** Few issuers ask for money: they are found without looking at all others of a schema. */
module.exports = migration('PricedIssuers1795000000014', [
  "CREATE INDEX issuer_priced ON issuer (registry_id, schema_id, did) WHERE prices <> '{}'",
])
