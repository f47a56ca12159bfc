const migration = require('../migration')

/** What never comes back once it has ended: of these, what began and ended in one block has a row, true at no block. */
const TABLES = ['did', 'did_key', 'trust_registry', 'revocation_registry']

/** The last event of a block that changed a registry that it made. */
const last = (registry, names) => `
  LEFT JOIN LATERAL (SELECT e.after FROM event e
    WHERE e.${registry} = made.${registry} AND e.block = made.block AND e.name IN (${names.map((name) => `'${name}'`).join(', ')})
    ORDER BY e.index DESC LIMIT 1)`

module.exports = migration('Tombstones1795000000016', [
  ...TABLES.flatMap((table) => [
    `ALTER TABLE ${table} DROP CONSTRAINT ${table}_interval`,
    `ALTER TABLE ${table} ADD CONSTRAINT ${table}_interval CHECK (to_block >= from_block)`,
  ]),

  // Those that were indexed without: the audit trail tells what they were, and the index need not begin again.
  `INSERT INTO did (id, key, did, submitter, from_block, to_block)
    SELECT made.subject || '@' || made.block, made.subject, made.subject, made.submitter, made.block, made.block
    FROM event made JOIN event gone ON gone.subject = made.subject AND gone.block = made.block AND gone.name = 'Did.Deactivated'
    WHERE made.name = 'Did.Created'`,

  `INSERT INTO did_key (id, key, did, key_id, kind, public_key, relationships, end_reason, from_block, to_block)
    SELECT k.key || '@' || k.block, k.key, k.did, k.key_id, k.after->>'kind', k.after->>'publicKey', (k.after->>'relationships')::int,
      -- One that was retired may have been revoked later.
      CASE WHEN EXISTS (SELECT FROM event r WHERE r.subject = k.did AND r.name = 'Did.KeyRevoked' AND r.before->>'keyId' = k.key_id::text)
        THEN 'revoked' WHEN 'Did.KeyRetired' = ANY (g.names) THEN 'retired' ELSE 'deactivated' END,
      k.block, k.block
    FROM (SELECT subject AS did, (after->>'keyId')::int AS key_id, subject || '#keys-' || (after->>'keyId') AS key, block, after
        FROM event WHERE name = 'Did.KeyAdded') k
      JOIN (SELECT subject AS did, (before->>'keyId')::int AS key_id, block, array_agg(name) AS names
        FROM event WHERE name IN ('Did.KeyRetired', 'Did.KeyRevoked', 'Did.Deactivated') GROUP BY 1, 2, 3) g
      ON g.did = k.did AND g.block = k.block AND (g.key_id = k.key_id OR g.key_id IS NULL)`,

  `INSERT INTO trust_registry (id, key, registry_id, convener, pending_convener, name, gov_framework, version, from_block, to_block)
    SELECT made.trust_registry_id || '@' || made.block, made.trust_registry_id, made.trust_registry_id,
      coalesce(held.after, made.after)->>'convener', offered.after->>'pendingConvener', coalesce(told.after, made.after)->>'name',
      coalesce(told.after, made.after)->>'govFramework', coalesce((counted.after->>'version')::int, 0), made.block, made.block
    FROM event made JOIN event gone ON gone.trust_registry_id = made.trust_registry_id AND gone.block = made.block
        AND gone.name = 'TrustRegistry.TrustRegistryRemoved'
      ${last('trust_registry_id', ['TrustRegistry.Transferred'])} held ON true
      ${last('trust_registry_id', ['TrustRegistry.TransferProposed', 'TrustRegistry.Transferred'])} offered ON true
      ${last('trust_registry_id', ['TrustRegistry.TrustRegistryUpdated'])} told ON true
      ${last('trust_registry_id', ['TrustRegistry.SchemasMetadataSet'])} counted ON true
    WHERE made.name = 'TrustRegistry.TrustRegistryInitialized'`,

  `INSERT INTO revocation_registry (id, key, registry_id, policy, creator, add_only, kind, length, public_key, accumulated, version,
      from_block, to_block)
    SELECT made.revocation_registry_id || '@' || made.block, made.revocation_registry_id, made.revocation_registry_id,
      ARRAY(SELECT jsonb_array_elements_text(made.after->'policy')), made.actor, (made.after->>'addOnly')::boolean, made.after->>'kind',
      (made.after->>'length')::int, made.after->>'publicKey', coalesce(changed.after, made.after)->>'accumulated',
      coalesce((changed.after->>'version')::int, 0), made.block, made.block
    FROM event made JOIN event gone ON gone.revocation_registry_id = made.revocation_registry_id AND gone.block = made.block
        AND gone.name = 'Revocation.RegistryRemoved'
      ${last('revocation_registry_id', ['Revocation.StatusChanged', 'Revocation.AccumulatorUpdated'])} changed ON true
    WHERE made.name = 'Revocation.RegistryCreated'`,

  `-- Of a block that can still be taken back they go with it. The processor makes its own tables, after these.
  DO $$
  BEGIN
    IF to_regclass('hot_change_log') IS NULL THEN RETURN; END IF;
    INSERT INTO hot_change_log (block_height, index, change)
    SELECT h.height, (SELECT coalesce(max(l.index), -1) FROM hot_change_log l WHERE l.block_height = h.height)
        + row_number() OVER (PARTITION BY h.height ORDER BY t.table_name, t.id),
      jsonb_build_object('kind', 'insert', 'table', t.table_name, 'id', t.id)
    FROM hot_block h JOIN (
      ${TABLES.map((table) => `SELECT '${table}' AS table_name, id, from_block FROM ${table} WHERE to_block = from_block`).join(' UNION ALL ')}
    ) t ON t.from_block = h.height;
  END $$`,
])
