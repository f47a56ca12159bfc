-- What the owners of keys that are not here were told to sign, and what became of it.
create table service.prepared_actions (
  id bigint generated always as identity primary key,
  team_id bigint not null references service.teams on delete cascade,
  did text not null,
  key_id bigint not null,
  call_hash text not null,
  -- Null where the ledger refused before there was anything to sign.
  nonce bigint,
  -- Milliseconds since 1970, as it is signed.
  valid_until bigint,
  -- With the signature that was brought, and the job that brings the action to the ledger.
  signature text,
  job_id text references service.jobs on delete cascade,
  created timestamptz not null,
  check ((nonce is null) = (valid_until is null)),
  check ((signature is null) = (job_id is null))
);
select service.owned('prepared_actions');
create index prepared_actions_call on service.prepared_actions (team_id, did, call_hash, id);
create index prepared_actions_recent on service.prepared_actions (team_id, created);
create index prepared_actions_open on service.prepared_actions (created) where job_id is null;
create index prepared_actions_job on service.prepared_actions (job_id) where job_id is not null;
