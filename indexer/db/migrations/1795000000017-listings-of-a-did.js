const migration = require('../migration')

/**
 * What a DID is listed as. An index with the registry between DID and part was dear in the eyes of Postgres 18, which skips over
 * what is not asked for, so that it read everybody instead.
 */
module.exports = migration('ListingsOfADid1795000000017', [
  'DROP INDEX listing_did',
  'CREATE INDEX listing_did ON listing (did, registry_id)',
  "CREATE INDEX listing_did_any ON listing (did) WHERE part = 'any'",
])
