const migration = require('../migration')

/**
 * A block lists many at once: without what tells them apart the index has one entry for all of a part, where each had
 * one of 300 bytes. They are told apart in the table, where they lie side by side.
 */
module.exports = migration('NewestListings1795000000020', [
  'DROP INDEX IF EXISTS listing_newest',
  'CREATE INDEX listing_newest ON listing (registry_id, part, since DESC)',
])
