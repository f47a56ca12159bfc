-- Conveners that keep their own keys: whose they are, and what waits until they sign it.

-- The team that brought the last action of a DID which signs with a key that is not here: it proved control of the DID.
create table service.did_proofs (
  did text primary key,
  team_id bigint not null references service.teams on delete cascade,
  proved timestamptz not null
);
select service.owned('did_proofs');
create index did_proofs_team on service.did_proofs (team_id);

-- The last proof counts, whosever the one before was.
create function service.prove_control(proved_did text, prover bigint, at timestamptz) returns void
language plpgsql security definer set search_path = service, pg_temp as $$
declare
  scope text := current_setting('accredit.scope', true);
begin
  perform set_config('accredit.scope', 'system', true);
  insert into service.did_proofs as p (did, team_id, proved) values (proved_did, prover, at)
    on conflict (did) do update set team_id = excluded.team_id, proved = excluded.proved;
  perform set_config('accredit.scope', coalesce(scope, ''), true);
end $$;

-- The DIDs of a team: those whose keys are here for it, and those that it proved control of while no team has their keys
-- here. One that the service forgot stays its team's until another one proves control.
create function service.held_dids(holder bigint) returns setof text
language plpgsql security definer set search_path = service, pg_temp as $$
declare
  scope text := current_setting('accredit.scope', true);
begin
  perform set_config('accredit.scope', 'system', true);
  return query
    select d.did from service.dids d
    where d.team_id = holder and d.status <> 'failed'
      and (d.status <> 'deleted' or not exists (select from service.did_proofs p where p.did = d.did))
    union
    select p.did from service.did_proofs p
    where p.team_id = holder
      and not exists (select from service.dids d where d.did = p.did and d.status not in ('failed', 'deleted'));
  perform set_config('accredit.scope', coalesce(scope, ''), true);
end $$;

-- waiting: for the signature of a key that is not here, until `expires`. The ledger has it when the DID dispatched a call
-- with this hash in a block after `waits_from`.
alter table service.ledger_actions
  drop constraint ledger_actions_state_check,
  add constraint ledger_actions_state_check
    check (state in ('waiting', 'pending', 'accepted', 'included', 'done', 'refused')),
  add column call_hash text,
  add column waits_from int,
  add column expires timestamptz,
  add constraint ledger_actions_waiting_check
    check (state <> 'waiting' or (call_hash is not null and waits_from is not null and expires is not null));
create index ledger_actions_waiting on service.ledger_actions (did, call_hash) where state = 'waiting';
create index ledger_actions_expiring on service.ledger_actions (expires) where state = 'waiting';
