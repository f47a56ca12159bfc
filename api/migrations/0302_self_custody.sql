-- Conveners that keep their own keys: whose they are, and what waits until they sign it.

-- The teams that brought actions of a DID which keys signed that are not here: each proved control of the DID, for as long as
-- the ledger has the key.
create table service.did_proofs (
  did text not null,
  team_id bigint not null references service.teams on delete cascade,
  key_id int not null,
  proved timestamptz not null,
  primary key (did, team_id, key_id)
);
select service.owned('did_proofs');
create index did_proofs_team on service.did_proofs (team_id);

-- By what teams have those of the wanted DIDs that `holder` has anything of. kept: the keys are here, and it is nobody else's.
-- Otherwise the service forgot it, or, with key_id, the team brought what a key signed that is not here.
create function service.did_claims(holder bigint, wanted text[])
returns table (did text, team_id bigint, kept boolean, key_id int, since timestamptz)
language plpgsql security definer set search_path = service, pg_temp as $$
declare
  scope text := current_setting('accredit.scope', true);
begin
  perform set_config('accredit.scope', 'system', true);
  return query
    select d.did, d.team_id, true, null::int, d.updated from service.dids d
    where d.did = any(wanted) and d.team_id = holder and d.status not in ('failed', 'deleted')
    union all
    select d.did, d.team_id, false, null::int, d.updated from service.dids d
    where d.did = any(wanted) and d.status = 'deleted' and (d.team_id = holder
      or exists (select from service.did_proofs p where p.did = d.did and p.team_id = holder))
    union all
    select p.did, p.team_id, false, p.key_id, p.proved from service.did_proofs p
    where p.did = any(wanted)
      and not exists (select from service.dids d where d.did = p.did and d.status not in ('failed', 'deleted'))
      and (exists (select from service.did_proofs o where o.did = p.did and o.team_id = holder)
        or exists (select from service.dids d where d.did = p.did and d.team_id = holder));
  perform set_config('accredit.scope', coalesce(scope, ''), true);
end $$;

-- Those of the wanted DIDs that are a team's: whose keys are here for it; and where no team has them, those that it forgot or
-- proved control of last. A proof counts while the ledger has its key; of a did:key that is always.
create function service.held_among(holder bigint, wanted text[]) returns setof text
language plpgsql as $$
begin
  return query
    with claims as materialized (select * from service.did_claims(holder, wanted))
    select c.did from claims c where c.kept
    union all
    select newest.did from (
      select distinct on (c.did) c.did, c.team_id from claims c
      where not c.kept and (c.key_id is null or c.did like 'did:key:%' or exists (
        select from ledger.did_key k where k.did = c.did and k.key_id = c.key_id and k.to_block is null))
      order by c.did, c.since desc, c.team_id) newest
    where newest.team_id = holder;
end $$;

-- waiting: for the signature of a key that is not here, until `expires`. Whether the ledger has it is looked at when the
-- registry that it changes has an event, in a block after `waits_from`.
alter table service.ledger_actions
  drop constraint ledger_actions_state_check,
  add constraint ledger_actions_state_check
    check (state in ('waiting', 'pending', 'accepted', 'included', 'done', 'refused')),
  add column call_hash text,
  add column waits_from int,
  add column waits_in text,
  add column expires timestamptz,
  add constraint ledger_actions_waiting_check
    check (state <> 'waiting' or (call_hash is not null and waits_from is not null and waits_in is not null and expires is not null));
create index ledger_actions_waiting on service.ledger_actions (waits_in) where state = 'waiting';
create index ledger_actions_expiring on service.ledger_actions (expires) where state = 'waiting';

-- Whoever holds a DID now gives it its name: the one that another team gave it holds no longer, and only its past stays.
create function service.end_other_profiles(named text, instant timestamptz) returns void
language plpgsql security definer set search_path = service, pg_temp as $$
declare
  scope text := current_setting('accredit.scope', true);
begin
  perform set_config('accredit.scope', 'system', true);
  update service.profiles set valid_to = greatest(valid_from, instant)
    where did = named and valid_to is null and team_id <> all(service.current_teams());
  perform set_config('accredit.scope', coalesce(scope, ''), true);
end $$;
