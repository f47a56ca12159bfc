-- Credentials on their way to holders by e-mail, each with its job. A row is deleted when its job has ended.

create table service.credential_mails (
  job_id text primary key references service.jobs on delete cascade,
  team_id bigint not null,
  -- Recipient, credential and language, under the service key.
  sealed bytea not null,
  attempts int not null default 0,
  next_attempt timestamptz not null,
  created timestamptz not null
);
select service.owned('credential_mails');
create index credential_mails_due on service.credential_mails (next_attempt);
