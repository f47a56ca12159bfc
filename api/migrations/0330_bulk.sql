-- Many participants in one request.

-- What a part carries where a request has many things to do, one entry for each: the row of the request, and its DID.
alter table service.ledger_actions add column items jsonb check (jsonb_typeof(items) = 'array');

-- The names that a convener gave participants which never accepted here. One is shown where the ledger lists its DID and
-- nobody named itself.
create table service.participant_names (
  row_id bigint generated always as identity primary key,
  registry_id text not null,
  did text not null,
  team_id bigint not null,
  name text not null,
  logo_url text not null,
  state text not null check (state in ('pending', 'active')),
  job_id text not null,
  -- The part of the job that lists the DID.
  part int not null,
  from_time timestamptz check (state <> 'active' or from_time is not null)
);
select service.public_read('participant_names');
create index participant_names_shown on service.participant_names (registry_id, did, from_time) where state = 'active';
create index participant_names_job on service.participant_names (job_id) where state = 'pending';
