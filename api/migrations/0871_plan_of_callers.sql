-- The look-up of a key or a session tells the plan of its team too: that of the parent, for a sub-account.

drop function service.find_api_key(bytea);
create function service.find_api_key(key_hash bytea)
returns table (id bigint, team_id bigint, kind text, role text, ips text[], expires timestamptz, created_by bigint, plan text)
language plpgsql security definer set search_path = service, pg_temp as $$
declare
  scope text := current_setting('accredit.scope', true);
begin
  perform set_config('accredit.scope', 'system', true);
  return query select k.id, k.team_id, k.kind, k.role, k.ips, k.expires, k.created_by, p.plan
    from service.api_keys k
    join service.teams t on t.id = k.team_id and t.closed is null
    join service.teams p on p.id = coalesce(t.parent_id, t.id)
    where k.hash = key_hash and k.revoked is null;
  perform set_config('accredit.scope', coalesce(scope, ''), true);
end $$;

drop function service.find_session(bytea);
create function service.find_session(token_hash bytea)
returns table (id bigint, team_id bigint, user_id bigint, role text, expires timestamptz, plan text)
language plpgsql security definer set search_path = service, pg_temp as $$
declare
  scope text := current_setting('accredit.scope', true);
begin
  perform set_config('accredit.scope', 'system', true);
  return query select s.id, s.team_id, s.user_id, m.role, s.expires, t.plan
    from service.sessions s
    join service.team_members m on m.team_id = s.team_id and m.user_id = s.user_id
    join service.teams t on t.id = s.team_id and t.closed is null
    where s.hash = token_hash;
  perform set_config('accredit.scope', coalesce(scope, ''), true);
end $$;
