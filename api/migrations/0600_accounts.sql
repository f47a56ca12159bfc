-- People sign in by links and work in sessions; teams have sub-accounts; keys tell when they were used.

alter table service.teams
  add column parent_id bigint references service.teams on delete cascade,
  add column image text not null default '',
  -- Its keys open nothing from then on, and no list shows it.
  add column closed timestamptz,
  add constraint teams_not_its_own_parent check (parent_id <> id);
create index teams_parent on service.teams (parent_id, id) where closed is null;

-- A parent sees that its sub-accounts exist. It sees no row in them.
drop policy own_team on service.teams;
create policy own_team on service.teams using (
  id = any((select service.current_teams())::bigint[]) or parent_id = any((select service.current_teams())::bigint[]));

alter table service.users add column image text not null default '';
create policy team_mates on service.users for select using (exists (
  select from service.team_members m
  where m.user_id = users.id and m.team_id = any((select service.current_teams())::bigint[])));
alter table service.team_members add column joined timestamptz not null default now();
create index team_members_user on service.team_members (user_id);

alter table service.api_keys
  -- Ends with its creator's part in the team.
  add column is_temporary boolean not null default false,
  -- At most a minute late: a request writes nothing.
  add column last_used timestamptz;
create index api_keys_team on service.api_keys (team_id, id);
create index api_keys_of_person on service.api_keys (created_by) where created_by is not null;

create table service.sessions (
  id bigint generated always as identity primary key,
  team_id bigint not null,
  user_id bigint not null,
  hash bytea not null unique check (length(hash) = 32),
  created timestamptz not null,
  expires timestamptz not null,
  -- Whoever leaves a team has no session in it from that moment on.
  foreign key (team_id, user_id) references service.team_members (team_id, user_id) on delete cascade
);
select service.owned('sessions');
create index sessions_person on service.sessions (user_id, team_id);
create index sessions_expired on service.sessions (expires);

create table service.sign_in_links (
  hash bytea primary key check (length(hash) = 32),
  email text not null,
  expires timestamptz not null
);
select service.system_only('sign_in_links');
create index sign_in_links_expired on service.sign_in_links (expires);

create table service.team_invitations (
  id bigint generated always as identity primary key,
  team_id bigint not null references service.teams on delete cascade,
  email text not null,
  role text not null check (role in ('administrator', 'member')),
  status text not null default 'pending' check (status in ('pending', 'accepted', 'canceled')),
  hash bytea not null unique check (length(hash) = 32),
  invited_by bigint references service.users on delete set null,
  created timestamptz not null,
  sent timestamptz not null,
  expires timestamptz not null
);
select service.owned('team_invitations');
create index team_invitations_team on service.team_invitations (team_id, id);
create unique index team_invitations_open on service.team_invitations (team_id, lower(email)) where status = 'pending';

-- Mails on their way, sealed: they hold links that sign people in.
create table service.outgoing_mails (
  id bigint generated always as identity primary key,
  sealed bytea not null,
  attempts int not null default 0,
  next_attempt timestamptz not null,
  expires timestamptz not null
);
select service.system_only('outgoing_mails');
-- Every transaction may be the reason for a mail; the one that sends it alone reads it.
create policy anyone_queues on service.outgoing_mails for insert with check (true);
create index outgoing_mails_due on service.outgoing_mails (next_attempt);

-- A key, or a session: `key:5`, `session:7`.
alter table service.idempotency_keys add column caller text;
update service.idempotency_keys set caller = 'key:' || api_key_id;
alter table service.idempotency_keys alter column caller set not null;
alter table service.idempotency_keys drop column api_key_id;
create unique index idempotency_keys_caller on service.idempotency_keys (caller, key_hash);

alter table service.audit
  add column address text,
  add column before jsonb,
  add column after jsonb;

-- The key with this hash, in one statement and whoever asks: who knows the hash knows the key.
drop function service.find_api_key(bytea);
create function service.find_api_key(key_hash bytea)
returns table (id bigint, team_id bigint, kind text, role text, ips text[], expires timestamptz, created_by bigint)
language plpgsql security definer set search_path = service, pg_temp as $$
declare
  scope text := current_setting('accredit.scope', true);
begin
  perform set_config('accredit.scope', 'system', true);
  return query select k.id, k.team_id, k.kind, k.role, k.ips, k.expires, k.created_by
    from service.api_keys k join service.teams t on t.id = k.team_id and t.closed is null
    where k.hash = key_hash and k.revoked is null;
  perform set_config('accredit.scope', coalesce(scope, ''), true);
end $$;

-- The session with this hash, with the role that its person has now.
create function service.find_session(token_hash bytea)
returns table (id bigint, team_id bigint, user_id bigint, role text, expires timestamptz)
language plpgsql security definer set search_path = service, pg_temp as $$
declare
  scope text := current_setting('accredit.scope', true);
begin
  perform set_config('accredit.scope', 'system', true);
  return query select s.id, s.team_id, s.user_id, m.role, s.expires
    from service.sessions s
    join service.team_members m on m.team_id = s.team_id and m.user_id = s.user_id
    join service.teams t on t.id = s.team_id and t.closed is null
    where s.hash = token_hash;
  perform set_config('accredit.scope', coalesce(scope, ''), true);
end $$;
