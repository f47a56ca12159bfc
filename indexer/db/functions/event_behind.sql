-- Finds the last event of a block that gave or took a role in a schema: to or from one of p_dids or, of a verifier, everybody; by
-- the delegation of p_via; or, p_with_standing, by what happened to these DIDs themselves.
--
-- Events are looked for by what is rarest about them, their DID or their name: left to choose, the planner also went through all
-- events of a schema, of which one block may tell thousands. It keeps one plan: it believed that one for every question would be
-- dearer, and made another for each, which took longer than the rest of the answer. A block from and to the same number is what
-- that plan is steered by: it knows only the average number of a block's events. For the planner's sake it says itself what
-- is_unlisted says.
CREATE OR REPLACE FUNCTION event_behind(p_registry text, p_schema text, p_role text, p_block int, p_gave boolean, p_dids text[],
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
END $$;
