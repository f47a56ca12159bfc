-- Why a convener suspended a participant: said beside the ledger, which holds no personal data. One row for each change of status that was
-- asked for here, and for each reason that was given later; reason: null where none was. It stands from the block of its change on, or from the
-- request that wrote nothing, until the next one, or until the ledger ends the suspension.
create table service.suspension_reasons (
  row_id bigint generated always as identity primary key,
  registry_id text not null,
  did text not null,
  team_id bigint not null,
  reason text,
  state text not null check (state in ('pending', 'active', 'failed')),
  job_id text,
  from_time timestamptz check (state <> 'active' or from_time is not null)
);
select service.public_read('suspension_reasons');
create index suspension_reasons_shown on service.suspension_reasons (registry_id, did, row_id) where state = 'active';
create index suspension_reasons_job on service.suspension_reasons (job_id) where state = 'pending';
