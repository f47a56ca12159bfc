-- Tells since when a DID issues a schema without a break, changes of its price notwithstanding; null: it does not at p_block.
CREATE OR REPLACE FUNCTION issuer_since(p_registry text, p_schema text, p_did text, p_block int) RETURNS int
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
END $$;
