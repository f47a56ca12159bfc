-- Keys that were revoked stay, so that the audit tells whose they were; keys of sponsors open no operation of a team.

alter table service.api_keys
  add column kind text not null default 'api' check (kind in ('api', 'sponsor')),
  add column revoked timestamptz;

-- The key with this hash, in one statement and whoever asks: who knows the hash knows the key.
create or replace function service.find_api_key(key_hash bytea)
returns table (id bigint, team_id bigint, role text, ips text[], expires timestamptz)
language plpgsql security definer set search_path = service, pg_temp as $$
declare
  scope text := current_setting('accredit.scope', true);
begin
  perform set_config('accredit.scope', 'system', true);
  return query select k.id, k.team_id, k.role, k.ips, k.expires from service.api_keys k
    where k.hash = key_hash and k.kind = 'api' and k.revoked is null;
  perform set_config('accredit.scope', coalesce(scope, ''), true);
end $$;
