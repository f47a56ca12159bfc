-- Tells who may issue or verify what, at any block: the one definition that every reader uses. `since` is the block at which the
-- last of the facts came true that the reason rests on, and `event` the event that made it so: the one that gave or took the role
-- that was asked about, and no other of its block. Both are null for what was never otherwise.
--
-- The functions that it asks are in plpgsql, too, which keeps their plans: in SQL each was planned anew in every statement, which
-- took longer than finding the answer. Bodies name schema `ledger`, which an index that is built beside another one only becomes.
CREATE OR REPLACE FUNCTION authorization_at(
  p_registry text, p_schema text, p_did text, p_role text, p_block int,
  OUT authorized boolean, OUT reason text, OUT via text, OUT since int, OUT event text)
LANGUAGE plpgsql STABLE AS $$
DECLARE
  is_open boolean;
  open_since int;
  own record;
  delegator record;
  barred_by text;
  barred_since int;
  lost_by text[];
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
    event := ledger.event_behind(p_registry, p_schema, p_role, since, true, ARRAY[p_did], NULL, true);
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
        event := ledger.event_behind(p_registry, p_schema, p_role, since, true, ARRAY[p_did, via], via, true);
        RETURN;
      END IF;
      -- The last way in closed when the last of them was barred.
      reason := 'delegator_suspended';
      IF barred_since IS NULL OR greatest(delegator.from_block, delegator.listed, delegator.free) > barred_since THEN
        barred_since := greatest(delegator.from_block, delegator.listed, delegator.free); barred_by := delegator.issuer;
      END IF;
    END LOOP;
  END IF;
  -- The role also ended when the DID was no longer listed itself, or by another issuer.
  reason := coalesce(reason, 'not_listed');
  since := greatest(ledger.unlisted_since(p_registry, p_schema, p_did, p_role, p_block), barred_since);
  lost_by := ARRAY[p_did] || CASE WHEN p_role = 'issuer' THEN ARRAY(SELECT d.issuer FROM ledger.delegation d
    WHERE d.registry_id = p_registry AND d.delegate = p_did AND d.from_block < since AND (d.to_block IS NULL OR d.to_block >= since)) END;
  event := coalesce(
    CASE WHEN since = barred_since THEN
      ledger.event_behind(p_registry, p_schema, p_role, since, false, ARRAY[barred_by], NULL, true) END,
    ledger.event_behind(p_registry, p_schema, p_role, since, false, lost_by, NULL, false),
    ledger.event_behind(p_registry, p_schema, p_role, since, true, ARRAY[p_did, barred_by], barred_by, false),
    ledger.schema_event(p_registry, p_schema, 'TrustRegistry.SchemaRemoved', since));
END $$;
