-- How long a team wants its data to be kept, what went by that, and marks by which the data of one person are found.

alter table service.teams
  -- Seconds by policy; a policy that is not in it has its default.
  add column retention_policy jsonb not null default '{}',
  add column store_subject_ref boolean not null default false;
-- How many rows of a table went on a day, and by which policy. Nothing tells what stood in them.
create table service.swept_rows (
  team_id bigint not null,
  day timestamptz not null,
  kind text not null,
  policy text not null,
  rows bigint not null,
  primary key (team_id, day, kind, policy)
);
select service.owned('swept_rows');
create index swept_rows_day on service.swept_rows (day);

-- Keyed hashes of the ids of credentials and subjects that a row is about: erasure finds rows by them, also those that nobody can unseal.
alter table service.credentials add column marks bytea[];
alter table service.outgoing_events add column marks bytea[];
update service.outgoing_events set marks = array[resource] where resource is not null;
alter table service.idempotency_keys add column marks bytea[];
alter table service.credential_batch_rows add column marks bytea[];
alter table service.credential_mails add column marks bytea[];
-- A keyed hash of the address that a mail goes to, and the team that it is about.
alter table service.outgoing_mails
  add column recipient bytea,
  add column team_id bigint;
-- What stood here before cannot be found by its recipient: links in it are over within a week, and are asked for again.
delete from service.outgoing_mails;

create index team_invitations_expires on service.team_invitations (expires);
create index outgoing_mails_expires on service.outgoing_mails (expires);
create index webhook_deliveries_created on service.webhook_deliveries (created);
create index credential_mails_created on service.credential_mails (created);
create index credential_batches_created on service.credential_batches (created);
create index audit_invited on service.audit ((after ->> 'email')) where action = 'inviteTeamMember';
create index credentials_subject_refs on service.credentials (team_id) where subject_ref <> '';
