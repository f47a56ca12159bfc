-- Jobs are listed, wait longer after each failure, and are told of as they change.

create index jobs_team on service.jobs (team_id, created, id);

-- What follows from the end of an action could not be stored so often; when it is tried next. infinity: by request alone.
alter table service.ledger_actions
  add column retries int not null default 0,
  add column retry_at timestamptz;
create index ledger_actions_retried on service.ledger_actions (job_id) where retry_at is not null;

-- One notification for each transaction that changes jobs, whatever their number.
create function service.tell_jobs() returns trigger language plpgsql as $$
begin
  perform pg_notify('service_jobs', '');
  return null;
end $$;
create trigger jobs_changed after update on service.jobs for each statement execute function service.tell_jobs();
