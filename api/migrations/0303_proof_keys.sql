-- A proof of control is worth as much as the key that made it.

-- Those so far do not say which key that was.
delete from service.did_proofs;
alter table service.did_proofs
  add column key_id int not null,
  drop constraint did_proofs_pkey,
  add primary key (did, team_id, key_id);
drop function service.prove_control(text, bigint, timestamptz);

-- By what teams have the DIDs that `holder` has anything of. kept: the keys are here, and it is nobody else's. Otherwise the
-- service forgot it, or, with key_id, the team brought what a key signed that is not here.
create function service.did_claims(holder bigint)
returns table (did text, team_id bigint, kept boolean, key_id int, since timestamptz)
language plpgsql security definer set search_path = service, pg_temp as $$
declare
  scope text := current_setting('accredit.scope', true);
begin
  perform set_config('accredit.scope', 'system', true);
  return query
    select d.did, d.team_id, true, null::int, d.updated from service.dids d
    where d.team_id = holder and d.status not in ('failed', 'deleted')
    union all
    select d.did, d.team_id, false, null::int, d.updated from service.dids d
    where d.status = 'deleted' and (d.team_id = holder
      or exists (select from service.did_proofs p where p.did = d.did and p.team_id = holder))
    union all
    select p.did, p.team_id, false, p.key_id, p.proved from service.did_proofs p
    where not exists (select from service.dids d where d.did = p.did and d.status not in ('failed', 'deleted'))
      and (exists (select from service.did_proofs o where o.did = p.did and o.team_id = holder)
        or exists (select from service.dids d where d.did = p.did and d.team_id = holder));
  perform set_config('accredit.scope', coalesce(scope, ''), true);
end $$;

-- The DIDs of a team: those whose keys are here for it; and where no team has them, those that it forgot or proved control
-- of last. A proof counts while the ledger has its key; of a did:key that is always.
create or replace function service.held_dids(holder bigint) returns setof text
language plpgsql as $$
begin
  return query
    with claims as materialized (select * from service.did_claims(holder))
    select c.did from claims c where c.kept
    union all
    select newest.did from (
      select distinct on (c.did) c.did, c.team_id from claims c
      where not c.kept and (c.key_id is null or c.did like 'did:key:%' or exists (
        select from ledger.did_key k where k.did = c.did and k.key_id = c.key_id and k.to_block is null))
      order by c.did, c.since desc, c.team_id) newest
    where newest.team_id = holder;
end $$;
