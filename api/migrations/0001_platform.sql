-- What every capability stands on: tenancy, accounts, idempotency, jobs and the outbox to the ledger.

create schema if not exists service;

-- The team set of this transaction; empty outside a team's transaction.
create or replace function service.current_teams() returns bigint[] language sql stable as
$$ select coalesce(string_to_array(nullif(current_setting('accredit.teams', true), ''), ',')::bigint[], '{}') $$;

-- Whether this is the system (authentication, the worker, a migration). Replaced at the end of every migration run, when the roles are known.
create or replace function service.is_system() returns boolean language sql stable as
$$ select current_setting('accredit.scope', true) = 'system' $$;

create or replace procedure service.protect(target text) language plpgsql as $$
begin
  execute format('alter table service.%I enable row level security', target);
  execute format('alter table service.%I force row level security', target);
  execute format('create policy system_passes on service.%I using ((select service.is_system())) with check ((select service.is_system()))', target);
end $$;

-- Rows of one team, in column team_id.
create or replace function service.owned(target text) returns void language plpgsql as $$
begin
  call service.protect(target);
  execute format('create policy team_owns on service.%I using (team_id = any((select service.current_teams())::bigint[]))
    with check (team_id = any((select service.current_teams())::bigint[]))', target);
end $$;

-- Rows that each of the teams in the named bigint columns sees and changes.
create or replace function service.shared(target text, variadic columns text[]) returns void language plpgsql as $$
declare condition text;
begin
  call service.protect(target);
  select string_agg(format('%I = any((select service.current_teams())::bigint[])', c), ' or ') into condition from unnest(columns) c;
  execute format('create policy teams_share on service.%I using (%s) with check (%s)', target, condition, condition);
end $$;

-- Rows that anyone reads. Written by the team in team_id, or with writers => 'any' by every tenant (content-addressed rows).
create or replace function service.public_read(target text, writers text default 'team') returns void language plpgsql as $$
declare condition text := case writers when 'any' then 'true' else 'team_id = any((select service.current_teams())::bigint[])' end;
begin
  call service.protect(target);
  execute format('create policy anyone_reads on service.%I for select using (true)', target);
  execute format('create policy writers on service.%I using (%s) with check (%s)', target, condition, condition);
end $$;

-- Rows that only authentication and the worker see.
create or replace function service.system_only(target text) returns void language plpgsql as $$
begin
  call service.protect(target);
end $$;

create table service.teams (
  id bigint generated always as identity primary key,
  name text,
  created timestamptz not null default now()
);
call service.protect('teams');
create policy own_team on service.teams using (id = any((select service.current_teams())::bigint[]));

create table service.users (
  id bigint generated always as identity primary key,
  email text,
  name text not null,
  created timestamptz not null default now()
);
select service.system_only('users');
create unique index users_email on service.users (lower(email));

create table service.team_members (
  team_id bigint not null references service.teams on delete cascade,
  user_id bigint not null references service.users on delete cascade,
  role text not null check (role in ('owner', 'administrator', 'member')),
  primary key (team_id, user_id)
);
select service.owned('team_members');
create unique index team_members_one_owner on service.team_members (team_id) where role = 'owner';

create table service.api_keys (
  id bigint generated always as identity primary key,
  team_id bigint not null references service.teams on delete cascade,
  hash bytea not null unique check (length(hash) = 32),
  public_part text not null,
  role text not null check (role in ('owner', 'administrator', 'member')),
  ips text[] not null default '{}',
  alias text,
  created_by bigint references service.users on delete set null,
  created timestamptz not null default now(),
  expires timestamptz
);
select service.owned('api_keys');

-- The key with this hash, in one statement and whoever asks: who knows the hash knows the key.
create or replace function service.find_api_key(key_hash bytea)
returns table (id bigint, team_id bigint, role text, ips text[], expires timestamptz)
language plpgsql security definer set search_path = service, pg_temp as $$
declare
  scope text := current_setting('accredit.scope', true);
begin
  perform set_config('accredit.scope', 'system', true);
  return query select k.id, k.team_id, k.role, k.ips, k.expires from service.api_keys k where k.hash = key_hash;
  perform set_config('accredit.scope', coalesce(scope, ''), true);
end $$;

create table service.idempotency_keys (
  id bigint generated always as identity primary key,
  team_id bigint not null references service.teams on delete cascade,
  api_key_id bigint not null references service.api_keys on delete cascade,
  key_hash bytea not null,
  request_hash bytea not null,
  state text not null check (state in ('running', 'acted', 'answered', 'secret')),
  -- Sealed under a key derived from the caller's API key, which is stored nowhere.
  sealed bytea,
  -- Counts take-overs of a claim whose process died; a late writer of an earlier attempt changes nothing.
  attempt int not null default 1,
  leased_until timestamptz not null,
  created timestamptz not null default now(),
  unique (api_key_id, key_hash)
);
select service.owned('idempotency_keys');
create index idempotency_keys_created on service.idempotency_keys (created);

create table service.jobs (
  id text primary key,
  team_id bigint not null references service.teams on delete cascade,
  kind text not null,
  subject text,
  data jsonb not null default '{}',
  status text not null default 'todo' check (status in ('todo', 'in_progress', 'finalized', 'error')),
  result jsonb not null default '{}',
  created timestamptz not null default now(),
  updated timestamptz not null default now()
);
select service.owned('jobs');
create index jobs_open on service.jobs (created) where status in ('todo', 'in_progress');
create index jobs_created on service.jobs (created);

-- The transactional outbox: what the signer shall bring to the ledger, per DID in gap-free order.
create table service.ledger_actions (
  id text primary key,
  job_id text not null references service.jobs on delete cascade,
  part int not null,
  team_id bigint not null,
  did text not null,
  -- Null when the signer refused it at the door: its number went to the next action.
  sequence bigint,
  action jsonb not null,
  state text not null default 'pending' check (state in ('pending', 'accepted', 'included', 'done', 'refused')),
  outcome jsonb,
  block_height int,
  block_hash text,
  created timestamptz not null default now(),
  unique (did, sequence) deferrable initially immediate
);
select service.owned('ledger_actions');
create index ledger_actions_job on service.ledger_actions (job_id, part);
create index ledger_actions_open on service.ledger_actions (state, created) where state in ('pending', 'accepted', 'included');

create table service.ledger_sequences (
  did text primary key,
  next bigint not null
);
select service.system_only('ledger_sequences');

-- Takes the next numbers of some DIDs; their rows stay locked until commit, which keeps a DID's numbers free of gaps.
create or replace function service.take_sequences(dids text[], counts int[]) returns table (did text, first bigint)
language plpgsql security definer set search_path = service, pg_temp as $$
declare
  scope text := current_setting('accredit.scope', true);
begin
  perform set_config('accredit.scope', 'system', true);
  return query
    insert into service.ledger_sequences as s (did, next)
    select d, c from unnest(dids, counts) as t (d, c) order by d
    on conflict on constraint ledger_sequences_pkey do update set next = s.next + excluded.next
    returning s.did, s.next - (select c from unnest(dids, counts) as t (d, c) where d = s.did);
  perform set_config('accredit.scope', coalesce(scope, ''), true);
end $$;

create table service.audit (
  id bigint generated always as identity primary key,
  team_id bigint not null,
  at timestamptz not null default now(),
  actor text not null,
  action text not null,
  subject text,
  detail jsonb not null default '{}',
  request_id text
);
select service.owned('audit');
create index audit_team on service.audit (team_id, id);

create table service.outgoing_events (
  id bigint generated always as identity primary key,
  team_id bigint not null,
  event text not null,
  data jsonb not null,
  created timestamptz not null default now()
);
select service.owned('outgoing_events');
create index outgoing_events_team on service.outgoing_events (team_id, id);

create table service.follower_cursor (
  id text primary key,
  block int not null,
  event_index int not null
);
select service.system_only('follower_cursor');
