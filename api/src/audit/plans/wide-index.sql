-- Fills an index with rows beside those of the registry that is asked about: so many that a plan which reads a whole table is a bad one.
-- The caller sets search_path to ledger, and makes a temporary table filling (n int, did text) with n from 0.
create temporary table wide as
  select n, did, '0x' || lpad(to_hex(n % 2000), 64, '0') as registry_id, '0x' || lpad(to_hex(100 + n % 1000), 64, '0') as schema_id,
    1 + n % (select max(height) / 2 from block) as born
  from filling;

insert into did (id, key, did, submitter, from_block, to_block)
  select 'wide-' || n, 'wide-' || n, did, 'payer', born, case when n % 100 = 0 then born + 9 end from wide;
insert into did_key (id, key, did, key_id, kind, public_key, relationships, end_reason, from_block, to_block)
  select 'wide-' || n || '-' || k, 'wide-' || n || '-' || k, did, k, 'Ed25519', '0x' || lpad(to_hex(n), 64, '0'), 7,
    case when n % 100 = 0 then 'deactivated' end, born, case when n % 100 = 0 then born + 9 end
  from wide, generate_series(1, 2) k;
insert into did_controller (id, key, did, controller, from_block)
  select 'wide-' || w.n, 'wide-' || w.n, w.did, c.did, w.born from wide w join wide c on c.n = w.n + 1;
insert into did_service (id, key, did, service_id, type, endpoints, from_block)
  select 'wide-' || n, 'wide-' || n, did, 'hub', 'LinkedDomains', '["https://example.org"]', born from wide;
insert into trust_registry (id, key, registry_id, convener, pending_convener, name, gov_framework, version, from_block, to_block)
  select 'wide-' || n || '-' || v, 'wide-' || n, registry_id, did, null, 'Registry ' || n, 'https://example.org/rules', v,
    born + v, case when v = 0 then born + 1 end
  from wide, generate_series(0, 1) v where n < 2000;
insert into registry_schema (id, key, registry_id, schema_id, is_public, from_block)
  select distinct on (registry_id, schema_id) 'wide-' || n, 'wide-' || n, registry_id, schema_id, n % 50 = 0, born from wide
  order by registry_id, schema_id, n;
insert into issuer (id, key, registry_id, schema_id, did, prices, from_block)
  select 'wide-' || n, 'wide-' || n, registry_id, schema_id, did, '{"USD":"5"}'::jsonb, born from wide;
insert into verifier (id, key, registry_id, schema_id, did, from_block)
  select 'wide-' || n, 'wide-' || n, registry_id, schema_id, did, born from wide where n % 2 = 0;
insert into suspension (id, key, registry_id, did, from_block, to_block)
  select 'wide-' || n, 'wide-' || n, registry_id, did, born + 5, case when n % 20 = 0 then born + 50 end from wide where n % 5 = 0;
insert into delegation (id, key, registry_id, issuer, issuer_order, delegate, from_block, to_block)
  select 'wide-' || w.n, 'wide-' || w.n, w.registry_id, w.did, '0x00', d.did, w.born + 5, case when w.n % 20 = 3 then w.born + 50 end
  from wide w join wide d on d.n = w.n + 1 where w.n % 5 = 3;
insert into revocation_registry (id, key, registry_id, policy, creator, add_only, kind, length, version, from_block, to_block,
    public_key, accumulated)
  select 'wide-' || n || '-' || v, 'wide-' || n, '0x' || lpad(to_hex(n), 64, 'e'), array[did], did, false,
    case n % 2 when 0 then 'StatusList' else 'Accumulator' end, case n % 2 when 0 then 131072 end, v, born + v,
    case when v = 1 then born + 2 end, case n % 2 when 1 then '0x00' end, case n % 2 when 1 then '0x00' end
  from wide, generate_series(1, 2) v where n < 5000;
insert into status_bit (id, key, registry_id, index, from_block, to_block)
  select 'wide-' || n || '-' || i, 'wide-' || n || '-' || i, '0x' || lpad(to_hex(n), 64, 'e'), i, born + 3, case i when 3 then born + 4 end
  from wide, generate_series(1, 10) i where n < 5000 and n % 2 = 0;
insert into accumulator_update (id, registry_id, version, block, accumulated, additions, removals, witness_update_info)
  select 'wide-' || n || '-' || v, '0x' || lpad(to_hex(n), 64, 'e'), v, born + v, '0x00', '{}', '{}', '0x00'
  from wide, generate_series(1, 4) v where n < 5000 and n % 2 = 1;
insert into nonce (id, nonce) select did, 1 from wide;

insert into event (id, block, index, time, extrinsic_hash, name, actor, key_id, nonce, submitter, call_hash, trust_registry_id,
    revocation_registry_id, schema_id, subject, before, after)
  select b.height || '-' || 2000000 + w.n * 4 + k, b.height, 2000000 + w.n * 4 + k, b.time, '0x' || lpad(to_hex(w.n), 64, '1'),
    (array['Did.Created', 'Did.Dispatched', 'TrustRegistry.IssuerChanged', 'Revocation.StatusChanged'])[k], w.did, 1, k, 'payer',
    case k when 2 then '0x' || lpad(to_hex(w.n), 64, '2') end,
    case k when 3 then w.registry_id end, case k when 4 then '0x' || lpad(to_hex(w.n % 5000), 64, 'e') end,
    case k when 3 then w.schema_id end, case when k in (1, 3) then w.did end, null, case k when 3 then '{"prices":{}}'::jsonb end
  from wide w cross join generate_series(1, 4) k join block b on b.height = w.born;

-- One registry has most of the events there are, and hardly any of those that others have.
insert into event (id, block, index, time, extrinsic_hash, name, actor, key_id, nonce, submitter, trust_registry_id, schema_id, subject)
  select b.height || '-' || 3000000 + w.n, b.height, 3000000 + w.n, b.time, '0x' || repeat('3', 64),
    'TrustRegistry.' || case when b.height = 3 and w.n < 4 then 'IssuerUnsuspended' else 'VerifierChanged' end,
    w.did, 1, 1, 'payer', '0x' || lpad('7', 64, '0'), w.schema_id, w.did
  from generate_series(1, 5) k join block b on b.height = k * 3 join wide w on true;

drop table wide;
