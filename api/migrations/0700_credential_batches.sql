-- Many credentials in one request: its rows, each with what is to be done, then with what came of it.

create table service.credential_batches (
  job_id text primary key references service.jobs on delete cascade,
  team_id bigint not null,
  -- The caller, and its request, for the audit.
  principal jsonb not null,
  actor text not null,
  request_id text,
  is_strict boolean not null,
  -- The language of mails to holders.
  accept_language text,
  -- The purpose of its seals, beside the number of a row.
  seal text not null,
  total int not null check (total > 0),
  created timestamptz not null,
  -- The worker that is at it, until when nobody else is; it renews this while it lives.
  held_by text,
  held_until timestamptz,
  -- When it had its last turn: each team has one before any has its second.
  turned timestamptz not null,
  -- Since when some rows could not be done for reasons that pass.
  failing_since timestamptz,
  ended timestamptz
);
select service.owned('credential_batches');
create index credential_batches_open on service.credential_batches (turned) where ended is null;
create index credential_batches_ended on service.credential_batches (ended) where ended is not null;

create table service.credential_batch_rows (
  job_id text not null references service.credential_batches on delete cascade,
  -- From 1.
  row int not null,
  team_id bigint not null,
  state text not null default 'todo' check (state in ('todo', 'issued', 'refused')),
  -- Under the service key: the request as it was sent, then the line of the result that takes its place.
  sealed bytea not null,
  primary key (job_id, row)
);
select service.owned('credential_batch_rows');
create index credential_batch_rows_todo on service.credential_batch_rows (job_id, row) where state = 'todo';
