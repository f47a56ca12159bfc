-- Finds the last event of this name that a block tells of a schema.
CREATE OR REPLACE FUNCTION schema_event(p_registry text, p_schema text, p_name text, p_block int) RETURNS text
LANGUAGE plpgsql STABLE STRICT AS $$
BEGIN
  RETURN (WITH told AS MATERIALIZED (SELECT * FROM ledger.event WHERE block = p_block AND name = p_name)
    SELECT e.id FROM told e WHERE e.trust_registry_id = p_registry AND e.schema_id = p_schema
    ORDER BY e.index DESC LIMIT 1);
END $$;
