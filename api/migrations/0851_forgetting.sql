-- Deletions of teams and erasures of people: asked for in a request, carried out in pieces by the worker.

-- id: who has it learns how far the deletion is. team_id stays: a copy of the database from before learns of the deletion by it.
create table service.deletions (
  id uuid primary key,
  team_id bigint not null,
  started timestamptz not null,
  ended timestamptz,
  -- Rows by table, and keys.
  counts jsonb not null default '{}'
);
select service.system_only('deletions');
create policy teams_ask on service.deletions for insert with check (team_id = any((select service.current_teams())::bigint[]));
create index deletions_open on service.deletions (started) where ended is null;
create index deletions_team on service.deletions (team_id);

create table service.erasures (
  id uuid primary key,
  team_id bigint not null,
  started timestamptz not null,
  ended timestamptz,
  -- Keyed hashes of what was to be erased.
  marks bytea[] not null,
  counts jsonb not null default '{}'
);
select service.owned('erasures');
create index erasures_open on service.erasures (started) where ended is null;
create index erasures_team on service.erasures (team_id, started desc);
