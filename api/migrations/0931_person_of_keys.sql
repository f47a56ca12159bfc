-- The look-up of a key tells whose it is, where it is a temporary one: what it makes is that person's.
drop function service.find_api_key(bytea);
create function service.find_api_key(key_hash bytea)
returns table (id bigint, team_id bigint, kind text, role text, ips text[], expires timestamptz, person bigint, plan text)
language plpgsql security definer set search_path = service, pg_temp as $$
declare
  scope text := current_setting('accredit.scope', true);
begin
  perform set_config('accredit.scope', 'system', true);
  return query select k.id, k.team_id, k.kind, k.role, k.ips, k.expires,
      case when k.is_temporary then k.created_by end, p.plan
    from service.api_keys k
    join service.teams t on t.id = k.team_id and t.closed is null
    join service.teams p on p.id = coalesce(t.parent_id, t.id)
    where k.hash = key_hash and k.revoked is null;
  perform set_config('accredit.scope', coalesce(scope, ''), true);
end $$;
