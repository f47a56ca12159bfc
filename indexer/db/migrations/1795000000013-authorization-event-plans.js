const migration = require('../migration')

/**
 * The event behind an answer is looked for by one plan that is kept: the planner believed that one for every question would be
 * dearer, and made another for each, which took Postgres longer than the rest of the answer. A block from and to the same number
 * is what that plan is steered by: of how many events a block tells only the average is known to it, and one may tell thousands.
 */
module.exports = migration('AuthorizationEventPlans1795000000013', [
  `CREATE OR REPLACE FUNCTION event_behind(p_registry text, p_schema text, p_role text, p_block int, p_gave boolean, p_dids text[],
    p_via text, p_with_standing boolean) RETURNS text
  LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan AS $$
  BEGIN
    IF p_block IS NULL THEN RETURN NULL; END IF;
    RETURN (WITH told AS MATERIALIZED (
        SELECT * FROM ledger.event WHERE block BETWEEN p_block AND p_block AND subject = ANY (p_dids)
      ), opened AS MATERIALIZED (
        SELECT * FROM ledger.event WHERE block = p_block AND name = 'TrustRegistry.SchemaPublicSet' AND p_role = 'verifier'
      )
      SELECT e.id FROM (
        SELECT t.id, t.index FROM told t
        WHERE t.trust_registry_id = p_registry AND (
            t.name = 'TrustRegistry.' || initcap(p_role) || 'Changed' AND t.schema_id = p_schema
              AND coalesce(nullif(CASE WHEN p_gave THEN t.before ELSE t.after END, 'null'), '{"listed":false}') = '{"listed":false}'
            OR p_with_standing AND t.name = ANY (CASE WHEN p_gave
              THEN ARRAY['TrustRegistry.IssuerUnsuspended','TrustRegistry.VerifierUnsuspended']
              ELSE ARRAY['TrustRegistry.IssuerSuspended','TrustRegistry.VerifierSuspended'] END)
            OR p_role = 'issuer' AND p_gave AND t.name = 'TrustRegistry.DelegateAdded' AND t.after->>'issuer' = p_via
            OR p_role = 'issuer' AND NOT p_gave AND t.name = 'TrustRegistry.DelegateRemoved')
          OR p_with_standing AND NOT p_gave AND t.name = 'Did.Deactivated'
        UNION ALL
        SELECT o.id, o.index FROM opened o
        WHERE o.trust_registry_id = p_registry AND o.schema_id = p_schema AND o.after->'public' = to_jsonb(p_gave)
      ) e ORDER BY e.index DESC LIMIT 1);
  END $$`,
])
