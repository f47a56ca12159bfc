const migration = require('../migration')

/** The rule of finality, and the newest block that is indexed and final by it: the present of a network of validators. */
module.exports = migration('SettledBlock1795000000019', [
  `ALTER TABLE finality
    ADD COLUMN IF NOT EXISTS rule text NOT NULL DEFAULT 'instant',
    ADD COLUMN IF NOT EXISTS settled_height integer,
    ADD COLUMN IF NOT EXISTS settled_hash text`,
])
