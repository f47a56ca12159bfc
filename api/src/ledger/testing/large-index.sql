-- Fills an index with one large registry, as years of use leave it, for measuring reads. The caller sets search_path to ledger and the
-- setting fill.events, and makes a temporary table filling (n int, did text) with n from 0. The registry spreads over the blocks that there
-- are.
create temporary table place as
  select n, did, '0x' || repeat('fa', 32) as registry_id, '0x' || lpad(to_hex(n % 5 + 1), 64, '0') as schema_id,
    1 + n % greatest((select max(height) from block) / 2, 1) as born
  from filling;
create temporary table life as select max(height) as last from block;

insert into did (id, key, did, submitter, from_block, to_block)
  select 'fill-' || n, 'fill-' || n, did, 'payer', 0, case when n % 500 = 499 then last end from place, life;
insert into trust_registry (id, key, registry_id, convener, pending_convener, name, gov_framework, version, from_block)
  select 'fill', 'fill', registry_id, did, null, 'Large', 'https://example.org/rules', 1, 0 from place where n = 0;
insert into registry_schema (id, key, registry_id, schema_id, is_public, from_block)
  select 'fill-' || schema_id, 'fill-' || schema_id, registry_id, schema_id, false, 0 from place where n < 5;
-- One issuer in ten changed its price.
insert into issuer (id, key, registry_id, schema_id, did, prices, from_block, to_block)
  select 'fill-a' || n, 'fill-' || n, registry_id, schema_id, did, '{}'::jsonb, born, case when n % 10 = 1 then born + 1 end from place
  union all
  select 'fill-b' || n, 'fill-' || n, registry_id, schema_id, did, '{"USD":"5000000"}', born + 1, null from place where n % 10 = 1;
insert into verifier (id, key, registry_id, schema_id, did, from_block)
  select 'fill-' || n, 'fill-' || n, registry_id, schema_id, did, born from place where n % 4 = 0;
insert into suspension (id, key, registry_id, did, from_block, to_block)
  select 'fill-' || n, 'fill-' || n, registry_id, did, born + 1, case when n % 40 = 0 then last end from place, life
  where n % 20 = 0 and born + 1 < last;
insert into delegation (id, key, registry_id, issuer, issuer_order, delegate, from_block)
  select 'fill-' || p.n, 'fill-' || p.n, p.registry_id, p.did, '0x00', d.did, p.born from place p join place d on d.n = p.n + 1
  where p.n % 10 = 5;

insert into event (id, block, index, time, extrinsic_hash, name, actor, key_id, nonce, submitter, trust_registry_id, schema_id, subject, before, after)
  select b.height || '-' || 1000000 + i, b.height, 1000000 + i, b.time, '0x' || repeat('0', 64),
    'TrustRegistry.' || case when i % 100 = 7 then 'IssuerSuspended' when i % 10 = 3 then 'VerifierChanged' else 'IssuerChanged' end,
    c.did, 1, i, 'payer', p.registry_id, p.schema_id, p.did, null, '{"prices":{"USD":"5000000"}}'::jsonb
  from life, generate_series(0, current_setting('fill.events')::int - 1) i
    join place c on c.n = 0
    join place p on p.n = i % (select count(*) from place)
    join block b on b.height = 1 + i::bigint * (select last from life) / current_setting('fill.events')::int;

drop table place, life;
analyze;
