/**
 * The parts of `authorization_at` in the language that keeps its plans: in SQL each of them was planned anew in every statement,
 * which took Postgres longer than finding the answer.
 */
const FUNCTIONS = [
  `CREATE OR REPLACE FUNCTION issuer_since(p_registry text, p_schema text, p_did text, p_block int) RETURNS int
  LANGUAGE plpgsql STABLE AS $$
  DECLARE
    since int;
    before int;
  BEGIN
    SELECT i.from_block INTO before FROM ledger.issuer i
      WHERE i.registry_id = p_registry AND i.schema_id = p_schema AND i.did = p_did
        AND i.from_block <= p_block AND (i.to_block IS NULL OR i.to_block > p_block);
    -- A change of price ends one row and begins the next at the same block.
    WHILE before IS NOT NULL LOOP
      since := before;
      SELECT i.from_block INTO before FROM ledger.issuer i
        WHERE i.registry_id = p_registry AND i.schema_id = p_schema AND i.did = p_did
          AND i.from_block < since AND i.to_block = since;
    END LOOP;
    RETURN since;
  END $$`,

  `-- What was suspended more than once was so at times that do not overlap: the last one tells.
  CREATE OR REPLACE FUNCTION standing_at(p_registry text, p_did text, p_block int, OUT barred text, OUT since int)
  LANGUAGE plpgsql STABLE AS $$
  DECLARE
    suspended int;
    free int;
  BEGIN
    SELECT 'deactivated', d.to_block INTO barred, since FROM ledger.did d WHERE d.did = p_did AND d.to_block <= p_block;
    IF FOUND THEN RETURN; END IF;
    SELECT s.from_block, s.to_block INTO suspended, free FROM ledger.suspension s
      WHERE s.registry_id = p_registry AND s.did = p_did AND s.from_block <= p_block
      ORDER BY s.from_block DESC LIMIT 1;
    IF suspended IS NOT NULL AND (free IS NULL OR free > p_block) THEN
      barred := 'suspended'; since := suspended;
    ELSE
      since := coalesce(free, 0);
    END IF;
  END $$`,

  `CREATE OR REPLACE FUNCTION event_behind(
    p_registry text, p_schema text, p_subject text, p_via text, p_is_allowed boolean, p_block int) RETURNS text
  LANGUAGE plpgsql STABLE AS $$
  BEGIN
    IF p_block IS NULL THEN RETURN NULL; END IF;
    RETURN (SELECT e.id FROM ledger.event e
      WHERE e.block = p_block AND e.subject IN (p_subject, p_via) AND (e.trust_registry_id = p_registry AND (
          e.name IN ('TrustRegistry.IssuerChanged', 'TrustRegistry.VerifierChanged') AND e.schema_id = p_schema
            AND coalesce(nullif(CASE WHEN p_is_allowed THEN e.before ELSE e.after END, 'null'), '{"listed":false}') = '{"listed":false}'
          OR e.name = ANY (CASE WHEN p_is_allowed
            THEN ARRAY['TrustRegistry.IssuerUnsuspended','TrustRegistry.VerifierUnsuspended']
            ELSE ARRAY['TrustRegistry.IssuerSuspended','TrustRegistry.VerifierSuspended'] END)
          OR e.name = 'TrustRegistry.DelegateAdded' AND p_is_allowed AND e.after->>'issuer' = p_via
          OR e.name = 'TrustRegistry.DelegateRemoved' AND NOT p_is_allowed)
        OR e.name = 'Did.Deactivated' AND NOT p_is_allowed)
      ORDER BY e.index DESC LIMIT 1);
  END $$`,

  `CREATE OR REPLACE FUNCTION schema_event(p_registry text, p_schema text, p_name text, p_block int) RETURNS text
  LANGUAGE plpgsql STABLE STRICT AS $$
  BEGIN
    RETURN (SELECT e.id FROM ledger.event e
      WHERE e.trust_registry_id = p_registry AND e.schema_id = p_schema AND e.name = p_name AND e.block = p_block
      ORDER BY e.index DESC LIMIT 1);
  END $$`,
]

module.exports = class AuthorizationPlans1795000000008 {
  name = 'AuthorizationPlans1795000000008'

  async up(db) {
    // Bodies name the schema that everybody reads, which this one may only become.
    await db.query('SET LOCAL check_function_bodies = off')
    for (const statement of FUNCTIONS) await db.query(statement)
  }

  async down() {
    throw new Error('drop schema ledger and index again: everything in it comes from the chain')
  }
}
