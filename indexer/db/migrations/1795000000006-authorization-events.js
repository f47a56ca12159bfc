/**
 * Who may issue or verify what, at any block: the one definition that every reader uses. `since` is the block at which the
 * last of the facts came true that the reason rests on, and `event` the event that made it so; both are null for what was
 * never otherwise.
 */
const FUNCTIONS = [
  'DROP FUNCTION authorization_at(text, text, text, text, int)',

  `-- When a DID last stopped having a role in a schema, itself or through whoever delegated to it; null: it never had it.
  CREATE FUNCTION unlisted_since(p_registry text, p_schema text, p_did text, p_role text, p_block int) RETURNS int
  LANGUAGE plpgsql STABLE AS $$
  DECLARE
    own int;
    delegated int;
  BEGIN
    IF p_role = 'verifier' THEN
      RETURN greatest(
        (SELECT max(v.to_block) FROM ledger.verifier v
          WHERE v.registry_id = p_registry AND v.schema_id = p_schema AND v.did = p_did AND v.to_block <= p_block),
        (SELECT max(s.to_block) FROM ledger.registry_schema s
          WHERE s.registry_id = p_registry AND s.schema_id = p_schema AND s.is_public AND s.to_block <= p_block));
    END IF;
    SELECT max(i.to_block) INTO own FROM ledger.issuer i
      WHERE i.registry_id = p_registry AND i.schema_id = p_schema AND i.did = p_did AND i.to_block <= p_block;
    SELECT max(least(d.to_block, i.to_block)) INTO delegated
      FROM ledger.delegation d JOIN ledger.issuer i
        ON i.registry_id = p_registry AND i.schema_id = p_schema AND i.did = d.issuer
        AND greatest(d.from_block, i.from_block) < least(d.to_block, i.to_block)
      WHERE d.registry_id = p_registry AND d.delegate = p_did AND least(d.to_block, i.to_block) <= p_block;
    RETURN greatest(own, delegated);
  END $$`,

  `-- The last event of a block that brought about a reason: one of these names that happened to p_subject, and that gave
  -- or took what the reason says.
  CREATE FUNCTION event_behind(
    p_registry text, p_schema text, p_subject text, p_via text, p_is_allowed boolean, p_block int) RETURNS text
  LANGUAGE sql STABLE AS $$
    SELECT e.id FROM ledger.event e
    WHERE e.block = p_block AND e.subject IN (p_subject, p_via) AND (e.trust_registry_id = p_registry AND (
        e.name IN ('TrustRegistry.IssuerChanged', 'TrustRegistry.VerifierChanged') AND e.schema_id = p_schema
          AND coalesce(nullif(CASE WHEN p_is_allowed THEN e.before ELSE e.after END, 'null'), '{"listed":false}') = '{"listed":false}'
        OR e.name = ANY (CASE WHEN p_is_allowed
          THEN ARRAY['TrustRegistry.IssuerUnsuspended','TrustRegistry.VerifierUnsuspended']
          ELSE ARRAY['TrustRegistry.IssuerSuspended','TrustRegistry.VerifierSuspended'] END)
        OR e.name = 'TrustRegistry.DelegateAdded' AND p_is_allowed AND e.after->>'issuer' = p_via
        OR e.name = 'TrustRegistry.DelegateRemoved' AND NOT p_is_allowed)
      OR e.name = 'Did.Deactivated' AND NOT p_is_allowed)
    ORDER BY e.index DESC LIMIT 1
  $$`,

  `CREATE FUNCTION schema_event(p_registry text, p_schema text, p_name text, p_block int) RETURNS text
  LANGUAGE sql STABLE AS $$
    SELECT e.id FROM ledger.event e
    WHERE e.trust_registry_id = p_registry AND e.schema_id = p_schema AND e.name = p_name AND e.block = p_block
    ORDER BY e.index DESC LIMIT 1
  $$`,

  `CREATE FUNCTION authorization_at(
    p_registry text, p_schema text, p_did text, p_role text, p_block int,
    OUT authorized boolean, OUT reason text, OUT via text, OUT since int, OUT event text)
  LANGUAGE plpgsql STABLE AS $$
  DECLARE
    is_open boolean;
    open_since int;
    own record;
    delegator record;
    barred_by text;
  BEGIN
    authorized := false;
    PERFORM 1 FROM ledger.trust_registry t
      WHERE t.registry_id = p_registry AND t.from_block <= p_block AND (t.to_block IS NULL OR t.to_block > p_block);
    IF NOT FOUND THEN
      reason := 'unknown_registry';
      SELECT e.block, e.id INTO since, event FROM ledger.event e
        WHERE e.trust_registry_id = p_registry AND e.block <= p_block AND e.name = 'TrustRegistry.TrustRegistryRemoved'
        ORDER BY e.block DESC, e.index DESC LIMIT 1;
      RETURN;
    END IF;
    SELECT s.is_public, s.from_block INTO is_open, open_since FROM ledger.registry_schema s
      WHERE s.registry_id = p_registry AND s.schema_id = p_schema
        AND s.from_block <= p_block AND (s.to_block IS NULL OR s.to_block > p_block);
    IF NOT FOUND THEN
      reason := 'unknown_schema';
      SELECT max(s.to_block) INTO since FROM ledger.registry_schema s
        WHERE s.registry_id = p_registry AND s.schema_id = p_schema AND s.to_block <= p_block;
      event := ledger.schema_event(p_registry, p_schema, 'TrustRegistry.SchemaRemoved', since);
      RETURN;
    END IF;

    own := ledger.standing_at(p_registry, p_did, p_block);
    IF own.barred IS NOT NULL THEN
      reason := own.barred; since := own.since;
      event := (SELECT e.id FROM ledger.event e WHERE e.subject = p_did AND e.block = since
        AND (own.barred = 'deactivated' AND e.name = 'Did.Deactivated' OR own.barred = 'suspended' AND e.trust_registry_id = p_registry
          AND e.name IN ('TrustRegistry.IssuerSuspended', 'TrustRegistry.VerifierSuspended')) ORDER BY e.index DESC LIMIT 1);
      RETURN;
    END IF;

    IF p_role = 'verifier' THEN
      SELECT v.from_block INTO since FROM ledger.verifier v
        WHERE v.registry_id = p_registry AND v.schema_id = p_schema AND v.did = p_did
          AND v.from_block <= p_block AND (v.to_block IS NULL OR v.to_block > p_block);
      IF FOUND THEN
        reason := 'direct';
      ELSIF is_open THEN
        reason := 'public_schema'; since := open_since;
      END IF;
    ELSE
      since := ledger.issuer_since(p_registry, p_schema, p_did, p_block);
      IF since IS NOT NULL THEN reason := 'direct'; END IF;
    END IF;
    IF reason IS NOT NULL THEN
      authorized := true; since := greatest(since, own.since);
      event := coalesce(
        ledger.event_behind(p_registry, p_schema, p_did, NULL, true, since),
        ledger.schema_event(p_registry, p_schema, 'TrustRegistry.SchemaPublicSet', since));
      RETURN;
    END IF;

    IF p_role = 'issuer' THEN
      FOR delegator IN
        SELECT d.issuer, d.from_block, l.since AS listed, s.barred, s.since AS free
        FROM ledger.delegation d
          CROSS JOIN LATERAL ledger.issuer_since(p_registry, p_schema, d.issuer, p_block) AS l(since)
          CROSS JOIN LATERAL ledger.standing_at(p_registry, d.issuer, p_block) AS s
        WHERE d.registry_id = p_registry AND d.delegate = p_did AND l.since IS NOT NULL
          AND d.from_block <= p_block AND (d.to_block IS NULL OR d.to_block > p_block)
        ORDER BY d.issuer_order COLLATE "C"
      LOOP
        IF delegator.barred IS NULL THEN
          authorized := true; reason := 'delegated'; via := delegator.issuer;
          since := greatest(delegator.from_block, delegator.listed, delegator.free, own.since);
          event := ledger.event_behind(p_registry, p_schema, p_did, via, true, since);
          RETURN;
        END IF;
        -- The last way in closed when the last of them was barred.
        reason := 'delegator_suspended';
        IF since IS NULL OR greatest(delegator.from_block, delegator.listed, delegator.free) > since THEN
          since := greatest(delegator.from_block, delegator.listed, delegator.free); barred_by := delegator.issuer;
        END IF;
      END LOOP;
    END IF;
    IF reason IS NULL THEN
      reason := 'not_listed';
      since := ledger.unlisted_since(p_registry, p_schema, p_did, p_role, p_block);
    END IF;
    event := coalesce(
      ledger.event_behind(p_registry, p_schema, coalesce(barred_by, p_did), NULL, false, since),
      ledger.event_behind(p_registry, p_schema, p_did, barred_by, true, since),
      CASE WHEN p_role = 'verifier' THEN ledger.schema_event(p_registry, p_schema, 'TrustRegistry.SchemaPublicSet', since) END);
  END $$`,
]

module.exports = class AuthorizationEvents1795000000006 {
  name = 'AuthorizationEvents1795000000006'

  async up(db) {
    // Bodies name the schema that everybody reads, which this one may only become.
    await db.query('SET LOCAL check_function_bodies = off')
    for (const statement of FUNCTIONS) await db.query(statement)
  }

  async down() {
    throw new Error('drop schema ledger and index again: everything in it comes from the chain')
  }
}
