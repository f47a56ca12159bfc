const migration = require('../migration')

/** No statement finds rows by these: each one costs time with every block that is read. */
module.exports = migration('UnusedIndexes1795000000018', [
  'DROP INDEX IF EXISTS block_hash_idx',
  'DROP INDEX IF EXISTS event_extrinsic_hash_idx',
  'DROP INDEX IF EXISTS did_controller_controller_from_block_idx',
  'DROP INDEX IF EXISTS suspension_registry_id_did_from_block_idx',
])
