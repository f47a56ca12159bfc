-- What an issuer asks of one verifier, beside the price on the ledger that it asks of everybody. No team reads the rows:
-- `deals_for` tells it those that concern it, and `set_deal` is how it changes one.
create table service.verifier_prices (
  row_id bigint generated always as identity primary key,
  registry_id text not null,
  schema_id text not null,
  issuer text not null,
  verifier text not null,
  currency text not null check (currency ~ '^[A-Z0-9]{1,10}$'),
  -- Millionths of a currency unit, as the ledger counts prices: a u128.
  digits numeric(39) not null check (digits >= 0),
  -- Who said so.
  team_id bigint not null,
  from_time timestamptz not null,
  -- Null: it holds.
  to_time timestamptz check (to_time >= from_time)
);
select service.system_only('verifier_prices');
create unique index verifier_prices_present
  on service.verifier_prices (registry_id, schema_id, issuer, verifier, currency) where to_time is null;
create index verifier_prices_place on service.verifier_prices (registry_id, schema_id, issuer, verifier, from_time);
create index verifier_prices_issuer on service.verifier_prices (issuer, schema_id, to_time);
create index verifier_prices_verifier on service.verifier_prices (verifier, schema_id, to_time);

-- Those of some schemas that held at an instant and concern a team of this transaction: its DID is issuer or verifier, or
-- convenes the registry now. Begins at the DIDs of the team, so that what others agree upon costs it nothing.
create function service.deals_for(holder bigint, wanted text[], only_registry text, only_issuer text, instant timestamptz)
returns table (registry_id text, schema_id text, issuer text, verifier text, currency text, digits numeric)
language plpgsql security definer set search_path = service, pg_temp as $$
#variable_conflict use_column
declare
  scope text := current_setting('accredit.scope', true);
begin
  if not coalesce(holder = any(service.current_teams()), false) then return; end if;
  perform set_config('accredit.scope', 'system', true);
  return query
    with mine as materialized (
      select d.did from service.dids d where d.team_id = holder
      union select p.did from service.did_proofs p where p.team_id = holder
    ), near as materialized (
      select m.did as by_did, p.* from mine m join service.verifier_prices p on p.issuer = m.did and p.schema_id = any(wanted)
      union all
      select m.did, p.* from mine m join service.verifier_prices p on p.verifier = m.did and p.schema_id = any(wanted)
      union all
      select m.did, p.* from mine m
      join ledger.trust_registry r on r.convener = m.did and r.to_block is null
      join service.verifier_prices p on p.registry_id = r.registry_id and p.schema_id = any(wanted)
    ), told as materialized (
      select n.* from near n where n.from_time <= instant and (n.to_time is null or n.to_time > instant)
        and (only_registry is null or n.registry_id = only_registry) and (only_issuer is null or n.issuer = only_issuer)
    ), held as materialized (
      select h.did from service.held_among(holder, array(select distinct t.by_did from told t)) as h (did))
    select distinct t.registry_id, t.schema_id, t.issuer, t.verifier, t.currency, t.digits
    from told t where t.by_did in (select h.did from held h);
  perform set_config('accredit.scope', coalesce(scope, ''), true);
end $$;

-- Sets or, without digits, ends one price, by a team of this transaction which the caller found to be issuer or convener, and
-- behind the caller's lock. Never before what was there, whatever the clock of another process said.
-- done, or why not: absent: there is none to end. currencies, verifiers, changes: more than `most` allows.
create function service.set_deal(asking bigint, deal jsonb, wanted numeric, instant timestamptz, most jsonb) returns text
language plpgsql security definer set search_path = service, pg_temp as $$
declare
  scope text := current_setting('accredit.scope', true);
  d service.verifier_prices := jsonb_populate_record(null::service.verifier_prices, deal);
  outcome text := 'done';
  currencies int;
  has_this bool;
begin
  if not coalesce(asking = any(service.current_teams()), false) then
    raise exception 'not a team of this transaction' using errcode = 'insufficient_privilege';
  end if;
  perform set_config('accredit.scope', 'system', true);
  select count(*), coalesce(bool_or(p.currency = d.currency), false) into currencies, has_this from service.verifier_prices p
    where (p.registry_id, p.schema_id, p.issuer, p.verifier) = (d.registry_id, d.schema_id, d.issuer, d.verifier)
      and p.to_time is null;
  if wanted is null and not has_this then
    outcome := 'absent';
  elsif wanted is not null and not has_this and currencies >= (most ->> 'currencies')::int then
    outcome := 'currencies';
  elsif wanted is not null and currencies = 0 and (
    select count(distinct p.verifier) from service.verifier_prices p
    where (p.registry_id, p.schema_id, p.issuer) = (d.registry_id, d.schema_id, d.issuer) and p.to_time is null
  ) >= (most ->> 'verifiers')::int then
    outcome := 'verifiers';
  elsif wanted is not null and (
    select count(*) from service.verifier_prices p
    where (p.registry_id, p.schema_id, p.issuer, p.verifier) = (d.registry_id, d.schema_id, d.issuer, d.verifier)
      and p.from_time > instant - interval '1 day'
  ) >= (most ->> 'changes')::int then
    outcome := 'changes';
  end if;
  if outcome = 'done' then
    select greatest(instant, max(coalesce(p.to_time, p.from_time))) into instant from service.verifier_prices p
      where (p.registry_id, p.schema_id, p.issuer, p.verifier, p.currency)
        = (d.registry_id, d.schema_id, d.issuer, d.verifier, d.currency);
    update service.verifier_prices p set to_time = instant
      where (p.registry_id, p.schema_id, p.issuer, p.verifier, p.currency)
        = (d.registry_id, d.schema_id, d.issuer, d.verifier, d.currency) and p.to_time is null;
    insert into service.verifier_prices (registry_id, schema_id, issuer, verifier, currency, digits, team_id, from_time)
      select d.registry_id, d.schema_id, d.issuer, d.verifier, d.currency, wanted, asking, instant where wanted is not null;
  end if;
  perform set_config('accredit.scope', coalesce(scope, ''), true);
  return outcome;
end $$;
