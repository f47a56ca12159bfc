/**
 * Who may issue or verify what, at any block: the one definition that every reader uses.
 * `since` is the block at which the last of the facts came true that the reason rests on.
 */
const FUNCTIONS = [
  `-- Since when a DID issues a schema without a break, price changes notwithstanding; null: it does not at p_block.
  CREATE FUNCTION issuer_since(p_registry text, p_schema text, p_did text, p_block int) RETURNS int
  LANGUAGE sql STABLE AS $$
    WITH RECURSIVE run AS (
      SELECT i.from_block FROM ledger.issuer i
      WHERE i.registry_id = p_registry AND i.schema_id = p_schema AND i.did = p_did
        AND i.from_block <= p_block AND (i.to_block IS NULL OR i.to_block > p_block)
      UNION ALL
      SELECT i.from_block FROM run JOIN ledger.issuer i
        ON i.registry_id = p_registry AND i.schema_id = p_schema AND i.did = p_did AND i.to_block = run.from_block
    )
    SELECT min(from_block) FROM run
  $$`,

  `-- What bars a DID on every path in a registry ('deactivated', 'suspended'), or null; and since when that is so.
  CREATE FUNCTION standing_at(p_registry text, p_did text, p_block int, OUT barred text, OUT since int)
  LANGUAGE plpgsql STABLE AS $$
  BEGIN
    SELECT 'deactivated', d.to_block INTO barred, since FROM ledger.did d WHERE d.did = p_did AND d.to_block <= p_block;
    IF FOUND THEN RETURN; END IF;
    SELECT 'suspended', s.from_block INTO barred, since FROM ledger.suspension s
      WHERE s.registry_id = p_registry AND s.did = p_did
        AND s.from_block <= p_block AND (s.to_block IS NULL OR s.to_block > p_block);
    IF FOUND THEN RETURN; END IF;
    SELECT coalesce(max(s.to_block), 0) INTO since FROM ledger.suspension s
      WHERE s.registry_id = p_registry AND s.did = p_did AND s.to_block <= p_block;
  END $$`,

  `CREATE FUNCTION authorization_at(
    p_registry text, p_schema text, p_did text, p_role text, p_block int,
    OUT authorized boolean, OUT reason text, OUT via text, OUT since int)
  LANGUAGE plpgsql STABLE AS $$
  DECLARE
    is_open boolean;
    open_since int;
    own record;
    delegator record;
    has_barred_delegator boolean := false;
  BEGIN
    authorized := false;
    PERFORM 1 FROM ledger.trust_registry t
      WHERE t.registry_id = p_registry AND t.from_block <= p_block AND (t.to_block IS NULL OR t.to_block > p_block);
    IF NOT FOUND THEN reason := 'unknown_registry'; RETURN; END IF;
    SELECT s.is_public, s.from_block INTO is_open, open_since FROM ledger.registry_schema s
      WHERE s.registry_id = p_registry AND s.schema_id = p_schema
        AND s.from_block <= p_block AND (s.to_block IS NULL OR s.to_block > p_block);
    IF NOT FOUND THEN reason := 'unknown_schema'; RETURN; END IF;

    own := ledger.standing_at(p_registry, p_did, p_block);
    IF own.barred IS NOT NULL THEN reason := own.barred; since := own.since; RETURN; END IF;

    IF p_role = 'verifier' THEN
      SELECT v.from_block INTO since FROM ledger.verifier v
        WHERE v.registry_id = p_registry AND v.schema_id = p_schema AND v.did = p_did
          AND v.from_block <= p_block AND (v.to_block IS NULL OR v.to_block > p_block);
      IF FOUND THEN authorized := true; reason := 'direct'; since := greatest(since, own.since); RETURN; END IF;
      IF is_open THEN
        authorized := true; reason := 'public_schema'; since := greatest(open_since, own.since); RETURN;
      END IF;
      reason := 'not_listed'; RETURN;
    END IF;

    since := ledger.issuer_since(p_registry, p_schema, p_did, p_block);
    IF since IS NOT NULL THEN
      authorized := true; reason := 'direct'; since := greatest(since, own.since); RETURN;
    END IF;
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
        RETURN;
      END IF;
      has_barred_delegator := true;
    END LOOP;
    reason := CASE WHEN has_barred_delegator THEN 'delegator_suspended' ELSE 'not_listed' END;
  END $$`,
]

module.exports = class Authorization1795000000004 {
  name = 'Authorization1795000000004'

  async up(db) {
    // Bodies name the schema that everybody reads, which this one may only become.
    await db.query('SET LOCAL check_function_bodies = off')
    for (const statement of FUNCTIONS) await db.query(statement)
  }

  async down() {
    throw new Error('drop schema ledger and index again: everything in it comes from the chain')
  }
}
