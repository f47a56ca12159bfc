-- Tells what bars a DID everywhere in a registry (`deactivated`, `suspended`), or null; and since when. Suspensions of one DID never
-- overlap in time: the last one decides.
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
END $$;
