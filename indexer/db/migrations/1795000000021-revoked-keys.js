const migration = require('../migration')

/**
 * The block in which a key was revoked: one that was retired before was a retired key up to that block. Readers of the
 * release before go on with `end_reason`, which is the last one.
 */
module.exports = migration('RevokedKeys1795000000021', [
  'ALTER TABLE did_key ADD COLUMN IF NOT EXISTS revoked_block integer',
  `UPDATE did_key k SET revoked_block = e.block FROM event e
    WHERE e.name = 'Did.KeyRevoked' AND k.end_reason = 'revoked' AND k.did = e.subject
      AND k.key_id = (e.before->>'keyId')::int`,
])
