-- Tells when a DID last stopped having a role in a schema, itself or through those that delegated to it; null: it never had it.
CREATE OR REPLACE FUNCTION unlisted_since(p_registry text, p_schema text, p_did text, p_role text, p_block int) RETURNS int
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
END $$;
